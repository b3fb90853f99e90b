/** Returns the ratio of two positive numbers, the larger one divided by the smaller; null if one is absent. */
export const ratioOf = (one: number | null, other: number | null): number | null => {
  if (one === null || other === null) return null;
  if (one === other) return 1;
  const [small, large] = one < other ? [one, other] : [other, one];
  return small === 0 ? Number.POSITIVE_INFINITY : large / small;
};

/** Formats numbers and lists for the sentences of a comparison. */

/** Formats points as `1 point` or `2.5 points`. */
export const countPoints = (points: number): string => `${points} point${points === 1 ? '' : 's'}`;

export const withSign = (points: number): string => `${points > 0 ? '+' : '−'}${Math.abs(points)}`;

type Limited = { readonly processors: number | null; readonly where: string };

/** Returns, for example, `the CPU limit is 1 on Google and 2 in local Lighthouse`. */
export const sayProcessors = (psi: Limited, lighthouse: Limited): string =>
  `the CPU limit is ${psi.processors} ${psi.where} and ${lighthouse.processors} ${lighthouse.where}`;

export const startUpper = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Joins words as `a`, `a and b`, or `a, b and c`. */
export const joined = (words: readonly string[], last = 'and'): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;

/** Joins at most `most` words, followed by `and others` if there are more. */
export const cutTo = (words: readonly string[], most: number): string =>
  words.length > most ? `${words.slice(0, most).join(', ')} and others` : joined(words);

export const maxNamed = 2;
