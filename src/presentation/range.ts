/** Describes the variation of a score or metric: over the runs of this result, or over earlier results of its page. */

import { type Category, categoryNames, type MetricName } from '../contract/names.ts';
import type { Result } from '../contract/result/result.ts';
import type { Spread } from '../contract/result/runs.ts';
import { counted, formatValue } from './numbers.ts';
import { pageScoreOf } from './undisturbed.ts';
import { categoryInSentence } from './words.ts';

type Ranged = Pick<Result, 'runs' | 'spread' | 'metrics' | 'scores' | 'disturbance'>;

/** Returns the range of a value; undefined for one run without earlier results. */
export const spreadOf = (
  { runs, spread }: Pick<Result, 'runs' | 'spread'>,
  name: Category | MetricName,
): Spread | undefined => {
  const own = runs?.scores[name] ?? runs?.metrics[name];
  return own ?? spread?.scores[name] ?? spread?.metrics[name];
};

/** Returns `was ` for a value outside the range of earlier results, so that it is not taken for the range of the value. */
export const sayWas = (value: number, { min, max }: Pick<Spread, 'min' | 'max'>): string =>
  value < min || value > max ? 'was ' : '';

/** Formats a range: `84–90`, `1.1–1.4 s`; undefined if unknown. */
export function sayRange(result: Ranged, name: Category | MetricName): string | undefined {
  const spread = spreadOf(result, name);
  if (!spread) return undefined;
  const unit = Object.hasOwn(result.metrics, name) ? result.metrics[name as MetricName].unit : undefined;
  const say = (value: number) => (unit === undefined ? String(Math.round(value)) : formatValue(value, unit));
  const [least, most] = [say(spread.min), say(spread.max)];
  return least === most ? least : `${least}–${most}`;
}

const countedRuns = ({ completed, counted: undisturbed }: NonNullable<Result['runs']>): number =>
  undisturbed ?? completed;

/** Returns `median run of 5`, `median run of 3 undisturbed of 5`, `run 1 of 5`, or `one run`. */
export function sayShownRun({ runs }: Pick<Result, 'runs'>): string {
  if (!runs || runs.requested === 1) return 'one run';
  const { requested, completed, selected, selected_by: by } = runs;
  if (completed === 1) return `one run of ${requested}`;
  const undisturbed = countedRuns(runs);
  if (by !== 'median_run') return `run ${selected} of ${completed}`;
  return `median run of ${undisturbed === completed ? completed : `${undisturbed} undisturbed of ${completed}`}`;
}

/** Returns the source of the ranges of timed values: `5 runs`, `12 results before`; undefined without ranges. */
export function sayRangeOf({ runs, spread }: Ranged): string | undefined {
  if (spread) return `${spread.results} results before`;
  const hasRange = runs && Object.keys({ ...runs.scores, ...runs.metrics }).length > 0;
  return hasRange ? counted(countedRuns(runs), 'run') : undefined;
}

/** Returns the source of the ranges, or `range` for several: a disturbance affects only timed values. */
export const toRangeHead = (result: Ranged): string | undefined =>
  result.runs?.counted === undefined ? sayRangeOf(result) : 'range';

const chosenWords = {
  median_run: 'nearest to the medians',
  only_run: 'the only one',
  first_run: 'the first',
} as const;

/** Max number of runs to recommend. Beyond it, `auto` is better, because it ends as soon as the range is narrow. */
const mostAsked = 5;

const firstScored = ({ scores }: Ranged): Category | undefined =>
  categoryNames.find(name => typeof scores[name] === 'number');

const sayRepeats = (runs: NonNullable<Result['runs']>): string => {
  const { requested: asked, repeated = 0 } = runs;
  if (repeated === 0) return '';
  if (asked > 1)
    return ` ${counted(repeated, 'load')} ${repeated === 1 ? 'was' : 'were'} disturbed and repeated alone.`;
  return `The first load was disturbed, so the page was measured ${repeated === 1 ? 'again' : 'twice more'}, alone; the least disturbed load is shown.`;
};

/** Returns the scores of the runs and the interval of their median, after a colon; empty without a score. */
function sayScores(result: Ranged, { scores, score_interval: interval }: NonNullable<Result['runs']>): string {
  const name = firstScored(result);
  const spread = name && scores[name];
  if (!spread) return '';
  if (spread.min === spread.max) return `: ${categoryInSentence(name)} ${spread.median} each`;
  const between = interval
    ? `; the median of all loads lies between ${interval.low} and ${interval.high} (${Math.floor(100 * interval.confidence)} %)`
    : '';
  return `: ${categoryInSentence(name)} ${spread.min} to ${spread.max}, median ${spread.median}${between}`;
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

/** So few results, such as those since a change, do not show what is usual. */
const isFew = ({ results }: NonNullable<Result['spread']>): boolean => results < 5;

/** Points by which two results of one page usually differ: so much beyond a range is no news. */
const usualPoints = 2;

function sayUsual(result: Ranged, spread: NonNullable<Result['spread']>): string | undefined {
  const name = firstScored(result);
  const usual = name && spread.scores[name];
  if (!usual) return undefined;
  const score = pageScoreOf(result, name) ?? usual.median;
  const range = usual.min === usual.max ? `${usual.min}` : `${usual.min} to ${usual.max}`;
  const isOutside = score < usual.min - usualPoints || score > usual.max + usualPoints;
  const outside = isOutside ? ` This result, ${score}, is outside that range.` : '';
  const said = isFew(spread)
    ? `was ${range} in the ${spread.results} results before`
    : `is usually ${range} (${spread.results} results before)`;
  return `The ${categoryInSentence(name)} score of this page ${said}.${outside}`;
}

/** Describes the uncertainty of a result in one or two sentences; undefined if unknown. */
export function sayUncertainty(result: Ranged): string | undefined {
  const { runs, spread } = result;
  return [runs && sayRuns(result, runs), spread && sayUsual(result, spread)].filter(Boolean).join(' ') || undefined;
}

/** Returns `median run of 5, 60 to 61`, `one run, usually 58 to 64`, or `one run`. */
export function sayCertainty(result: Ranged): string {
  const { runs, spread, scores } = result;
  const name = categoryNames.find(category => typeof scores[category] === 'number');
  const say = ({ min, max }: Spread, always = '') => (min === max ? `${always}${min}` : `${min} to ${max}`);
  const own = name && runs?.scores[name];
  const usual = name && spread?.scores[name];
  const shown = sayShownRun(result);
  if (own) return `${shown}, ${say(own, 'always ')}`;
  if (!usual || !spread) return shown;
  return isFew(spread) ? `${shown}, ${say(usual)} in the ${spread.results} before` : `${shown}, usually ${say(usual)}`;
}

/** The same line for rows of a table; undefined for one run of a page without earlier results. */
export function sayRepeatedCertainty(result: Ranged): string | undefined {
  const said = sayCertainty(result);
  return said === 'one run' ? undefined : said;
}
