/** Explains a verdict in one or two sentences. */

import { categoryNames, type MetricName } from '../../contract/names.ts';
import type { Difference } from '../../contract/stored/change.ts';
import { differenceWords, isTelling, statusWords, verdictOpenings } from '../../presentation/change-words.ts';
import {
  absent,
  counted,
  formatDuration,
  formatMs,
  formatValue,
  joinWords,
  saySigned,
  startUpper,
} from '../../presentation/numbers.ts';
import { metricWords } from '../../presentation/words.ts';
import { fewestRanked } from '../statistics/compare-samples.ts';
import type { SetComparison } from '../statistics/compare-sets.ts';
import { isScore, type MeasureName } from '../statistics/smallest-effect.ts';
import { sayFiles, sayServer, toBound, toVarying } from './files-in-words.ts';
import type { FoundFileChange } from './shared-conditions/file-changes.ts';

const mostNamed = 2;

export const nameOf = (name: MeasureName): string => (isScore(name) ? `${name} score` : metricWords[name].label);

const unitOf = (name: MeasureName) => (isScore(name) ? 'point' : metricWords[name as MetricName].unit);

export const saySignedMeasure = (name: MeasureName, value: number): string => saySigned(value, unitOf(name));

const sayValue = (name: MeasureName, value: number | null): string => {
  if (value === null) return absent;
  return isScore(name) ? String(value) : formatValue(value, metricWords[name as MetricName].unit);
};

const find = (compared: SetComparison, name: MeasureName) => ({ ...compared.scores, ...compared.metrics })[name];

const sayValues = (compared: SetComparison, name: MeasureName): string => {
  const { before = null, after = null } = find(compared, name) ?? {};
  return `${sayValue(name, before)} → ${sayValue(name, after)}`;
};

/** Formats a measure as `performance score 92 → 81 (−11; between −14 and −8)`. */
function sayMeasure(compared: SetComparison, name: MeasureName): string {
  const measure = find(compared, name);
  if (!measure || measure.difference === null) return nameOf(name);
  const { before, after, difference, interval } = measure;
  const unit = unitOf(name);
  const ends =
    interval && isTelling(interval, { unit, before, after }) ? interval.map(end => saySigned(end, unit)) : [];
  // Loads under the same conditions barely vary: an interval with a single value adds nothing.
  const isOne = ends.every(end => end === saySignedMeasure(name, difference));
  const between = isOne ? '' : `; between ${ends.join(' and ')}`;
  return `${nameOf(name)} ${sayValues(compared, name)} (${saySignedMeasure(name, difference)}${between})`;
}

const sayMeasures = (compared: SetComparison, names: readonly MeasureName[]): string => {
  // One measure is named in as many words as it is counted.
  const shown = names.length === mostNamed + 1 ? names.length : mostNamed;
  const rest = names.length - shown;
  const named = names.slice(0, shown).map(name => sayMeasure(compared, name));
  return joinWords(rest > 0 ? [...named, `${rest} more`] : named);
};

const sayBoth = ({ name, before, after }: Difference): string =>
  name === 'machine_id'
    ? differenceWords[name]
    : `${differenceWords[name]}: ${before.join(', ')} → ${after.join(', ')}`;

const otherScores = categoryNames.filter(name => name !== 'performance');

/**
 * Adds the other scores that changed to an explanation. They do not decide the verdict, which separates a change of a
 * load from noise, but its reader must not take them for unchanged.
 */
export function nameOtherScores(explanation: string, measured: SetComparison): string {
  const said = (['worse', 'better'] as const).flatMap(status => {
    const names = otherScores.filter(name => measured.scores[name]?.status === status);
    return names.length === 0 ? [] : [` ${statusWords[status]}: ${sayMeasures(measured, names)}.`];
  });
  if (said.length === 0) return explanation;
  return `${explanation.replace(/^No meaningful difference/, '$& in performance')}${said.join('')}`;
}

/** Seconds between runs. */
type Pace = number;

export type Explained = {
  readonly compared: SetComparison;
  /** Number of runs of the smaller side. */
  readonly runs: number;
  /** Number of other results of the page that count as runs. */
  readonly history: number;
  readonly pace: Pace;
};

const mostRuns = 50;

/** Returns the widest interval of the undecided measures: half its width, in their unit. */
function findWidest({ compared }: Explained) {
  const widths = compared.verdict.decided_by.flatMap(name => {
    const { interval, min_effect: smallest } = find(compared, name) ?? {};
    return interval && smallest ? [{ name, smallest, half: (interval[1] - interval[0]) / 2 }] : [];
  });
  return widths.sort((one, other) => other.half / other.smallest - one.half / one.smallest)[0];
}

/** Returns, for example, `20 more runs of each side (about 7 min) would show a difference of 150 ms.` */
function sayMoreRuns(explained: Explained): string {
  const { runs } = explained;
  const more = toMore(explained);
  const widest = findWidest(explained);
  // The mean of n runs varies by 1/√n, and so does the width of an interval.
  const shown = widest && Math.max(widest.smallest, widest.half * Math.sqrt(runs / (runs + more)));
  const effect =
    widest && shown !== undefined ? `a difference of ${saySize(widest.name, shown)}` : 'whether it changed';
  return `${sayRuns(explained)} would show ${effect}.`;
}

