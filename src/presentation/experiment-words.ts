/** Describes an experiment in sentences: the changes of each variant, and the verdict on it with its interval. */
import type { ExperimentAnswer } from '../contract/experiments/answer.ts';
import type { RecipeName } from '../contract/experiments/names.ts';
import { type IntervalPlot, statusWords, toIntervalPlot, toPlaces } from './change-words.ts';
import { counted, formatBytes, saySigned } from './numbers.ts';
import { nameOfMetric, sayHistoryValue } from './words.ts';

export type AnsweredVariant = ExperimentAnswer['variants'][number];
type ExperimentMetric = ExperimentAnswer['metric'];

const sayAmount = (value: number, metric: ExperimentMetric): string => {
  const isScore = metric === 'performance';
  const shown = sayHistoryValue(Math.abs(value), isScore ? 'point' : 'millisecond');
  return isScore ? `${shown} ${shown === '1' ? 'point' : 'points'}` : shown;
};

/** Returns zero for a value that is displayed as zero, such as 0.2 ms. */
const toShown = (value: number, metric: ExperimentMetric): number =>
  sayAmount(value, metric) === sayAmount(0, metric) ? 0 : value;

const sayEnd = (value: number, metric: ExperimentMetric): string =>
  `${sayAmount(value, metric)} ${value < 0 ? 'lower' : 'higher'}`;

/** Returns `1.0 s to 1.2 s lower than`, `between 120 ms lower and 80 ms higher than`, or `the same as`. */
function sayInterval(interval: NonNullable<AnsweredVariant['interval']>, metric: ExperimentMetric): string {
  const [low, high] = [toShown(interval.low, metric), toShown(interval.high, metric)];
  if (low === 0 && high === 0) return 'the same as';
  if (low < 0 && high > 0) return `between ${sayEnd(low, metric)} and ${sayEnd(high, metric)} than`;
  const [near, far] = [low, high].toSorted((a, b) => Math.abs(a) - Math.abs(b)) as [number, number];
  return sayAmount(near, metric) === sayAmount(far, metric)
    ? `${sayEnd(far, metric)} than`
    : `${sayAmount(near, metric)} to ${sayEnd(far, metric)} than`;
}

/** Returns `Largest Contentful Paint is 1.0 s to 1.2 s lower than on the page (99 % interval, 9 pairs).` */
export function sayDifference({ interval, judged_pairs: pairs }: AnsweredVariant, metric: ExperimentMetric): string {
  if (!interval) return `Too few pairs of loads were measured (${pairs}).`;
  const percent = Math.floor(1000 * interval.confidence) / 10;
  const between = sayInterval(interval, metric);
  const difference = `${nameOfMetric(metric)} is ${between} on the page`;
  return `${difference} (${percent} % interval, ${counted(pairs, 'pair')}).`;
}

/** Returns the verdict in one line: `Better: Largest Contentful Paint is 1.0 s lower …`. */
export const sayVariant = (variant: AnsweredVariant, metric: ExperimentMetric): string =>
  `${statusWords[variant.status]}: ${sayDifference(variant, metric)}`;

export function sayPrediction(
  { prediction: { difference } }: AnsweredVariant,
  metric: ExperimentMetric,
): string | undefined {
  if (difference === null) return undefined;
  return `Predicted: ${toShown(difference, metric) === 0 ? 'no difference' : sayEnd(difference, metric)}.`;
}

/** Describes disturbed loads, of a variant or of the page; undefined if there are none. */
export function sayDisturbed(count: number, side: 'variant' | 'page'): string | undefined {
  if (count === 0) return undefined;
  const loads = side === 'variant' ? `${count} of its loads` : `${counted(count, 'load')} of the page`;
  const [were, they] = count === 1 ? ['was', 'it'] : ['were', 'they'];
  return `${loads} ${were} disturbed: ${they} waited for a CPU, or painted late.`;
}

/** Explains why no variant has a verdict; undefined if the two base arms agreed. */
export const sayControl = ({ control }: ExperimentAnswer): string | undefined =>
  control.differs
    ? 'The page differed from itself, so there is no verdict: the machine or the page changed in the meantime, or it was chance. Run the experiment again.'
    : undefined;

export const isLive = ({ state }: { readonly state: string }): boolean => state === 'queued' || state === 'running';

/** Describes the progress: `12 of 27 to 54 loads are measured, 1 of them failed.` */
export function sayLoads({ plan: { loads }, progress }: ExperimentAnswer): string {
  const most = loads.most > loads.first ? `${loads.first} to ${loads.most}` : `${loads.first}`;
  const failed = progress.failed > 0 ? `, ${progress.failed} of them failed` : '';
  return `${progress.loads} of ${most} loads are measured${failed}.`;
}

