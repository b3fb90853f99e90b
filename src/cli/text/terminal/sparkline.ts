const blocks = '▁▂▃▄▅▆▇█';
const middle = 3;

const toMean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Neighbours as one where there are more values than columns. */
function squeeze(values: readonly number[], columns: number): number[] {
  if (values.length <= columns) return [...values];
  return Array.from({ length: columns }, (_, at) => {
    const [from, to] = [at, at + 1].map(end => Math.floor((end * values.length) / columns));
    return toMean(values.slice(from, to));
  });
}

/** A series of values in one line: the lowest is the lowest block, whatever it is. */
export function toSparkline(values: readonly number[], columns: number): string {
  const shown = squeeze(values, columns);
  const low = Math.min(...shown);
  const range = Math.max(...shown) - low;
  const toBlock = (value: number): string =>
    blocks.charAt(range === 0 ? middle : Math.round(((value - low) / range) * (blocks.length - 1)));
  return shown.map(toBlock).join('');
}
