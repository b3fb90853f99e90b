import { html, nothing } from 'lit-html';
import { toWords } from '../errors-in-words.ts';
import type { Trouble } from '../trouble.ts';

/** What went wrong, whose fault it is, and what to do now; `retry` for the button where trying again makes sense. */
export function troubleView(trouble: Trouble, retry?: () => void) {
  const { heading, whose, what, advice, code, canRetry } = toWords(trouble);
  return html`<div class="trouble">
    <p class="whose small">At fault: ${whose}</p>
    <h3>${heading}</h3>
    ${what.map(sentence => html`<p>${sentence}</p>`)}
    <p><strong>What to do:</strong> ${advice}</p>
    <p class="small quiet">Code <code>${code}</code></p>
    ${retry && canRetry ? html`<button type="button" @click=${retry}>Measure again</button>` : nothing}
  </div>`;
}
