import { html, nothing, svg } from 'lit-html';
import { formatMs } from '../../../presentation/numbers.ts';
import { type Lcp, type PhaseTime, phaseWords } from '../../../presentation/whole/lcp.ts';
import { elementPicture } from '../element-picture-view.ts';

const percent = (share: number): string => `${Math.round(100 * share)}\u00a0%`;

const phaseBar = (phases: readonly PhaseTime[]) => {
  let from = 0;
  return html`<svg class="phase-bar" aria-hidden="true">
    ${phases.map(({ phase, share }) => {
      const x = from;
      from += share * 100;
      return svg`<rect class="phase" data-phase=${phase} x="${x}%" width="${share * 100}%" height="100%" />`;
    })}
  </svg>`;
};

const phaseRow = ({ phase, durationMs, share }: PhaseTime) => html`<tr>
  <th scope="row"><i class="phase-key" data-phase=${phase}></i>${phaseWords[phase][0]} <span class="quiet small">${phaseWords[phase][1]}</span></th>
  <td class="number">${formatMs(durationMs)}</td>
  <td class="number">${percent(share)}</td>
</tr>`;

/** The element of the largest paint, and the time until it in its phases. @param note how the times were measured */
export const lcpView = ({ label, selector, snippet, picture, phases }: Lcp, note: string) => html`<section class="lcp">
  <h4>Largest Contentful Paint</h4>
  <div class="lcp-parts">
    ${picture ? elementPicture(picture, `The element${label ? `: ${label}` : ''}`) : nothing}
    <div class="lcp-words">
      ${label && label !== selector ? html`<p><strong>${label}</strong></p>` : nothing}
      ${snippet || selector ? html`<p><code>${snippet || selector}</code></p>` : html`<p class="quiet">Lighthouse does not name the element.</p>`}
      ${snippet && selector ? html`<p class="small quiet"><code>${selector}</code></p>` : nothing}
    </div>
  </div>
  ${
    phases.length > 0
      ? html`${phaseBar(phases)}
        <table class="phases">
          <caption class="unseen">What the time until the largest paint was spent on</caption>
          <thead class="unseen"><tr><th scope="col">Phase</th><th scope="col">Time</th><th scope="col">Share</th></tr></thead>
          <tbody>${phases.map(phaseRow)}</tbody>
        </table>
        <p class="small quiet">${note}</p>`
      : nothing
  }
</section>`;
