/** Small marks of ratings and sides, distinguished by colour and shape. */

import { html, svg } from 'lit-html';
import type { Source } from '../../contract/errors.ts';
import type { Rating } from '../../contract/result/thresholds.ts';
import { readMarkdown } from '../../presentation/markdown.ts';
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

/** Displays a value with its rating: colour and shape for the eye, a word for screen readers. */
export const ratedValue = (text: string, rating: Rating | null | undefined) =>
  rating
    ? html`<span class="rated ${rating}">${ratingMark(rating)}${text}<span class="unseen">, ${ratingWords[rating]}</span></span>`
    : html`<span class="rated">${text}</span>`;

export const disturbedMark = html` <span class="disturbed small">disturbed</span>`;

/** Displays a value without a rating, because its load was disturbed. */
export const deniedValue = (text: string) => html`<span class="rated">${text}${disturbedMark}</span>`;

export const light = (source: Source) => html`<i class="light ${sideOf(source)}"></i>`;

/** Draws the mark alone, with the side's name for screen readers. */
export const sideLight = (source: Source, names: SideNames) =>
  html`${light(source)}<span class="unseen">${names[source].short}: </span>`;

export const sideName = (source: Source, names: SideNames) =>
  html`<span class="side">${light(source)}${names[source].short}</span>`;
