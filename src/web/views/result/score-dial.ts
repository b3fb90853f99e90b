import { html, nothing, svg } from 'lit-html';
import type { Source } from '../../../presentation/answer.ts';
import { rateScore, ratingWords } from '../../../presentation/metric-range.ts';
import { absent } from '../../../presentation/numbers.ts';
import { light, ratingMark } from '../marks.ts';

const radius = 29;
const circumference = 2 * Math.PI * radius;

const toArc = (score: number) => svg`<circle class="arc" cx="36" cy="36" r=${radius} transform="rotate(-90 36 36)"
  stroke-dasharray="${((circumference * score) / 100).toFixed(2)} ${circumference.toFixed(2)}" />`;

/** A score from 0 to 100 as a dial; a dash with its reason where there is none. `source` for the dial of one side. */
export function scoreDial(label: string, score: number | null, source?: Source) {
  const rating = score === null ? undefined : rateScore(score);
  const said = rating ? `${score} of 100, ${ratingWords[rating]}` : 'no score: Lighthouse could not give one';
  return html`<figure class="dial ${rating ?? ''}">
    <svg viewBox="0 0 72 72" role="img" aria-label="${label}: ${said}">
      <circle class="ring" cx="36" cy="36" r=${radius} />
      ${score === null ? nothing : toArc(score)}
      <text x="36" y="44" text-anchor="middle">${score ?? absent}</text>
    </svg>
    <figcaption aria-hidden="true">${rating ? ratingMark(rating) : nothing}<span>${source ? light(source) : nothing}${label}${score === null ? html`<br><span class="quiet">no score</span>` : nothing}</span></figcaption>
  </figure>`;
}
