/**
 * Other intervals of the difference of two medians, for comparison with the one in use. Samples are sorted in ascending
 * order.
 */
import type { Interval } from '../../src/explain/statistics/interval.ts';
import { type Random, toRandom } from '../../src/explain/statistics/random.ts';
import { medianOf } from '../../src/presentation/values.ts';

type Sample = readonly number[];
export type ToInterval = (before: Sample, after: Sample, confidence: number) => Interval;

const draws = 400;
const drawMedian = (sample: Sample, random: Random): number =>
  medianOf([...Float64Array.from(sample, () => sample[Math.floor(random() * sample.length)] as number).sort()]);

const drawDifferences = (before: Sample, after: Sample): Float64Array => {
  const random = toRandom(before, after);
  return Float64Array.from({ length: draws }, () => drawMedian(after, random) - drawMedian(before, random)).sort();
};

const at = (sorted: Float64Array, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.max(0, Math.floor(share * sorted.length)))] as number;

const percentile: ToInterval = (before, after, confidence) => {
  const drawn = drawDifferences(before, after);
  return [at(drawn, (1 - confidence) / 2), at(drawn, (1 + confidence) / 2)];
};

/** Abramowitz and Stegun 26.2.23. */
function toQuantile(share: number): number {
  if (share > 0.5) return -toQuantile(1 - share);
  const t = Math.sqrt(-2 * Math.log(Math.max(share, 1e-12)));
  return -(t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))));
}

function toShare(z: number): number {
  if (z < 0) return 1 - toShare(-z);
  const t = 1 / (1 + 0.2316419 * z);
  const series = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return 1 - (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * series;
}

const leaveOneOut = (sample: Sample): number[] => sample.map((_, out) => medianOf(sample.filter((_, i) => i !== out)));

/** Bias-corrected and accelerated (BCa). The acceleration comes from leave-one-out medians. */
const bca: ToInterval = (before, after, confidence) => {
  const drawn = drawDifferences(before, after);
  const difference = medianOf(after) - medianOf(before);
  const below = drawn.reduce((sum, value) => sum + (value < difference ? 1 : value === difference ? 0.5 : 0), 0);
  const bias = toQuantile(Math.min(1 - 1 / draws, Math.max(1 / draws, below / draws)));
  const parts = [
    ...leaveOneOut(after).map(median => median - medianOf(before)),
    ...leaveOneOut(before).map(median => medianOf(after) - median),
  ];
  const mean = parts.reduce((sum, value) => sum + value, 0) / parts.length;
  const power = (exponent: number) => parts.reduce((sum, value) => sum + (mean - value) ** exponent, 0);
  const acceleration = power(2) === 0 ? 0 : power(3) / (6 * power(2) ** 1.5);
  const bound = (share: number) => {
    const z = bias + toQuantile(share);
    return at(drawn, toShare(bias + z / (1 - acceleration * z)));
  };
  return [bound((1 - confidence) / 2), bound((1 + confidence) / 2)];
};

/** Quantiles of Student's t for a 98 % interval, by degrees of freedom from 1. */
const studentAt98 = [
  31.82, 6.96, 4.54, 3.75, 3.36, 3.14, 3.0, 2.9, 2.82, 2.76, 2.72, 2.68, 2.65, 2.62, 2.6, 2.58, 2.57,
];

/** Welch's interval of the means: a studentised interval without resampling. */
const welch: ToInterval = (before, after) => {
  const moments = (sample: Sample) => {
    const mean = sample.reduce((sum, value) => sum + value, 0) / sample.length;
    const error = sample.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (sample.length - 1) / sample.length;
    return { mean, error, freedom: sample.length - 1 };
  };
  const [one, other] = [moments(before), moments(after)];
  const error = one.error + other.error;
  const freedom = error === 0 ? 1 : error ** 2 / (one.error ** 2 / one.freedom + other.error ** 2 / other.freedom);
  const reach = error === 0 ? 0 : (studentAt98[Math.min(17, Math.floor(freedom)) - 1] as number) * Math.sqrt(error);
  return [other.mean - one.mean - reach, other.mean - one.mean + reach];
};

export const otherIntervals: Readonly<Record<string, ToInterval>> = {
  'bootstrap, percentile': percentile,
  'bootstrap, BCa': bca,
  'Welch, of means': welch,
};
