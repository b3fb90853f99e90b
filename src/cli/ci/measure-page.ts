/** Measures one page, compares it with its baseline, and returns one row. */

import { categoryNames } from '../../contract/names.ts';
import { isObject } from '../../contract/result/details.ts';
import type { Result } from '../../contract/result/result.ts';
import type { ResultsComparison } from '../../contract/stored/change.ts';
import type { KeptFacts } from '../../contract/stored/kept.ts';
import type { Column } from '../../presentation/answer.ts';
import { changedFilesOf } from '../../presentation/change-words.ts';
import { type Asking, ask, askForJson, CommandFailure, sayFailure } from '../ask-json.ts';
import { checkAssertion } from '../input/assertion.ts';
import {
  columnsOfMeasurement,
  type FinishedMeasurement,
  hasFailed,
  measureOne,
  wholeColumnsOf,
  wholeOf,
} from '../measurements.ts';
import { toKeptAt, toRowCheck } from '../show-results.ts';
import { toPlainBody, toPlainLine } from '../text/terminal/plain-text.ts';
import type { CiPage } from './baselines.ts';
import { type JudgedRun, judgeRuns } from './judge-runs.ts';
import { type Row, type RowCheck, type RowOutcome, toRow, uncompared } from './outputs/report.ts';
import type { Plan } from './plan.ts';

/** Number of comparisons: a second one follows more runs if the first is undecided. */
const looks = 2;
const moreRuns = 5;

/** @property isOpen whether more runs may decide */
type Compared = { readonly outcome: RowOutcome; readonly isOpen: boolean };

/** @throws CommandFailure */
async function compare(
  before: string,
  { url, strategy }: CiPage,
  { label, minEffect }: Plan,
  asking: Asking,
): Promise<Compared> {
  const query = new URLSearchParams({
    before,
    after: label,
    url,
    strategy,
    source: 'lighthouse',
    looks: `${looks}`,
    ...minEffect,
  });
  const reply = await askForJson(`compare-results?${query}`, asking);
  if (!reply.ok) {
    // Only a refused comparison is an outcome of the page: without the service, its verdict is unknown.
    if (reply.failure.kind !== 'invalid')
      throw new CommandFailure(`${url} (${strategy}) cannot be compared: ${sayFailure(reply)}`);
    return { outcome: { ...uncompared, state: 'not_compared', explanation: sayFailure(reply) }, isOpen: false };
  }
  const body = toPlainBody(reply.body) as ResultsComparison;
  const { verdict, scores } = body;
  const worse = categoryNames.filter(name => name !== 'performance' && scores[name]?.status === 'worse');
  const isPrevented = verdict.status === 'undecided' && body.differences.some(({ effect }) => effect === 'no_verdict');
  const outcome: RowOutcome = {
    state: isPrevented ? 'not_compared' : verdict.status,
    explanation: verdict.explanation,
    ...(worse.length > 0 && !isPrevented ? { worse_scores: worse } : {}),
    runs: [body.before.runs, body.after.runs],
    // The table shows it next to the measured score. The explanation has the difference under the same conditions.
    points: scores.performance?.difference ?? null,
    files: changedFilesOf(body),
  };
  return { outcome, isOpen: verdict.status === 'undecided' && verdict.more_runs !== null };
}

type MeasureContext = { readonly plan: Plan; readonly asking: Asking };

/** Measures a page with the options of the plan. @throws the signal's reason */
const measure = (
  { url, strategy }: CiPage,
  { plan: { categories, conditions }, asking }: MeasureContext,
  label: string,
  runs: number | 'auto',
): Promise<FinishedMeasurement> => measureOne({ url, strategy, categories, label, runs, ...conditions }, asking);

/** Returns the Lighthouse results of all runs, of which the answer has only one. @throws CommandFailure */
async function readRuns(measured: FinishedMeasurement, { id, runs }: Result, asking: Asking): Promise<JudgedRun[]> {
  const read = async (other: string) =>
    ((await ask(`results/${encodeURIComponent(other)}?detailed=true`, asking)) as Result).lighthouse_result;
  const found: JudgedRun[] = [];
  for (const [at, other] of (runs?.ids ?? [id ?? '']).entries()) {
    const lhr = other === id ? wholeOf(measured, 'lighthouse') : await read(other);
    if (isObject(lhr)) found.push({ run: at + 1, lhr });
  }
  return found;
}

