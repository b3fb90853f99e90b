/** Evidence of a cause: facts with the values of both sides. */
import type { Cause, Comparison, Evidence } from '../../contract/analysis/comparison.ts';

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

/** Converts a cause to its form in the response. */
export const toCause = (found: FoundCause): Cause => ({
  ...found,
  evidence: found.evidence.map(each => ({ fact: nameOf(each), psi: each.psi, lighthouse: each.lighthouse })),
});
