/** `--baseline`: compares what was just measured with what was kept before. */
import type { Reply } from '../api-client/ask-service.ts';
import type { ResultsComparison } from '../contract/stored/change.ts';
import type { MinEffect } from './input/min-effect.ts';
import { columnsOfMeasurement, type FinishedMeasurement } from './measurements.ts';
import { type Asking, askForJson, sayFailure } from './run-kept.ts';
import { toPlainBody } from './text/terminal/plain-text.ts';

export type BaselineCheck = {
  readonly url: string;
  readonly strategy: string;
  readonly source: string;
  /** Undefined where there was nothing to compare; then `fault` says why. */
  readonly verdict: ResultsComparison['verdict'] | undefined;
  readonly fault: string | undefined;
};

const notKept = 'This result was not kept, so it cannot be compared: the service needs a DATA_DIR or DATABASE_URL.';

const toOutcome = (reply: Reply): Pick<BaselineCheck, 'verdict' | 'fault'> =>
  reply.ok
    ? { verdict: (toPlainBody(reply.body) as ResultsComparison).verdict, fault: undefined }
    : { verdict: undefined, fault: sayFailure(reply) };

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
