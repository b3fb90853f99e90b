/** Small parts that all views share: marks of ratings and sides, bars of points, tables, search fields. */

import { html, nothing, svg } from 'lit-html';
import type { Source } from '../../contract/errors.ts';
import type { Rating } from '../../contract/result/thresholds.ts';
import { readMarkdown } from '../../presentation/markdown.ts';
import { absent } from '../../presentation/numbers.ts';
import type { ResultRow } from '../../presentation/result-rows.ts';
import { type SideNames, sideOf } from '../../presentation/side-names.ts';
import { ratingWords } from '../../presentation/words.ts';

/** Renders Lighthouse's Markdown as elements: text, code, and links without a referrer. */
export const richText = (markdown: string) =>
  readMarkdown(markdown).map(piece => {
    if (piece.kind === 'code') return html`<code>${piece.text}</code>`;
    if (piece.kind === 'link')
      return html`<a href=${piece.href} target="_blank" rel="noopener noreferrer">${piece.text}</a>`;
    return piece.text;
  });

const shapes = {
  good: svg`<circle cx="6" cy="6" r="5.5" />`,
  'needs-improvement': svg`<rect x="1" y="1" width="10" height="10" />`,
  poor: svg`<path d="M6 .5 11.8 11.5 H.2 Z" />`,
} as const;

/** Draws a circle, square or triangle, which repeats the meaning of the colour. */
export const ratingMark = (rating: Rating) =>
  html`<svg class="mark" viewBox="0 0 12 12" aria-hidden="true">${shapes[rating]}</svg>`;

export const disturbedMark = html` <span class="disturbed small">disturbed</span>`;

/**
 * Displays a value with its rating: colour and shape for the eye, a word for screen readers.
 * @param isDisturbed whether to mark it as the value of a disturbed load
 */
export const ratedValue = (text: string, rating: Rating | null | undefined, isDisturbed = false) => {
  const mark = isDisturbed ? disturbedMark : nothing;
  return rating
    ? html`<span class="rated ${rating}">${ratingMark(rating)}${text}<span class="unseen">, ${ratingWords[rating]}</span>${mark}</span>`
    : html`<span class="rated">${text}${mark}</span>`;
};

/** Displays a value of a result; of one that was not measured, a dash. */
export const rowValue = ({ text, rating, isMarked }: ResultRow) => ratedValue(text ?? absent, rating, isMarked);

export const light = (source: Source) => html`<i class="light ${sideOf(source)}"></i>`;

/** Draws the mark alone, with the side's name for screen readers. */
export const sideLight = (source: Source, names: SideNames) =>
  html`${light(source)}<span class="unseen">${names[source].short}: </span>`;

export const sideName = (source: Source, names: SideNames) =>
  html`<span class="side">${light(source)}${names[source].short}</span>`;

const clock =
  'document' in globalThis
    ? new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
    : new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'long', timeZone: 'UTC' });

/** Formats a time in the user's time zone; in a file, whose reader is unknown, in UTC with its name. */
export const sayTime = (iso: string): string => clock.format(new Date(iso));

const shortClock = new Intl.DateTimeFormat(undefined, {
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
});

/** Formats a time of the last months. */
export const sayShortTime = (iso: string): string => shortClock.format(new Date(iso));

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

/** Displays a name, and values at the end of their columns. */
export const valuesRow = (name: unknown, values: readonly unknown[], kind?: 'url') =>
  html`<tr><th scope="row" class=${kind ?? nothing}>${name}</th>${values.map(value => html`<td class="number">${value}</td>`)}</tr>`;

/**
 * Displays a table with its natural width: narrow windows scroll it, and the keyboard can scroll it too.
 * @param height `tall`: a long table scrolls in its own area
 */
export const detailsTable = (name: string, heads: readonly string[], rows: unknown, height: 'tall' | '' = '') =>
  html`<div class="scroll ${height}" role="group" aria-label=${name} tabindex="0">
    <table class="details">
      <thead><tr>${heads.map((head, at) => html`<th scope="col" class=${at > 0 ? 'number' : nothing}>${head}</th>`)}</tr></thead>
      <tbody>${rows}</tbody>
    </table>
  </div>`;

export const percent = (share: number): string => `${Math.round(100 * share)}\u00a0%`;

/** Returns the place of each share in a bar of segments. */
export const segments = (shares: readonly number[]): { readonly x: string; readonly width: string }[] => {
  let from = 0;
  return shares.map(share => {
    const x = from;
    from += share * 100;
    return { x: `${x}%`, width: `${share * 100}%` };
  });
};

/** Displays a search field. @param search called with every text */
export const searchField = (label: string, value: string, search: (text: string) => void, hint = 'Search URLs') =>
  html`<label><span class="unseen">${label}</span>
    <input type="search" placeholder=${hint} autocomplete="off" spellcheck="false" .value=${value} @input=${(event: { target: unknown }) => search((event.target as { value: string }).value)}></label>`;
