import { html, nothing, svg } from 'lit-html';
import type { Source } from '../../../presentation/answer.ts';
import {
  type PerformanceSplit,
  type Step,
  toWaterfall,
  type Waterfall,
} from '../../../presentation/charts/waterfall.ts';
import { withSign } from '../../../presentation/numbers.ts';
import type { SideNames } from '../../../presentation/side-names.ts';
import { light, sideClass } from '../marks.ts';

type Scores = { readonly performance?: { readonly psi: number | null; readonly lighthouse: number | null } };
type Compared = { readonly scores: Scores; readonly performance?: PerformanceSplit | null };

const percentOf = ({ low, high }: Waterfall, score: number): number => (100 * (score - low)) / (high - low);

const stepBar = (waterfall: Waterfall, { from, to, points }: Step) => {
  const [left, right] = [percentOf(waterfall, Math.min(from, to)), percentOf(waterfall, Math.max(from, to))];
  return html`<svg class="step-bar" aria-hidden="true">
    ${svg`<line class="posts" x1="${percentOf(waterfall, from)}%" x2="${percentOf(waterfall, from)}%" y1="0" y2="24" />
      <rect class=${points < 0 ? 'loss' : 'gain'} x="${left}%" width="${Math.max(0.6, right - left)}%" y="5" height="14" rx="2" />`}
  </svg>`;
};

/** A score at either end is a point, so it is a light and no bar: a bar would have to begin at zero. */
const end = (waterfall: Waterfall, source: Source, score: number, names: SideNames) => html`<tr class="end">
  <th scope="row">${light(source)}${names[source].short} score</th>
  <td><svg class="step-bar" aria-hidden="true">${svg`<circle class=${sideClass(source)} cx="${percentOf(waterfall, score)}%" cy="12" r="6" />`}</svg></td>
  <td class="number">${score}</td>
</tr>`;

/** From the remote score to the local one, metric by metric; nothing where the service did not split it. */
export function waterfallView({ scores, performance }: Compared, names: SideNames) {
  const { psi, lighthouse } = scores.performance ?? { psi: null, lighthouse: null };
  const waterfall = toWaterfall(performance, psi);
  if (!waterfall || psi === null || lighthouse === null) return nothing;
  return html`<section>
    <h3>Where the points went</h3>
    <table class="waterfall">
      <caption class="unseen">Points of the performance score by metric, from the score of ${names.psi.short} to the local one</caption>
      <thead class="unseen"><tr><th scope="col">Metric</th><th scope="col">Change</th><th scope="col">Points</th></tr></thead>
      <tbody>
        ${end(waterfall, 'psi', psi, names)}
        ${waterfall.steps.map(
          step => html`<tr>
            <th scope="row">${step.label}</th>
            <td>${stepBar(waterfall, step)}</td>
            <td class="number">${withSign(step.points, 1)}</td>
          </tr>`,
        )}
        ${end(waterfall, 'lighthouse', lighthouse, names)}
      </tbody>
    </table>
  </section>`;
}