const toMore = ({ compared, runs }: Explained): number => compared.verdict.more_runs ?? Math.max(1, mostRuns - runs);

/** Returns, for example, `20 more runs of each side (about 7 min)`. */
function sayRuns(explained: Explained): string {
  const more = toMore(explained);
  return `${counted(more, 'more run')} of each side (about ${sayTimeOf(2 * more * explained.pace)})`;
}

const sayTimeOf = (seconds: number): string =>
  formatDuration(seconds < 90 ? Math.max(10, seconds) : 60 * Math.round(seconds / 60));

/** Asks for what can be measured now: an older build may be gone. */
function sayCurrentRuns(explained: Explained): string {
  const more = toMore(explained);
  return `${counted(more, 'more run')} of the current build (about ${sayTimeOf(more * explained.pace)})`;
}

/** Formats a size without a sign, rounded like an estimate. */
function saySize(name: MeasureName, value: number): string {
  if (isScore(name)) return counted(Math.ceil(value), 'point');
  if (name === 'cumulative_layout_shift') return formatValue(value, 'unitless');
  return formatMs(value < 1000 ? Math.ceil(value / 10) * 10 : value);
}

/** Names the measures that only one side has, such as the largest contentful paint of a page that shows nothing. */
function sayOneSided({ onlyOn: { before, after } }: SetComparison): string {
  const sides = [
    { names: before, without: 'after' },
    { names: after, without: 'before' },
  ].filter(({ names }) => names.length > 0);
  const said = sides.map(({ names, without }) => `runs ${without} the change lack a ${joinWords(names.map(nameOf))}`);
  return `${verdictOpenings.undecided}${joinWords(said)}. Open a run of each side to see why.`;
}

function sayUndecided(explained: Explained): string {
  const { compared, runs } = explained;
  const { decided_by: names } = compared.verdict;
  if (names.length === 0)
    return 'The verdict needs a performance score or a metric that both sides have. Measure both with the category performance.';
  if (!names.some(name => find(compared, name))) return sayOneSided(compared);
  const statuses = new Set(names.map(name => find(compared, name)?.status));
  if (statuses.has('better') && statuses.has('worse'))
    return `${verdictOpenings.undecided}some values improved and others regressed (${sayMeasures(compared, names)}). ${sayRuns(explained)} would let the score decide.`;
  if (runs < fewestRanked && explained.history > 0)
    return `${verdictOpenings.undecided}${sayMeasures(compared, names)}. ${sayCurrentRuns(explained)} would show whether that stays.`;
  if (runs === 1)
    return `${verdictOpenings.undecided}one run cannot separate a change from noise. ${sayCurrentRuns(explained)} would show its usual spread.`;
  const widest = findWidest(explained)?.name ?? names[0];
  const open = widest ? [widest, ...names.filter(name => name !== widest)] : names;
  return `${verdictOpenings.undecided}${sayMeasures(compared, open)}. ${sayMoreRuns(explained)}`;
}

/** Lists differences other than the page that may explain part of a change. */
function sayPossible(differences: readonly Difference[]): string {
  const possible = differences
    .filter(({ effect }) => effect === 'possible_cause')
    .map(({ name }) => differenceWords[name]);
  return possible.length === 0
    ? ''
    : ` The ${joinWords(possible)} also differ${possible.length === 1 ? 's' : ''} and may be a cause.`;
}

/** Describes measures that the bound does not include. */
function sayVarying(compared: SetComparison): string {
  const names = toVarying(compared);
  if (names.length === 0) return '';
  return ` ${startUpper(sayMeasures(compared, names))} ${names.length === 1 ? 'varies' : 'vary'} too much to decide.`;
}

/** Returns, for example, `any difference is below 80 ms and 2 points`. */
function sayBound(compared: SetComparison): string {
  const { points, ms } = toBound(compared);
  const bounds = [
    ...(ms === null ? [] : [saySize('largest_contentful_paint', Math.max(1, ms))]),
    ...(points === null ? [] : [counted(Math.max(1, points), 'point')]),
  ];
  return bounds.length === 0 ? '' : `: any difference is below ${joinWords(bounds)}`;
}

function sayNumbers(explained: Explained): string {
  const { compared } = explained;
  const { status, decided_by: names, against } = compared.verdict;
  if (status === 'undecided') return sayUndecided(explained);
  if (status === 'no_difference') {
    const other =
      against.length > 0 ? ` ${startUpper(sayMeasures(compared, against))}, but the score is the same.` : '';
    return `No meaningful difference${sayBound(compared)}.${sayVarying(compared)}${other}`;
  }
  const other = against.length > 0 ? ` In the other direction: ${sayMeasures(compared, against)}.` : '';
  const isByHistory = names.every(name => find(compared, name)?.by === 'earlier_runs') && explained.history > 0;
  const basis = isByHistory
    ? ` Very likely, by the usual spread of ${counted(explained.history, 'other result')}.`
    : '';
  return `${verdictOpenings[status]}${sayMeasures(compared, names)}.${other}${basis}`;
}

