import { html, nothing } from 'lit-html';
import type { Result } from '../../../contract/result/result.ts';
import { toFrames } from '../../../presentation/charts/filmstrip.ts';
import { formatMs } from '../../../presentation/numbers.ts';

/**
 * How the page came into view, one picture large and all of them small; nothing where the analyser sent none. The choice
 * is one of radio buttons: arrow keys step through it, also in a file without scripts.
 */
export function filmstripView(result: Result) {
  const frames = toFrames(result);
  const last = frames.length - 1;
  const { source: side, strategy } = result;
  const name = `frame-${side}-${strategy}`;
  if (frames.length === 0) return nothing;
  return html`<fieldset class="filmstrip ${strategy}">
    <legend>How it came into view</legend>
    <div class="frames">
      ${frames.map(
        ({ atMs, source }, at) => html`<label>
            <input type="radio" class="unseen" name=${name} value=${at} ?checked=${at === last}>
            <img src=${source} alt="" width="120" height="213" decoding="async">
            <span class="small number"><span class="unseen">The page after </span>${formatMs(atMs)}</span>
          </label>
          <figure class="large"><img src=${source} alt="The page after ${formatMs(atMs)}" decoding="async"></figure>`,
      )}
    </div>
  </fieldset>`;
}
