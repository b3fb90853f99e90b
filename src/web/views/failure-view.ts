import { html, nothing } from 'lit-html';
import { type FailureReason, toWords } from '../../presentation/errors-in-words.ts';
import type { SideNames } from '../../presentation/side-names.ts';

/**
 * Displays a failure: what happened, which part is at fault, and what to do; `retry` is called by the button, if a
 * retry makes sense.
 */
export function failureView(failure: FailureReason, names: SideNames, retry?: () => void) {
  const { heading, whose, what, advice, code, canRetry } = toWords(failure, names);
  return html`<div class="failure stack">
    <p class="whose small">At fault: ${whose}</p>
    <h3>${heading}</h3>
    ${what.map(sentence => html`<p>${sentence}</p>`)}
    <p><strong>What to do:</strong> ${advice}</p>
    <p class="small quiet">Code <code>${code}</code></p>
    ${retry && canRetry ? html`<button type="button" @click=${retry}>Measure again</button>` : nothing}
  </div>`;
}
