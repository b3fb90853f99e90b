/** Evidence of a cause: facts with the values of both sides, discriminated by their subject. */
import type { Cause, Comparison, Evidence } from '../../contract/analysis/comparison.ts';

/** A fact about a whole side. */
type SideFact =
  | 'final_url'
  | 'status_code'
  | 'redirects'
  | 'document_bytes'
  | 'total_bytes'
  | 'shared_bytes'
  | 'requests'
  | 'elements'
  | 'console_error'
  | 'largest_element'
  | `largest_picture_${'eager' | 'high_priority' | 'in_markup'}`
  | 'animations'
  | 'picture_difference_percent'
  | `${'drawing' | 'garbage'}_ms`
  | 'throttling_method'
  | 'round_trip_ms'
  | 'throughput_kbps'
  | 'cpu_slowdown_multiplier'
  | 'benchmark_index'
  | 'benchmark_median'
  | 'index_over_multiplier'
  | 'processors'
  | 'server_response_ms'
  | 'server_latency_ms'
  | 'network_round_trip_ms'
  | 'form_factor'
  | 'lighthouse_version'
  | 'chrome_milestone'
  | 'fetched_at'
  | 'seconds_in_cache'
  | 'seconds_old'
  | 'blocking_without_script_ms'
  | 'concurrent_audits'
  | 'processor_wait_ms'
  | 'script_pace'
  | 'all_script_ms'
  | 'observed_first_paint_ms'
  | 'observed_largest_paint_ms'
  | 'first_contentful_paint'
  | 'largest_contentful_paint'
  | 'cumulative_layout_shift'
  | 'largest_shift';

/** A fact about one of several things: `of` is the name of a file, the host of a protocol, or the id of an audit. */
type NamedFactName =
  | 'status'
  | 'bytes'
  | 'blocked'
  | 'transferred_bytes'
  | 'priority'
  | 'loaded'
  | 'script_ms'
  | 'answer_ms'
  | 'protocol'
  | 'weight'
  | 'audit';

type Value = Evidence['psi'];
type Values = { psi: Value; lighthouse: Value };
export type NamedFact = { [Name in NamedFactName]: Values & { fact: Name; of: string } }[NamedFactName];
export type Fact = { [Name in SideFact]: Values & { fact: Name } }[SideFact] | NamedFact;

export const fact = (name: SideFact, psi: Value, lighthouse: Value) => ({ fact: name, psi, lighthouse }) as Fact;
export const factOf = (name: NamedFactName, of: string, psi: Value, lighthouse: Value) =>
  ({ fact: name, of, psi, lighthouse }) as Fact;
/** Returns the values of a fact that only one side has. */
export const onlyOn = (side: 'psi' | 'lighthouse', value: Value): [psi: Value, lighthouse: Value] =>
  side === 'psi' ? [value, null] : [null, value];

/** A cause before its conversion for the response. */
export type FoundCause = Omit<Cause, 'evidence'> & { evidence: readonly Fact[] };
export type FoundComparison = Omit<Comparison, 'causes' | 'explanation'> & { causes: readonly FoundCause[] };

export function nameOf(found: Fact): string {
  if (found.fact === 'audit') return found.of;
  if ('of' in found) return `${found.fact} ${found.of}`;
  return found.fact === 'all_script_ms' ? 'script_ms' : found.fact;
}

/** Converts a cause to its form in the response. */
export const toCause = (found: FoundCause): Cause => ({
  ...found,
  evidence: found.evidence.map(each => ({ fact: nameOf(each), psi: each.psi, lighthouse: each.lighthouse })),
});
