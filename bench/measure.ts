/**
 * Medians with their spread, and paired measurements. Pairs are measured alternately, because the machine is shared and
 * noisy.
 */

export type Spread = { median: number; min: number; max: number; values: number[] };

export function toSpread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
  const round = (value: number) => Number(value.toPrecision(4));
  return { median: round(at(0.5)), min: round(at(0)), max: round(at(1)), values: values.map(round) };
}

export const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(share * values.length))] ?? Number.NaN;

/** Formats times in milliseconds. */
export const sayTimes = (taken: readonly number[]): string =>
  `p50 ${percentile(taken, 0.5).toFixed(1)}, p99 ${percentile(taken, 0.99).toFixed(1)}, max ${Math.max(...taken).toFixed(1)}`;

export type Paired = { ours: Spread; theirs: Spread; ratio: Spread };

/** Measures both alternately. The order changes with every pair, so that drift affects both equally. */
export async function measurePairs(
  pairs: number,
  ours: () => Promise<number>,
  theirs: () => Promise<number>,
  onPair: (pair: number, ours: number, theirs: number) => void,
): Promise<Paired> {
  const measured: { ours: number; theirs: number }[] = [];
  for (let pair = 0; pair < pairs; pair += 1) {
    const first = pair % 2 === 0 ? { ours: await ours(), theirs: await theirs() } : undefined;
    const both = first ?? { theirs: await theirs(), ours: await ours() };
    measured.push(both);
    onPair(pair + 1, both.ours, both.theirs);
  }
  return {
    ours: toSpread(measured.map(pair => pair.ours)),
    theirs: toSpread(measured.map(pair => pair.theirs)),
    ratio: toSpread(measured.map(pair => pair.ours / pair.theirs)),
  };
}

export async function timeMs(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}
