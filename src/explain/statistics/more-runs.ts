import { type Random, toRandom } from './random.ts';
import { type Allowance, toAllowance } from './rank-test.ts';

/** Max number of additional runs to recommend; beyond it, the verdict likely stays undecided. */
const mostRuns = 50;
/** Number of simulated repeats, of which four in five must decide. */
const repeats = 60;
const mostOpen = repeats / 5;
/** Min number of values that show their variation. With fewer, only the number of runs that ranks need is returned. */
const fewestToImagine = 3;
const rounding = 1e-9;

type Question = { readonly smallest: number; readonly confidence: number };

/** Values, and how often each was drawn. */
type Drawn = { readonly values: readonly number[]; readonly counts: readonly number[] };

function draw(values: readonly number[], size: number, random: Random): Drawn {
  const counts = new Array<number>(values.length).fill(0);
  for (let run = 0; run < size; run += 1) {
    const at = Math.floor(random() * values.length);
    counts[at] = (counts[at] as number) + 1;
  }
  return { values, counts };
}

/** Returns the median of drawn values; of two middle values, the lower one. */
function toMedian({ values, counts }: Drawn, size: number): number {
  let left = Math.ceil(size / 2);
  const at = counts.findIndex(count => {
    left -= count;
    return left <= 0;
  });
  return values[at] as number;
}

function countDrawnPairs(before: Drawn, after: Drawn, limit: number): number {
  let [pairs, reached, within] = [0, 0, 0];
  before.values.forEach((value, at) => {
    while (reached < after.values.length && (after.values[reached] as number) - value <= limit) {
      within += after.counts[reached] as number;
      reached += 1;
    }
    pairs += (before.counts[at] as number) * within;
  });
  return pairs;
}

/** The interval excludes zero with an effect that matters, or contains only effects that do not. */
function isDecided(before: Drawn, after: Drawn, runs: number, { pairs, smallest }: Allowance & { smallest: number }) {
  const upTo = (limit: number) => countDrawnPairs(before, after, limit);
  const difference = toMedian(after, runs) - toMedian(before, runs);
  const all = runs * runs;
  if (Math.abs(difference) >= smallest - rounding)
    return difference > 0 ? upTo(rounding) <= pairs : all - upTo(-rounding) <= pairs;
  return upTo(-smallest + rounding) <= pairs && all - upTo(smallest - rounding) <= pairs;
}

/** Returns the min runs for a confidence by ranks: of each side, or next to `others` of the other side. */
export function toFewestRuns(confidence: number, others?: number): number {
  let runs = 2;
  while (runs < mostRuns && toAllowance(runs, others ?? runs, confidence).pairs < 0) runs += 1;
  return runs;
}

/** Estimates how many more runs of each side would likely decide, by drawing from the existing values. */
export function toMoreRuns(
  before: readonly number[],
  after: readonly number[],
  { smallest, confidence }: Question,
): number | null {
  const done = Math.min(before.length, after.length);
  const fewest = toFewestRuns(confidence);
  if (done < fewestToImagine) return Math.max(1, fewest - done);
  const random = toRandom(before, after);
  const isLikely = (runs: number): boolean => {
    const allowance = toAllowance(runs, runs, confidence);
    if (allowance.pairs < 0) return false;
    let open = 0;
    for (let repeat = 0; repeat < repeats && open <= mostOpen; repeat += 1)
      if (!isDecided(draw(before, runs, random), draw(after, runs, random), runs, { ...allowance, smallest }))
        open += 1;
    return open <= mostOpen;
  };
  let [low, high] = [Math.max(done, fewest - 1), mostRuns];
  if (low >= high || !isLikely(high)) return null;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (isLikely(middle)) high = middle;
    else low = middle;
  }
  return high - done;
}
