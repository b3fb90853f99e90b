/** Sets metrics as Lighthouse reports them: a value and the score of its curve, in every place where they occur. */
import { getLogNormalScore } from 'lighthouse/shared/statistics.js';
import { auditOf, type Draft, type Metric, score } from '../pure-plants.ts';
import { setObserved } from '../second-set/drafts.ts';

export type Values = Partial<Record<'fcp' | 'lcp' | 'tbt' | 'cls' | 'si', number>>;
type Seen = { paint: number; largest?: number };

const metrics = {
  fcp: { id: 'first-contentful-paint', field: 'firstContentfulPaint', phone: [1800, 3000] },
  lcp: { id: 'largest-contentful-paint', field: 'largestContentfulPaint', phone: [2500, 4000] },
  tbt: { id: 'total-blocking-time', field: 'totalBlockingTime', phone: [200, 600] },
  cls: { id: 'cumulative-layout-shift', field: 'cumulativeLayoutShift', phone: [0.1, 0.25] },
  si: { id: 'speed-index', field: 'speedIndex', phone: [3387, 5800] },
} as const satisfies Record<keyof Values, { id: Metric; field: string; phone: readonly [number, number] }>;

const each = (values: Values) =>
  Object.entries(values).map(([name, value]) => ({ ...metrics[name as keyof Values], value }));

/** Scores that these values have on a phone. */
export const scoresOf = (values: Values): Partial<Record<Metric, number>> =>
  Object.fromEntries(
    each(values).map(({ id, phone: [p10, median], value }) => [
      id,
      Math.round(100 * getLogNormalScore({ median, p10 }, value)) / 100,
    ]),
  );

/** Simulated values of a phone, and what the browser saw where that is another thing. */
export function measure(draft: Draft, values: Values, seen?: Seen): void {
  for (const { id, field, value } of each(values)) {
    auditOf(draft, id).numericValue = value;
    Object.assign(auditOf(draft, 'metrics').details.items[0] ?? {}, { [field]: value });
  }
  score(draft, scoresOf(values));
  if (seen) setObserved(draft, seen.paint, seen.largest ?? seen.paint);
}

/** Blocking time of so many tasks of scripts, in ms before the multiplier. */
export const blockingOf = (times: readonly number[], multiplier = 1.2): number =>
  times.reduce((sum, ms) => sum + Math.max(0, multiplier * ms - 50), 0);
