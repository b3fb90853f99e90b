import { html, nothing } from 'lit-html';
import type { Report } from '../../report/report.ts';
import { toFrames } from '../filmstrip.ts';
import { formatMs } from '../numbers.ts';

/** How the page came into view; nothing where the analyser gave no pictures. */
export function filmstripView(report: Report) {
  const frames = toFrames(report);
  if (frames.length === 0) return nothing;
  return html`<section class="filmstrip">
    <h3>How it came into view</h3>
    <ol class="plain frames">
      ${frames.map(
        ({ atMs, source }) =>
          html`<li><img src=${source} alt="The page after ${formatMs(atMs)}" width="120" height="213" loading="lazy" decoding="async"><span class="small number">${formatMs(atMs)}</span></li>`,
      )}
    </ol>
  </section>`;
}
