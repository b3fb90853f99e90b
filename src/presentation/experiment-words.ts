/** Describes an experiment in sentences: the verdict on each variant with its interval. */
import type { ExperimentAnswer } from '../contract/experiments/answer.ts';
import { statusWords } from './change-words.ts';
import { nameOfMetric, sayHistoryValue } from './charts/history-chart.ts';
import { counted } from './numbers.ts';

type Variant = ExperimentAnswer['variants'][number];
type Metric = ExperimentAnswer['metric'];

const sayAmount = (value: number, metric: Metric): string => {
  const isScore = metric === 'performance';
  const shown = sayHistoryValue(Math.abs(value), isScore ? 'point' : 'millisecond');
  return isScore ? `${shown} ${shown === '1' ? 'point' : 'points'}` : shown;
};

const sayEnd = (value: number, metric: Metric): string =>
  value === 0 ? 'no difference' : `${sayAmount(value, metric)} ${value < 0 ? 'lower' : 'higher'}`;

/** `1.0 s to 1.2 s lower`, or `between 120 ms lower and 80 ms higher` around zero. */
function sayInterval({ low, high }: NonNullable<Variant['interval']>, metric: Metric): string {
  if (low < 0 && high > 0) return `between ${sayEnd(low, metric)} and ${sayEnd(high, metric)}`;
  const [near, far] = [low, high].toSorted((a, b) => Math.abs(a) - Math.abs(b)) as [number, number];
  return sayAmount(near, metric) === sayAmount(far, metric)
    ? sayEnd(far, metric)
    : `${sayAmount(near, metric)} to ${sayEnd(far, metric)}`;
}

/** `Better: Largest Contentful Paint is 1.0 s to 1.2 s lower than on the page (99 % interval, 9 pairs).` */
export function sayVariant({ status, interval, judged_pairs: pairs }: Variant, metric: Metric): string {
  if (!interval) return `${statusWords[status]}: too few pairs of loads were measured (${pairs}).`;
  const percent = Math.floor(1000 * interval.confidence) / 10;
  const between = sayInterval(interval, metric);
  const difference = `${nameOfMetric(metric)} is ${between} than on the page`;
  return `${statusWords[status]}: ${difference} (${percent} % interval, ${counted(pairs, 'pair')}).`;
}

/** Undefined without a prediction. */
export const sayPrediction = ({ prediction }: Variant, metric: Metric): string | undefined =>
  prediction.difference === null ? undefined : `Predicted: ${sayEnd(prediction.difference, metric)}.`;

/** Explains why no variant has a verdict; undefined if the two base arms agreed. */
export const sayControl = ({ control }: ExperimentAnswer): string | undefined =>
  control.differs
    ? 'The page differed from itself, so the machine or the page changed meanwhile and nothing is claimed. Run the experiment again.'
    : undefined;
