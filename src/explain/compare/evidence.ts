/** Evidence of a cause: facts with the values of both sides, and the phrases in its sentences. */

import type { Cause, Comparison, Evidence } from '../../contract/analysis/comparison.ts';
import { joinWords } from '../../presentation/numbers.ts';

/** Returns the ratio of two positive numbers, the larger one divided by the smaller; null if one is absent. */
export const ratioOf = (one: number | null, other: number | null): number | null => {
  if (one === null || other === null) return null;
  if (one === other) return 1;
  const [small, large] = one < other ? [one, other] : [other, one];
  return small === 0 ? Number.POSITIVE_INFINITY : large / small;
};

export const withSign = (points: number): string => `${points > 0 ? '+' : '−'}${Math.abs(points)}`;

type Limited = { readonly processors: number | null; readonly where: string };

/** Returns, for example, `the CPU limit is 1 on Google and 2 in local Lighthouse`. */
export const sayProcessors = (psi: Limited, lighthouse: Limited): string =>
  `the CPU limit is ${psi.processors} ${psi.where} and ${lighthouse.processors} ${lighthouse.where}`;

/** Joins at most `most` words, followed by `and others` if there are more. */
export const cutTo = (words: readonly string[], most: number): string =>
  words.length > most ? `${words.slice(0, most).join(', ')} and others` : joinWords(words);

export const maxNamed = 2;

type Value = Evidence['psi'];
/** A fact of a whole side, or of one thing: `of` is the name of a file, the host of a protocol, or the id of an audit. */
export type Fact = { readonly fact: string; readonly of?: string; readonly psi: Value; readonly lighthouse: Value };

export const fact = (name: string, psi: Value, lighthouse: Value): Fact => ({ fact: name, psi, lighthouse });
export const factOf = (name: string, of: string, psi: Value, lighthouse: Value): Fact => ({
  fact: name,
  of,
  psi,
  lighthouse,
});
export const onlyOn = (side: 'psi' | 'lighthouse', value: Value): [psi: Value, lighthouse: Value] =>
  side === 'psi' ? [value, null] : [null, value];

/** A cause before its conversion for the response. */
export type FoundCause = Omit<Cause, 'evidence'> & { evidence: readonly Fact[] };
export type FoundComparison = Omit<Comparison, 'causes' | 'explanation'> & { causes: readonly FoundCause[] };

export function nameOf({ fact: name, of }: Fact): string {
  if (of !== undefined) return name === 'audit' ? of : `${name} ${of}`;
  return name === 'all_script_ms' ? 'script_ms' : name;
}

export const toCause = (found: FoundCause): Cause => ({
  ...found,
  evidence: found.evidence.map(each => ({ fact: nameOf(each), psi: each.psi, lighthouse: each.lighthouse })),
});
