/** A value that was measured; null or absent if the run has none. */
export type MeasuredValue = number | null | undefined;

export const isMeasured = (value: MeasuredValue): value is number =>
  typeof value === 'number' && Number.isFinite(value);

/** In ascending order, without what was not measured. */
export const toSorted = (values: readonly MeasuredValue[]): number[] => values.filter(isMeasured).sort((a, b) => a - b);

/** Of values in ascending order; not a number where there is none. */
export function medianOf(sorted: ArrayLike<number>, length = sorted.length): number {
  const middle = length >> 1;
  const high = sorted[middle] ?? Number.NaN;
  return length % 2 === 1 ? high : ((sorted[middle - 1] ?? Number.NaN) + high) / 2;
}

/** A difference of floating-point numbers without its noise; minus zero is zero. */
export const tidy = (value: number): number => Number(value.toFixed(6)) || 0;