const isChange = (status: string): boolean => status === 'better' || status === 'worse';

const cannotCompare = (preventing: readonly Difference[]): string => {
  const said = preventing.map(sayBoth).join('; ');
  const has = (wanted: Difference['name']) => preventing.some(({ name }) => name === wanted);
  if (has('conditions'))
    return `The two sides were not measured under the same conditions (${said}), so they cannot be compared.`;
  const advice = preventing.every(({ name }) => name === 'benchmark_index')
    ? 'Measure both again on an idle machine.'
    : 'Measure both with the same settings.';
  return `The two sides cannot be compared (${said}). ${has('url') ? 'Choose results of one page.' : advice}`;
};

const findPreventing = (differences: readonly Difference[]) =>
  differences.filter(({ effect }) => effect === 'no_verdict');

/** Explains a comparison of measured values. @param files changed files, largest effect first */
export function explain(
  explained: Explained,
  differences: readonly Difference[],
  files: readonly FoundFileChange[] = [],
): string {
  const preventing = findPreventing(differences);
  if (preventing.length > 0) return cannotCompare(preventing);
  const { status } = explained.compared.verdict;
  const changed = status === 'no_difference' ? undefined : sayFiles(files);
  return `${sayNumbers(explained)}${changed ? ` Changed files: ${changed}.` : ''}${isChange(status) ? sayPossible(differences) : ''}`;
}

/** Opens the sentence with measured values, next to a verdict from loads simulated under the same conditions. */
export const measuredOpening = ' Measured: ';

/** Returns, for example, `Measured: performance score 96 → 83 (−13; between −16 and −4).`; nothing if that was said. */
function sayMeasured(measured: SetComparison, names: readonly MeasureName[], compared: SetComparison): string {
  const first = names.filter(name => find(measured, name)).slice(0, 1);
  const isSaid = first.every(name => sayValues(measured, name) === sayValues(compared, name));
  return isSaid ? '' : `${measuredOpening}${sayMeasures(measured, first)}.`;
}

/** Describes differences that are clear, but too small to count if no changed file explains them, whatever the runs. */
function sayWithoutCause(compared: SetComparison, files: readonly FoundFileChange[]): string | undefined {
  const shifted = compared.verdict.decided_by.filter(name => compared.tooSmall.includes(name));
  return shifted.length === 0
    ? undefined
    : `${verdictOpenings.undecided}${sayMeasures(compared, shifted)}. ${files.length === 0 ? 'No file of the page changed' : 'No changed file explains it'}, so a difference this small may come from other work on the machine. Measure the current build again while it is idle.`;
}

/**
 * Differences that a simulation under the same conditions does not remove. The speed of the machine is one if the loads
 * share too little work to compare their processors: the caller leaves it out otherwise.
 */
const unequalised: ReadonlySet<Difference['name']> = new Set(['browser_version', 'machine_id', 'benchmark_index']);

/** Share of a difference beyond which its files leave no room for another cause. */
const wholeShare = 0.8;

/** Names other possible causes, unless the changed files explain the score: the simulation added them to the same load. */
function sayOthers(
  differences: readonly Difference[],
  files: readonly FoundFileChange[],
  { scores }: SetComparison,
): string {
  const difference = scores.performance?.difference ?? 0;
  const points = files.reduce((sum, { effect }) => sum + (effect?.points ?? 0), 0);
  if (difference !== 0 && points / difference >= wholeShare) return '';
  return sayPossible(differences.filter(({ name }) => unequalised.has(name)));
}

/**
 * Explains a comparison of loads that were simulated under the same conditions, starting with changes in the files of
 * the page.
 * @param measured the measured values
 */
export function explainAlike(
  explained: Explained,
  {
    measured,
    files,
    differences,
  }: { measured: SetComparison; files: readonly FoundFileChange[]; differences: readonly Difference[] },
): string {
  const preventing = findPreventing(differences);
  if (preventing.length > 0) return cannotCompare(preventing);
  const { compared } = explained;
  const { status, decided_by: names } = compared.verdict;
  const server = sayServer(compared.metrics.server_response_time, status);
  const causes = [sayFiles(files, status), server].filter(cause => cause !== undefined);
  const said = joinWords(causes);
  // The case of a file name is preserved.
  const cause = causes.length === 0 ? undefined : said.replace(/^the /, 'The ');
  if (isChange(status)) {
    // The sentence about the server already contains its value.
    const besideServer = server ? names.filter(name => name !== 'server_response_time') : names;
    const shown = besideServer.length > 0 ? besideServer : names;
    const said = { ...explained, compared: { ...compared, verdict: { ...compared.verdict, decided_by: shown } } };
    return `${cause ? `${cause}. ` : ''}${sayNumbers(said)}${sayMeasured(measured, shown, compared)}${sayOthers(differences, files, compared)}`;
  }
  const withoutCause = status === 'undecided' ? sayWithoutCause(compared, files) : undefined;
  return `${withoutCause ?? sayNumbers(explained)}${cause ? ` ${cause}${status === 'no_difference' ? ', without a meaningful effect' : ''}.` : ''}`;
}
