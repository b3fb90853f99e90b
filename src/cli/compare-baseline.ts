/** `--baseline`: compares new results with stored ones. */
import type { Reply } from '../api-client/ask-service.ts';
import type { ResultsComparison } from '../contract/stored/change.ts';
import type { KeptPage } from '../contract/stored/kept.ts';
import { type Asking, askForJson, sayFailure } from './ask-json.ts';
import type { MinEffect } from './input/min-effect.ts';
import { UsageError } from './input/usage-error.ts';
import { columnsOfMeasurement, type FinishedMeasurement } from './measurements.ts';
import { toPlainBody } from './text/terminal/plain-text.ts';

export type BaselineCheck = {
  readonly url: string;
  readonly strategy: string;
  readonly source: string;
  /** Verdict of the comparison; if undefined, `fault` is the reason. */
  readonly verdict: ResultsComparison['verdict'] | undefined;
  readonly fault: string | undefined;
};

/** Returns whether a comparison fails the command: with `--strict`, also if it is undecided or impossible. */
export const isWorse = (verdict: BaselineCheck['verdict'], isStrict: boolean): boolean =>
  verdict?.status === 'worse' || (isStrict && (!verdict || verdict.status === 'undecided'));

const notKept = 'This result was not stored, so it cannot be compared. Set DATA_DIR or DATABASE_URL of the service.';

const toOutcome = (reply: Reply): Pick<BaselineCheck, 'verdict' | 'fault'> =>
  reply.ok
    ? { verdict: (toPlainBody(reply.body) as ResultsComparison).verdict, fault: undefined }
    : { verdict: undefined, fault: sayFailure(reply) };

/**
 * Looks for the baseline before any measurement. Faults of the service are reported with the measurement.
 * @throws UsageError if no result has this label or id, or the service stores no results; the signal's reason
 */
export async function checkBaseline(baseline: string, asking: Asking): Promise<void> {
  const query = new URLSearchParams({ label: baseline, kind: 'result', limit: '1' });
  const labelled = await askForJson(`results?${query}`, asking);
  if (!labelled.ok) {
    const { failure } = labelled;
    if (failure.kind === 'problem' && failure.problem.code === 'results_not_kept')
      throw new UsageError([
        `--baseline ${baseline}: this service stores no results. Set its DATA_DIR or DATABASE_URL.`,
      ]);
    return;
  }
  if ((labelled.body as KeptPage).results.length > 0) return;
  const named = await askForJson(`results/${encodeURIComponent(baseline)}`, asking);
  if (!named.ok) throw new UsageError([`--baseline ${baseline}: no stored result has this label or id.`]);
}

/** Compares each result; a failed page has no comparison. @throws the signal's reason */
export async function compareWithBaseline(
  { baseline, minEffect }: { readonly baseline: string; readonly minEffect: MinEffect },
  all: readonly FinishedMeasurement[],
  asking: Asking,
): Promise<BaselineCheck[]> {
  const checks: BaselineCheck[] = [];
  for (const { part, source, strategy } of all.flatMap(columnsOfMeasurement)) {
    if (!part.ok) continue;
    const { id, url } = part.result;
    const query = new URLSearchParams({ before: baseline, after: id ?? '', url, strategy, source, ...minEffect });
    const outcome = id
      ? toOutcome(await askForJson(`compare-results?${query}`, asking))
      : { verdict: undefined, fault: notKept };
    checks.push({ url, strategy, source, ...outcome });
  }
  return checks;
}
