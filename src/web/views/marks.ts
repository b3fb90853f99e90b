/** The small signs that stand for a rating and for a side, in colour and in form. */
import { html, svg } from 'lit-html';
import type { Analyser } from '../../report/report.ts';
import type { Rating } from '../../report/thresholds.ts';
import type { Source } from '../answer.ts';
import { ratingWords } from '../metric-range.ts';

const shapes = {
  good: svg`<circle cx="6" cy="6" r="5.5" />`,
  'needs-improvement': svg`<rect x="1" y="1" width="10" height="10" />`,
  poor: svg`<path d="M6 .5 11.8 11.5 H.2 Z" />`,
} as const;

/** Circle, square or triangle: says the same as the colour. */
export const ratingMark = (rating: Rating) =>
  html`<svg class="mark" viewBox="0 0 12 12" aria-hidden="true">${shapes[rating]}</svg>`;

/** A value with its rating: colour and shape for the eye, a word for the ear. */
export const ratedValue = (text: string, rating: Rating | null | undefined) =>
  rating
    ? html`<span class="rated ${rating}">${ratingMark(rating)}${text}<span class="unseen">, ${ratingWords[rating]}</span></span>`
    : html`<span class="rated">${text}</span>`;

export const sideNames: Readonly<Record<Source, string>> = { psi: 'Remote', lighthouse: 'Local' };

export const sideClass = (source: Source): string => (source === 'psi' ? 'remote' : 'local');

export const light = (source: Source) => html`<i class="light ${sideClass(source)}"></i>`;

/** The light alone, with the side's name for who does not see it. */
export const sideLight = (source: Source) => html`${light(source)}<span class="unseen">${sideNames[source]}: </span>`;

export const sideName = (source: Source) => html`<span class="side">${light(source)}${sideNames[source]}</span>`;

/** Who measured, in words that pretend nothing. */
export function sayAnalyser({ kind, host }: Analyser): string {
  switch (kind) {
    case 'google':
      return "Google's PageSpeed Insights";
    case 'embedded':
      return 'PageSpeed Insights presets, on this machine';
    case 'custom':
      return `the PageSpeed Insights server at ${host ?? 'another address'}`;
    case 'local':
      return 'Lighthouse on this machine';
  }
}
