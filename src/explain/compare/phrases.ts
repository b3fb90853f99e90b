/** Floating-point noise of a subtraction is no difference, and minus zero is zero. */
export const tidy = (value: number, decimals: number): number => Number(value.toFixed(decimals)) || 0;

/** How many times one of two positive numbers is the other, whichever is larger; null where one is absent. */
export const ratioOf = (one: number | null, other: number | null): number | null => {
  if (one === null || other === null) return null;
  if (one === other) return 1;
  const [small, large] = one < other ? [one, other] : [other, one];
  return small === 0 ? Number.POSITIVE_INFINITY : large / small;
};

/** Numbers and lists as the sentences of a comparison have them. */

/** `1 point`, `2.5 points` */
export const countPoints = (points: number): string => `${points} point${points === 1 ? '' : 's'}`;

export const withSign = (points: number): string => `${points > 0 ? '+' : '−'}${Math.abs(points)}`;

/** What each side may use, by its limit. */
export const sayProcessors = (theirs: number, ours: number): string =>
  `the remote side may use ${theirs} processor${theirs === 1 ? '' : 's'}, this side ${ours}`;

/** `a`, `a and b`, `a, b and c` */
export const joined = (words: readonly string[], last = 'and'): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;

/** The first of them, and whether there are more. */
export const cutTo = (words: readonly string[], most: number): string =>
  words.length > most ? `${words.slice(0, most).join(', ')} and others` : joined(words);

/** A sentence has room for two. */
export const maxNamed = 2;
