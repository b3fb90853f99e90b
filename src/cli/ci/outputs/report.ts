/** Outcome of a pipeline's run: one row for each page and strategy, and the overall verdict. */
import { type Category, type MetricName, metricNames } from '../../../contract/names.ts';
import type { Result } from '../../../contract/result/result.ts';
import type { FileChange } from '../../../contract/stored/change-verdict.ts';
import type { Column } from '../../../presentation/answer.ts';
import { fileChangeWords } from '../../../presentation/change-words.ts';
import { counted, formatBytes, formatMs } from '../../../presentation/numbers.ts';
import { spreadOf } from '../../../presentation/range.ts';
import { sayMark, toShown } from '../../../presentation/undisturbed.ts';
import { toFailureCell } from '../../text/table-cells.ts';
import { toPlainLine } from '../../text/terminal/plain-text.ts';

export type RowCheck = {
  readonly text: string;
  readonly measured: string;
  readonly passed: boolean;
  readonly isWarning: boolean;
};

const rowStates = [
  'worse',
  'failed',
  'not_compared',
  'undecided',
  'better',
  'no_difference',
  'created',
  'measured',
] as const;
export type RowState = (typeof rowStates)[number];

export type Redirect = {
  readonly final_url: string;
  /** Reason why another page than the requested one was probably measured. */
  readonly warning?: string;
};

/** Matches paths of pages on which users sign in. */
const signIn =
  /(?:^|[/_.-])(?:log[-_]?in|sign[-_]?in|sso|oauth2?|saml2?|authori[sz]e|authenticate)(?:[/_.;-]|$)|\/session\/new/i;

