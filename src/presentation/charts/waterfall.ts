/** Steps from one performance score to the other by metric, as the service computed them. */
import { isMetricName, metricWords } from '../words.ts';

type ShownSplit = {
  readonly difference?: number | null;
  readonly rounding?: number | null;
  readonly metrics?: Readonly<Record<string, { readonly points?: number | null } | undefined>>;
};

/** Min size of a displayed step, in points. */
const smallest = 0.05;

const labelOf = (metric: string): string => (isMetricName(metric) ? metricWords[metric].label : metric);

export type Waterfall = NonNullable<ReturnType<typeof toWaterfall>>;

/** Returns the steps, the largest first and rounding last; undefined if the service returned no points. */
export function toWaterfall(split: ShownSplit | null | undefined, start: number | null | undefined) {
  if (!split?.metrics || typeof start !== 'number') return undefined;
  const given = Object.entries(split.metrics)
    .flatMap(([name, entry]) =>
      typeof entry?.points === 'number' ? [{ label: labelOf(name), points: entry.points }] : [],
    )
    .filter(({ points }) => Math.abs(points) >= smallest)
    .toSorted((a, b) => Math.abs(b.points) - Math.abs(a.points));
  if (given.length === 0) return undefined;
  const rounding = split.rounding ?? 0;
  const parts = Math.abs(rounding) >= smallest ? [...given, { label: 'Rounding', points: rounding }] : given;
  let reached = start;
  const steps = parts.map(part => {
    const from = reached;
    reached += part.points;
    return { ...part, from, to: reached };
  });
  // The lower end of the displayed part of 0 to 100 makes small steps visible.
  const ends = [start, ...steps.map(({ to }) => to)];
  return { steps, low: Math.max(0, Math.min(...ends) - 3), high: Math.min(100, Math.max(...ends) + 3) };
}
