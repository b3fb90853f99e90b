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

type Limited = { readonly processors: number | null; readonly where: string };

/** `the CPU limit is 1 on Google and 2 in local Lighthouse` */
export const sayProcessors = (psi: Limited, lighthouse: Limited): string =>
  `the CPU limit is ${psi.processors} ${psi.where} and ${lighthouse.processors} ${lighthouse.where}`;

export const startUpper = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** `a`, `a and b`, `a, b and c` */
export const joined = (words: readonly string[], last = 'and'): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;

/** The first of them, and whether there are more. */
export const cutTo = (words: readonly string[], most: number): string =>
  words.length > most ? `${words.slice(0, most).join(', ')} and others` : joined(words);

/** A sentence has room for two. */
export const maxNamed = 2;
