/** A verdict in one or two sentences. */
import type { SetComparison } from '../change/compare-sets.ts';
import type { MeasureName } from '../change/smallest-effect.ts';
import type { ComparedSide, Difference } from '../contract/kept/change.ts';
import type { VersionEffect } from '../contract/kept/change-verdict.ts';
import { type Category, categoryNames, type MetricName } from '../contract/names.ts';
import { differenceWords } from '../presentation/change-words.ts';
import { metricWords } from '../presentation/metric-range.ts';
import { absent, counted, formatValue, joinWords, withSign } from '../presentation/numbers.ts';
import type { AgainOutcome } from './version-effect.ts';

const mostNamed = 2;

const isScore = (name: MeasureName): name is Category => (categoryNames as readonly string[]).includes(name);
const nameOf = (name: MeasureName): string => (isScore(name) ? `the ${name} score` : metricWords[name].label);

/** A difference with as many digits as matter. */
function saySigned(name: MeasureName, value: number): string {
  if (isScore(name)) return withSign(value, Number.isInteger(value) ? 0 : 1);
  const unit = metricWords[name as MetricName].unit;
  if (value === 0) return '0';
  return `${value > 0 ? '+' : '−'}${formatValue(Math.abs(value), unit)}`;
}

const sayValue = (name: MeasureName, value: number | null): string => {
  if (value === null) return absent;
  return isScore(name) ? String(value) : formatValue(value, metricWords[name as MetricName].unit);
};

const find = (compared: SetComparison, name: MeasureName) => ({ ...compared.scores, ...compared.metrics })[name];

/** `the performance score 92 → 81 (−11; between −14 and −8)` */
function sayMeasure(compared: SetComparison, name: MeasureName): string {
  const measure = find(compared, name);
  if (!measure || measure.difference === null) return nameOf(name);
  const { before, after, difference, interval } = measure;
  const between = interval ? `; between ${interval.map(end => saySigned(name, end)).join(' and ')}` : '';
  return `${nameOf(name)} ${sayValue(name, before)} → ${sayValue(name, after)} (${saySigned(name, difference)}${between})`;
}

const sayMeasures = (compared: SetComparison, names: readonly MeasureName[]): string => {
  const rest = names.length - mostNamed;
  const named = names.slice(0, mostNamed).map(name => sayMeasure(compared, name));
  return joinWords(rest > 0 ? [...named, `${rest} more`] : named);
};

const begin = (sentence: string): string => sentence.charAt(0).toUpperCase() + sentence.slice(1);

const sayBoth = ({ name, before, after }: Difference): string =>
  name === 'machine_id'
    ? differenceWords[name]
    : `${differenceWords[name]}: ${before.join(', ')} → ${after.join(', ')}`;

const sayMoreRuns = (moreRuns: number | null): string =>
  moreRuns === null
    ? 'More runs likely do not decide it.'
    : `${counted(moreRuns, 'more run')} of each side likely ${moreRuns === 1 ? 'decides' : 'decide'} it.`;

function sayUndecided(compared: SetComparison, runs: number): string {
  const { decided_by: names, more_runs } = compared.verdict;
  if (names.length === 0) return 'The two sides have no value in common.';
  const statuses = new Set(names.map(name => find(compared, name)?.status));
  if (statuses.has('better') && statuses.has('worse')) {
    const contradiction = `Some values got better and others worse: ${sayMeasures(compared, names)}.`;
    return more_runs === null ? contradiction : `${contradiction} ${sayMoreRuns(more_runs)}`;
  }
  if (runs === 1) return `One run of a side cannot tell a change from noise. ${sayMoreRuns(more_runs)}`;
  return `The runs spread too far to decide: ${sayMeasures(compared, names)}. ${sayMoreRuns(more_runs)}`;
}

/** What may be a part of a change beside the page. */
function sayPossible(differences: readonly Difference[]): string {
  const possible = differences
    .filter(({ effect }) => effect === 'possible_cause')
    .map(({ name }) => differenceWords[name]);
  return possible.length === 0
    ? ''
    : ` The ${joinWords(possible)} differ${possible.length === 1 ? 's' : ''} too, and may be a cause.`;
}

function sayNumbers(compared: SetComparison, runs: number): string {
  const { status, decided_by: names, against } = compared.verdict;
  if (status === 'undecided') return sayUndecided(compared, runs);
  if (status === 'no_difference') {
    const performance = find(compared, 'performance');
    const shown = performance ? `: ${sayMeasure(compared, 'performance')}` : '';
    return `Nothing differs by as much as matters${shown}.`;
  }
  const other = against.length > 0 ? ` Against it: ${sayMeasures(compared, against)}.` : '';
  return `The page got ${status}: ${sayMeasures(compared, names)}.${other}`;
}

/** A sentence behind the verdict, because disturbed runs are in its values; empty if all runs were quiet. */
export function explainDisturbed(before: ComparedSide, after: ComparedSide): string {
  const sides = [
    { name: 'before', ...before },
    { name: 'after', ...after },
  ].filter(({ disturbed }) => disturbed > 0);
  if (sides.length === 0) return '';
  const said = sides.map(({ name, runs, disturbed }) => `${disturbed} of ${counted(runs, 'run')} ${name}`);
  const isOne = sides.length === 1 && sides[0]?.disturbed === 1;
  return ` ${joinWords(said)} ${isOne ? 'was disturbed: measure it' : 'were disturbed: measure them'} again before you act on this.`;
}

/** Of the score where it is known, else of what Lighthouse calls the largest paint. */
const explainingNames = ['performance', 'largest_contentful_paint', 'total_blocking_time'] as const;

/** A sentence behind the others; empty where both sides have the same version. */
export function explainVersion(again: AgainOutcome | undefined, version: VersionEffect | null): string {
  if (!again) return '';
  if ('reason' in again) return ` How much the Lighthouse version makes of it is not known: ${again.reason}.`;
  if (!version) return '';
  const parts = { ...version.scores, ...version.metrics };
  const loads = `${counted(version.ids.length, 'load')} of the side ${version.side}`;
  const said = explainingNames.flatMap(name => {
    const part = parts[name];
    return part ? [`${saySigned(name, part.by_version)} of ${nameOf(name)}`] : [];
  });
  if (said.length === 0)
    return ` ${begin(loads)}, audited again with Lighthouse ${version.audited_with}, gave no value.`;
  return ` The Lighthouse version makes ${joinWords(said)}: ${loads}, audited again with Lighthouse ${version.audited_with}.`;
}

/** @param runs of the side with fewer */
export function explain(compared: SetComparison, differences: readonly Difference[], runs: number): string {
  const preventing = differences.filter(({ effect }) => effect === 'no_verdict');
  if (preventing.length > 0)
    return begin(
      `the two sides were not measured alike (${preventing.map(sayBoth).join('; ')}), so their difference says nothing about the page. Measure both alike.`,
    );
  const isChange = compared.verdict.status === 'better' || compared.verdict.status === 'worse';
  return `${sayNumbers(compared, runs)}${isChange ? sayPossible(differences) : ''}`;
}
