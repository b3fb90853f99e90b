/** Describes the variation of a score or metric: over the runs of this result, or over earlier results of its page. */
import { type Category, categoryNames, type MetricName } from '../contract/names.ts';
import type { Result } from '../contract/result/result.ts';
import type { Spread } from '../contract/result/runs.ts';
import { counted, formatValue } from './numbers.ts';

type Ranged = Pick<Result, 'runs' | 'spread' | 'metrics' | 'scores'>;

/** Returns the range of a value; undefined for one run without earlier results. */
export const spreadOf = (
  { runs, spread }: Pick<Result, 'runs' | 'spread'>,
  name: Category | MetricName,
): Spread | undefined => {
  const own = runs?.scores[name] ?? runs?.metrics[name];
  return own ?? spread?.scores[name] ?? spread?.metrics[name];
};

/** Formats a range: `84–90`, `1.1–1.4 s`; undefined if unknown. */
export function sayRange(result: Ranged, name: Category | MetricName): string | undefined {
  const spread = spreadOf(result, name);
  if (!spread) return undefined;
  const unit = Object.hasOwn(result.metrics, name) ? result.metrics[name as MetricName].unit : undefined;
  const say = (value: number) => (unit === undefined ? String(Math.round(value)) : formatValue(value, unit));
  return spread.min === spread.max ? say(spread.min) : `${say(spread.min)}–${say(spread.max)}`;
}

/** Returns the number of runs that the ranges of times describe. */
const countedRuns = ({ completed, counted: undisturbed }: NonNullable<Result['runs']>): number =>
  undisturbed ?? completed;

/** Returns `5`, or `3 undisturbed of 5` if other work disturbed some runs but not all. */
export const ofRuns = (runs: NonNullable<Result['runs']>): string =>
  countedRuns(runs) === runs.completed ? `${runs.completed}` : `${countedRuns(runs)} undisturbed of ${runs.completed}`;

/** Returns the source of a result's ranges as a column heading: `5 runs`; undefined if it has none. */
export function sayRangeOf({ runs, spread }: Ranged): string | undefined {
  if (runs && Object.keys({ ...runs.scores, ...runs.metrics }).length > 0) return counted(countedRuns(runs), 'run');
  return spread && `${spread.results} results before`;
}

const chosenWords = {
  median_run: 'nearest to the medians',
  only_run: 'the only one',
  first_run: 'the first',
} as const;

/** Max number of runs to recommend. Beyond it, `auto` is better, because it ends as soon as the range is narrow. */
const mostAsked = 5;

const firstScored = ({ scores }: Ranged): Category | undefined =>
  categoryNames.find(name => typeof scores[name] === 'number');

const nameOf: Readonly<Record<Category, string>> = {
  performance: 'performance',
  accessibility: 'accessibility',
  'best-practices': 'best practices',
  seo: 'SEO',
};

/** Explains why a run needed more than one load. */
const sayRepeats = (runs: NonNullable<Result['runs']>): string => {
  const { requested: asked, repeated = 0 } = runs;
  if (repeated === 0) return '';
  if (asked > 1)
    return ` ${counted(repeated, 'load')} ${repeated === 1 ? 'was' : 'were'} disturbed by other work and repeated alone.`;
  return `Other work disturbed the first load, so the page was measured ${repeated === 1 ? 'again' : 'twice more'}, alone; the least disturbed load is shown.`;
};

/** Returns the scores of the runs and the interval of their median, after a colon; empty without a score. */
function sayScores(result: Ranged, { scores, score_interval: interval }: NonNullable<Result['runs']>): string {
  const name = firstScored(result);
  const spread = name && scores[name];
  if (!spread) return '';
  if (spread.min === spread.max) return `: ${nameOf[name]} ${spread.median} each`;
  const between = interval
    ? `; the median of all loads lies between ${interval.low} and ${interval.high} (${Math.floor(100 * interval.confidence)} %)`
    : '';
  return `: ${nameOf[name]} ${spread.min} to ${spread.max}, median ${spread.median}${between}`;
}

function sayDisturbed(completed: number, disturbed: number): string {
  if (completed === 1) return 'It was disturbed.';
  if (completed === disturbed) return 'All of them were disturbed.';
  return `${disturbed} of them ${disturbed === 1 ? 'was' : 'were'} disturbed.`;
}

function sayRuns(result: Ranged, runs: NonNullable<Result['runs']>): string {
  if (runs.requested === 1) return sayRepeats(runs);
  const { requested: asked, completed, selected: chosen, selected_by: by, disturbed = 0 } = runs;
  const missing = asked > completed && asked <= mostAsked ? ` of ${asked}` : '';
  const quiet = runs.counted === undefined ? '' : `, ${runs.counted} of them undisturbed`;
  const all = disturbed === 0 || quiet !== '' ? '' : ` ${sayDisturbed(completed, disturbed)}`;
  const shown = completed === 1 ? '' : ` Run ${chosen} is shown, ${chosenWords[by]}.`;
  return `${completed}${missing} ${completed === 1 && missing === '' ? 'run' : 'runs'}${quiet}${sayScores(result, runs)}.${shown}${all}${sayRepeats(runs)}`;
}

function sayUsual(result: Ranged, spread: NonNullable<Result['spread']>): string | undefined {
  const name = firstScored(result);
  const usual = name && spread.scores[name];
  const score = name && result.scores[name];
  if (!usual || typeof score !== 'number') return undefined;
  const range = usual.min === usual.max ? `${usual.min}` : `${usual.min} to ${usual.max}`;
  const outside = score < usual.min || score > usual.max ? ` This result, ${score}, is outside that range.` : '';
  return `The ${nameOf[name]} score of this page is usually ${range} (${spread.results} results before).${outside}`;
}

/** Describes the uncertainty of a result in one or two sentences; undefined if unknown. */
export function sayUncertainty(result: Ranged): string | undefined {
  const { runs, spread } = result;
  if (runs && (runs.completed > 1 || !spread)) return sayRuns(result, runs);
  if (!spread) return undefined;
  return [runs && sayRuns(result, runs), sayUsual(result, spread)].filter(Boolean).join(' ') || undefined;
}

const oneRun = 'one run';

/**
 * Describes the uncertainty of a score in one line: `median of 5, 60 to 61`, `median of 3 undisturbed of 5, 60 to 61`,
 * the usual range of the page, or `one run`.
 */
export function sayCertainty({ runs, spread, scores }: Ranged): string {
  const name = categoryNames.find(category => typeof scores[category] === 'number');
  const say = ({ min, max }: Spread) => (min === max ? `always ${min}` : `${min} to ${max}`);
  const own = name && runs?.scores[name];
  if (runs && runs.completed > 1) {
    if (own) return `median of ${ofRuns(runs)}, ${say(own)}`;
    if (countedRuns(runs) === 1) return `${ofRuns(runs)} runs`;
  }
  const usual = name && spread?.scores[name];
  if (usual && spread) return `one run, usually ${say(usual)}`;
  return oneRun;
}

/** The same line for rows of a table; undefined for one run of a page without earlier results. */
export const sayRepeatedCertainty = (result: Ranged): string | undefined => {
  const said = sayCertainty(result);
  return said === oneRun ? undefined : said;
};
