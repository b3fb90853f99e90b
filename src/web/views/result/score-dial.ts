import { html, nothing, svg } from 'lit-html';
import type { Source } from '../../../presentation/answer.ts';
import { rateScore, ratingWords } from '../../../presentation/metric-range.ts';
import { absent } from '../../../presentation/numbers.ts';
import { light, ratingMark } from '../marks.ts';

const radius = 29;
const circumference = 2 * Math.PI * radius;

const toArc = (score: number) => svg`<circle class="arc" cx="36" cy="36" r=${radius} transform="rotate(-90 36 36)"
  stroke-dasharray="${((circumference * score) / 100).toFixed(2)} ${circumference.toFixed(2)}" />`;

export type DialNote = {
  /** How far the score varies, as `84–90`. */
  readonly range?: string | undefined;
  /** `disturbed, 87 without`: the score is not the page's, so it has no rating. */
  readonly mark?: string | undefined;
};

const sayScore = (score: number | null, mark: string | undefined): string => {
  if (score === null) return 'no score: Lighthouse could not give one';
  return `${score} of 100, ${mark ?? ratingWords[rateScore(score)]}`;
};

/** A score from 0 to 100 as a dial; a dash with its reason where there is none. `source` for the dial of one side. */
export function scoreDial(label: string, score: number | null, source?: Source, { range, mark }: DialNote = {}) {
  const rating = score === null || mark !== undefined ? undefined : rateScore(score);
  const said = [sayScore(score, mark), ...(range === undefined ? [] : [`range ${range}`])].join(', ');
  const below = score === null ? 'no score' : [mark, range].filter(text => text !== undefined).join('; ');
  return html`<figure class="dial ${rating ?? ''}" data-denied=${mark === undefined ? 'false' : 'true'}>
    <svg viewBox="0 0 72 72" role="img" aria-label="${label}: ${said}">
      <circle class="ring" cx="36" cy="36" r=${radius} />
      ${score === null ? nothing : toArc(score)}
      <text x="36" y="44" text-anchor="middle">${score ?? absent}</text>
    </svg>
    <figcaption aria-hidden="true">${rating ? ratingMark(rating) : nothing}<span>${source ? light(source) : nothing}${label}${below === '' ? nothing : html`<br><span class="quiet">${below}</span>`}</span></figcaption>
  </figure>`;
}