export const allRuns = 'all runs succeed';
/** Number of runs that is enough if others failed, and the fewest of `auto`. */
const enoughRuns = 5;

/** Returns a check if runs failed. A missing value fails, so with assertions the check is not only a warning. */
function checkRuns({ runs }: Result, checks: readonly RowCheck[]): RowCheck[] {
  const { completed = 0, failures = [] } = runs ?? {};
  if (failures.length === 0) return [];
  const all = completed + failures.length;
  const measured = `${completed} of ${all} runs (${[...new Set(failures)].join(', ')})`;
  const isWarning = completed >= enoughRuns || checks.every(check => check.isWarning);
  return [{ text: allRuns, measured, passed: false, isWarning }];
}

/** Returns the checks of a measured page: its assertions, and those of a lighthouserc. @throws CommandFailure */
async function judge(
  url: string,
  measured: FinishedMeasurement,
  result: Result,
  { plan, asking }: MeasureContext,
): Promise<RowCheck[]> {
  const ofPage = plan.assertions.flatMap(assertion =>
    checkAssertion(assertion, url, wholeColumnsOf(measured), plan.isStrict).map(toRowCheck),
  );
  const runs = plan.lhci.length === 0 ? [] : await readRuns(measured, result, asking);
  const ofRuns = toPlainBody(plan.lhci.flatMap(assertion => judgeRuns(assertion, runs))) as RowCheck[];
  const checks = [...ofPage, ...ofRuns];
  return [...checks, ...checkRuns(result, checks)];
}

async function toPageRow(
  measured: FinishedMeasurement,
  { url }: CiPage,
  context: MeasureContext,
  outcome: RowOutcome,
  baseline: string | undefined,
): Promise<Row> {
  const { server, store } = context.plan;
  const [column] = columnsOfMeasurement(measured) as [Column];
  if (!column.part.ok) return toRow(url, column, outcome, { baseline, checks: [], link: undefined });
  const checks = await judge(url, measured, column.part.result, context);
  const kept = toKeptAt({ server }, measured);
  // Without a service, the results are in the project's store, which is not the command's default.
  const link = kept !== undefined && server === undefined ? `DATA_DIR=${store} ${kept}` : kept;
  return toRow(url, column, outcome, { baseline, checks, link });
}

/** @throws CommandFailure if the result is not stored, because neither this run nor the next one can compare it */
function checkStored({ url, strategy }: CiPage, measured: FinishedMeasurement): void {
  for (const { part } of columnsOfMeasurement(measured))
    if (part.ok && part.result.id === undefined)
      throw new CommandFailure(
        `The result of ${url} (${strategy}) was not stored. ${toPlainLine(part.result.warnings.at(-1) ?? '')}`.trim(),
      );
}

/** Measures one page until the verdict is decided or the last comparison is done. @throws CommandFailure */
export async function judgePage(job: CiPage, baseline: KeptFacts | undefined, context: MeasureContext): Promise<Row> {
  const { plan, asking } = context;
  const before = baseline?.label ?? undefined;
  const label = before === undefined ? plan.firstLabel : plan.label;
  const measured = await measure(job, context, label, plan.runs);
  checkStored(job, measured);
  const created: RowOutcome = {
    ...uncompared,
    state: 'created',
    explanation: `No baseline existed; these results are stored as '${label}'.`,
  };
  if (before === undefined || hasFailed(measured)) return toPageRow(measured, job, context, created, before);
  const first = await compare(before, job, plan, asking);
  if (!first.isOpen) return toPageRow(measured, job, context, first.outcome, before);
  const again = await measure(job, context, label, moreRuns);
  if (hasFailed(again)) {
    const explanation = `${first.outcome.explanation} Then ${moreRuns} more runs failed.`;
    return toPageRow(measured, job, context, { ...first.outcome, explanation }, before);
  }
  checkStored(job, again);
  const second = await compare(before, job, plan, asking);
  const more = columnsOfMeasurement(again).flatMap(({ part }) => (part.ok ? (part.result.id ?? []) : []));
  return { ...(await toPageRow(measured, job, context, second.outcome, before)), more_ids: more };
}
