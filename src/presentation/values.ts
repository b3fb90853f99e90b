/** A measured value; null or absent if the run has none. */
export type MeasuredValue = number | null | undefined;

export const isMeasured = (value: MeasuredValue): value is number =>
  typeof value === 'number' && Number.isFinite(value);

export const toSorted = (values: readonly MeasuredValue[]): number[] => values.filter(isMeasured).sort((a, b) => a - b);

/** Returns the median of sorted values; NaN if there are none. */
export function medianOf(sorted: ArrayLike<number>, length = sorted.length): number {
  const middle = length >> 1;
  const high = sorted[middle] ?? Number.NaN;
  return length % 2 === 1 ? high : ((sorted[middle - 1] ?? Number.NaN) + high) / 2;
}

/* Medians that are one of the values: of two middle ones, the lower or the upper. Undefined without values. */

export const lowerMedianOf = (values: readonly MeasuredValue[]): number | undefined => {
  const sorted = toSorted(values);
  return sorted[(sorted.length - 1) >> 1];
};

export const upperMedianOf = (values: readonly MeasuredValue[]): number | undefined => {
  const sorted = toSorted(values);
  return sorted[sorted.length >> 1];
};

/** Removes the noise of floating-point subtraction; minus zero becomes zero. */
export const tidy = (value: number, decimals = 6): number => Number(value.toFixed(decimals)) || 0;