/** Returns, for example, `4 of 6 loads failed. The first one: The page responded with status 401.` */
export const sayFailed = ({ progress: { loads, failed, failure } }: ExperimentAnswer): string | undefined =>
  failed === 0
    ? undefined
    : `${failed} of ${counted(loads, 'load')} failed.${failure ? ` The first one: ${failure}` : ''}`;

/** Words for each recipe as a change, with and without its `url`. */
export const recipeWords: Readonly<Record<RecipeName, string>> = {
  defer: 'Defer scripts',
  async: 'Load scripts asynchronously',
  preload: 'Preload',
  'lazy-loading': 'Load images lazily',
  'eager-loading': 'Load images eagerly',
  'fetch-priority': 'Set the fetch priority',
  'font-display': 'Set font-display',
  'single-point-of-failure': 'Leave requests unanswered',
  'find-and-replace': 'Replace text in the document',
};

const sayValue = (value: string | null): string => (value === null ? '' : ` (${value})`);

/** Returns the changes of a variant, one each: `Block ads.example.net/*`. */
export function sayChanges(
  { url, strategy, block, replace, headers, recipes, throttling }: AnsweredVariant,
  base: Pick<ExperimentAnswer, 'url' | 'strategy'>,
): string[] {
  return [
    ...(url === base.url ? [] : [`Another page: ${url}`]),
    ...(strategy === base.strategy ? [] : [`Device: ${strategy}`]),
    ...block.map(pattern => `Block ${pattern}`),
    ...replace.map(({ url: replaced, with: other, body }) =>
      other === null
        ? `Replace ${replaced} with a text of ${formatBytes(body?.bytes ?? 0)}`
        : `Replace ${replaced} with ${other}`,
    ),
    ...headers.map(name => `Send the header ${name}`),
    ...recipes.map(recipe => {
      const target = recipe.url === null ? '' : `: ${recipe.url}`;
      return `${recipeWords[recipe.name]}${target}${sayValue(recipe.value)}`;
    }),
    ...(throttling
      ? [
          `Throttle to ${throttling.rtt_ms} ms, ${throttling.throughput_kbps} kbit/s and ${throttling.cpu_slowdown_multiplier}× CPU slowdown`,
        ]
      : []),
  ];
}

/** Every pair of a variant as a point, with the interval and the band in which no difference matters. */
export type PairsPlot = IntervalPlot & { readonly points: readonly number[] };

const toDifferences = ({ pairs }: Pick<AnsweredVariant, 'pairs'>): number[] =>
  pairs.map(({ base, variant }) => variant - base);

/** Returns the common axis of all variants: positions in percent, with zero in the middle. */
export const toAxis = (variants: readonly AnsweredVariant[]): ((value: number) => number) =>
  toPlaces(
    variants.flatMap(variant => [
      ...toDifferences(variant),
      ...[variant.interval?.low, variant.interval?.high, variant.difference, variant.min_effect].map(
        value => value ?? 0,
      ),
    ]),
  );

/** Returns the plot of a variant on an axis; undefined before there is an interval. */
export function toPairsPlot(variant: AnsweredVariant, place: (value: number) => number): PairsPlot | undefined {
  const plot = toIntervalPlot(variant, place);
  return plot && { ...plot, points: toDifferences(variant).map(place) };
}

const unitOf = (metric: ExperimentMetric) => (metric === 'performance' ? 'point' : 'millisecond');

/** Returns the pairs of a variant as rows: number, base, variant, and the difference with its sign. */
export const toPairRows = ({ pairs }: Pick<AnsweredVariant, 'pairs'>, metric: ExperimentMetric): string[][] =>
  pairs.map(({ block, base, variant }) => [
    `${block + 1}`,
    sayHistoryValue(base, unitOf(metric)),
    sayHistoryValue(variant, unitOf(metric)),
    saySigned(variant - base, unitOf(metric)),
  ]);

/** Returns the measures that do not affect the verdict as rows: name, difference, interval. */
export const toOtherRows = ({ other_measures: others }: AnsweredVariant): string[][] =>
  others.map(({ name, difference, interval: { low, high } }) => [
    nameOfMetric(name),
    saySigned(difference, unitOf(name)),
    `${saySigned(low, unitOf(name))} to ${saySigned(high, unitOf(name))}`,
  ]);
