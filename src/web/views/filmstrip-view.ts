import { html, nothing } from 'lit-html';
import type { Result } from '../../contract/result.ts';
import { toFrames } from '../../presentation/filmstrip.ts';
import { formatMs } from '../../presentation/numbers.ts';

/** How the page came into view; nothing where the analyser sent no pictures. */
export function filmstripView(result: Result) {
  const frames = toFrames(result);
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
