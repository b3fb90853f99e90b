/** `--baseline`: compares what was just measured with what was kept before. */
import type { Reply } from '../api-client/ask-service.ts';
import type { ResultsComparison } from '../contract/stored/change.ts';
import type { KeptPage } from '../contract/stored/kept.ts';
import type { MinEffect } from './input/min-effect.ts';
import { UsageError } from './input/usage-error.ts';
import { columnsOfMeasurement, type FinishedMeasurement } from './measurements.ts';
import { type Asking, askForJson, sayFailure } from './run-kept.ts';
import { toPlainBody } from './text/terminal/plain-text.ts';

export type BaselineCheck = {
  readonly url: string;
  readonly strategy: string;
  readonly source: string;
  /** Undefined if there was nothing to compare; then `fault` says why. */
  readonly verdict: ResultsComparison['verdict'] | undefined;
  readonly fault: string | undefined;
};

const notKept = 'This result was not stored, so it cannot be compared. Set DATA_DIR or DATABASE_URL of the service.';

const toOutcome = (reply: Reply): Pick<BaselineCheck, 'verdict' | 'fault'> =>
  reply.ok
    ? { verdict: (toPlainBody(reply.body) as ResultsComparison).verdict, fault: undefined }
    : { verdict: undefined, fault: sayFailure(reply) };

/**
 * Looks for the baseline before anything is measured. Failures of the service show with the measurement.
 * @throws UsageError if no result has this label or id, or the service stores none; the signal's reason
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

/** One check for each result; a page that failed has none. @throws the signal's reason */
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