/** Returns the redirect of a page, unless only the fragment differs. */
export function toRedirect({ url, final_url: final }: Pick<Result, 'url' | 'final_url'>): Redirect | undefined {
  const [from, to] = [URL.parse(url), URL.parse(final)];
  const plain = (given: URL) => given.href.slice(0, given.href.length - given.hash.length).replace(/#$/, '');
  if (!from || !to || plain(from) === plain(to)) return undefined;
  if (signIn.test(to.pathname) && !signIn.test(from.pathname))
    return { final_url: final, warning: 'a sign-in page was measured instead of the requested page' };
  return from.hostname === to.hostname
    ? { final_url: final }
    : { final_url: final, warning: `a page of ${to.hostname} was measured instead of ${from.hostname}` };
}

/** Formats a redirect as `redirected to https://example.com/login: a sign-in page was measured …`. */
export const sayRedirect = ({ final_url, warning }: Redirect): string =>
  `redirected to ${final_url}${warning === undefined ? '' : `: ${warning}`}`;

/** Outcome of one page with one strategy. All texts are plain, without control characters. */
export type Row = {
  readonly url: string;
  readonly strategy: string;
  readonly source: string;
  readonly state: RowState;
  readonly explanation: string;
  /** Scores that got worse without deciding the verdict. */
  readonly worse_scores?: readonly string[];
  readonly baseline: string | undefined;
  readonly runs: readonly [before: number, after: number] | undefined;
  /** Difference of the performance score, after minus before. */
  readonly points: number | null;
  readonly files: readonly FileChange[];
  readonly checks: readonly RowCheck[];
  readonly id: string | undefined;
  /** Ids of further results of this run, which an undecided verdict asked for. */
  readonly more_ids?: readonly string[];
  readonly link: string | undefined;
} & RowValues;

/** A failed page has no values. */
type RowValues = Pick<ReturnType<typeof rowValuesOf>, 'scores' | 'metrics'> & Partial<ReturnType<typeof rowValuesOf>>;

/** Outcome of a measured page: its verdict, if it was compared. */
export type RowOutcome = Pick<Row, 'state' | 'explanation' | 'worse_scores' | 'runs' | 'points' | 'files'>;

/** An outcome without a comparison. */
export const uncompared = { runs: undefined, points: null, files: [] } as const;

/** Returns the row of one side. The failure of a page replaces its outcome. */
export function toRow(
  url: string,
  { source, strategy, part }: Column,
  outcome: RowOutcome,
  rest: Pick<Row, 'baseline' | 'checks' | 'link'>,
): Row {
  const page = { url, strategy, source };
  if (part.ok) return { ...page, ...outcome, ...rowValuesOf(part.result), ...rest, id: part.result.id };
  const explanation = toPlainLine(toFailureCell(part.failure));
  return { ...page, ...uncompared, state: 'failed', explanation, scores: {}, metrics: {}, ...rest, id: undefined };
}

/**
 * Returns the scores, and the metrics without units, with the mark of a disturbed load and the names of the values that
 * it made unreliable. There is no redirect if the page ended on the requested URL.
 */
export function rowValuesOf(result: Result) {
  const { scores, agentic_browsing: agentic, metrics } = result;
  const shown = (names: readonly (Category | MetricName)[]): Readonly<Record<string, number | null>> =>
    Object.fromEntries(names.map(name => [name, toShown(result, name).value]));
  const mark = typeof scores.performance === 'number' ? sayMark(result) : undefined;
  const range = spreadOf(result, 'performance');
  const redirect = toRedirect(result);
  const denied: readonly string[] = ['performance' as const, ...metricNames].filter(
    name => toShown(result, name).isUnreliable,
  );
  return {
    scores: shown(Object.keys(scores) as Category[]),
    ...(agentic ? { agentic_browsing: agentic } : {}),
    metrics: shown(Object.keys(metrics) as MetricName[]),
    ...(mark === undefined ? {} : { mark }),
    ...(denied.length === 0 ? {} : { denied }),
    ...(redirect ? { redirect } : {}),
    ...(range ? { performance_range: { min: range.min, max: range.max } } : {}),
  };
}

export type Report = {
  readonly rows: readonly Row[];
  /** Budgets of pages that were not measured. */
  readonly unused: readonly RowCheck[];
  readonly isStrict: boolean;
};

/** Returns the checks that did not pass, including warnings. */
export const missedOf = ({ checks }: Row): RowCheck[] => checks.filter(({ passed }) => !passed);

export const sayMissed = ({ text, measured }: RowCheck): string => `${text}, measured ${measured}`;

export const isMissed = ({ passed, isWarning }: RowCheck): boolean => !passed && !isWarning;

/** A decided regression or a missed budget fails the pipeline; with `--strict`, an open comparison does, too. */
export const isFailing = (row: Row, isStrict: boolean): boolean =>
  row.state === 'worse' || row.checks.some(isMissed) || (isStrict && ['undecided', 'not_compared'].includes(row.state));

/** Sorts rows that fail the pipeline first, then by state, then by the largest change of the performance score. */
export const byChange = (rows: readonly Row[], isStrict: boolean): Row[] =>
  rows.toSorted(
    (a, b) =>
      Number(isFailing(b, isStrict)) - Number(isFailing(a, isStrict)) ||
      rowStates.indexOf(a.state) - rowStates.indexOf(b.state) ||
      Math.abs(b.points ?? 0) - Math.abs(a.points ?? 0),
  );

export const stateWords: Readonly<Record<RowState, string>> = {
  worse: 'worse',
  failed: 'not measured',
  not_compared: 'not compared',
  undecided: 'undecided',
  better: 'better',
  no_difference: 'no difference',
  created: 'baseline created',
  measured: 'measured',
};

/** Describes the outcome: how many pages regressed, miss a budget, or could not be measured. */
export function sayVerdict({ rows, unused, isStrict }: Report): string {
  const count = (is: (row: Row) => boolean) => rows.filter(is).length;
  const worse = count(({ state }) => state === 'worse');
  const beyond = count(({ checks }) => checks.some(isMissed));
  const failed = count(({ state }) => state === 'failed');
  const open = count(({ state }) => state === 'undecided' || state === 'not_compared');
  const created = count(({ state }) => state === 'created');
  const unusedCount = unused.filter(isMissed).length;
  const faults = [
    [worse, 'got worse'],
    [beyond, 'missed a budget'],
    [failed, 'could not be measured'],
    [isStrict ? open : 0, 'undecided or not compared'],
  ] as const;
  const of = rows.length > 1 ? `of ${rows.length} results` : 'result';
  const parts = [
    ...faults
      .filter(([number]) => number > 0)
      .map(([number, what], at) => `${number} ${at === 0 ? `${of} ` : ''}${what}`),
    ...(unusedCount > 0 ? [`${counted(unusedCount, 'budget matches', 'budgets match')} no page`] : []),
  ];
  if (parts.length > 0) return `Failed: ${parts.join(', ')}.`;
  if (created > 0 && created === rows.length)
    return `Baseline created with ${counted(created, 'result')}. The next run is compared with it.`;
  if (rows.every(({ state }) => state === 'measured')) return `Measured ${counted(rows.length, 'result')}.`;
  const others = count(({ worse_scores: scores }) => scores !== undefined);
  const notes = [
    others > 0 ? `other scores of ${counted(others, 'result')} did` : '',
    created > 0 ? `${counted(created, 'baseline')} created` : '',
    open > 0 ? `${open} undecided or not compared` : '',
  ].filter(note => note !== '');
  const none = others > 0 ? 'the performance of no page' : 'nothing';
  return `Passed: ${none} got worse${notes.length > 0 ? ` (${notes.join(', ')})` : ''}.`;
}

/** Formats a file as `added /app.js: 0 B → 34 kB, 0 ms → 340 ms CPU`. */
export function sayFile({ kind, url, bytes, cpu_ms: cpu }: FileChange): string {
  const size = bytes.before === bytes.after ? '' : `${formatBytes(bytes.before)} → ${formatBytes(bytes.after)}`;
  const work =
    Math.round(cpu.before) === Math.round(cpu.after) ? '' : `${formatMs(cpu.before)} → ${formatMs(cpu.after)} CPU`;
  const facts = [size, work].filter(fact => fact !== '').join(', ');
  return `${fileChangeWords[kind]} ${url}${facts === '' ? '' : `: ${facts}`}`;
}
