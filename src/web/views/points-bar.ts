/** Draws points of a score as a signed bar: by metric, cause, file or fix, all bars of a view on one scale. */
import { html, svg } from 'lit-html';

/** Ends of a scale, in points. */
export type Reach = { readonly low: number; readonly high: number };

/** Returns the scale of several bars that start at zero. */
export const reachOf = (points: readonly number[]): Reach => ({
  low: Math.min(0, ...points),
  high: Math.max(0, ...points),
});

/** Returns a position in percent of the scale. */
export const percentOf = (value: number, { low, high }: Reach): number => (100 * (value - low)) / (high - low || 1);

/** The number next to it contains the same, so the bar is hidden from screen readers. */
export function pointsBar(to: number, reach: Reach, from = 0) {
  const points = to - from;
  const [start, left, right] = [from, Math.min(from, to), Math.max(from, to)].map(value => percentOf(value, reach));
  return html`<svg class="points-bar" aria-hidden="true">
    ${svg`<rect class=${points < 0 ? 'loss' : 'gain'} x="${left}%" width="${Math.max(0.6, (right ?? 0) - (left ?? 0))}%" y="4" height="12" rx="2" /><line class="posts" x1="${start}%" x2="${start}%" y1="0" y2="20" />`}
  </svg>`;
}
