import { html, nothing } from 'lit-html';
import { trimKey } from '../../api-client/api-key.ts';

/** Reason for requesting the key again: the service refused it, or it is invalid. */
export type KeyFault = 'refused' | 'impossible';

const faultWords: Readonly<Record<KeyFault, readonly [heading: string, advice: string]>> = {
  refused: ['That key was not accepted.', 'Check it for typos.'],
  impossible: [
    'That cannot be a key.',
    'A key has only letters from A to Z, digits and punctuation: no spaces, no accents. Copy it again.',
  ],
};

const faultView = (fault: KeyFault) => {
  const [heading, advice] = faultWords[fault];
  return html`<p class="notice" id="key-fault"><strong>${heading}</strong> ${advice}</p>`;
};

/** Displays the form for the service's key. */
export function keyView(fault: KeyFault | undefined, onKey: (key: string) => void) {
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const key = new FormData(event.target as HTMLFormElement).get('key');
    if (typeof key === 'string') onKey(trimKey(key));
  };
  return html`<form class="sheet key-form" @submit=${submit}>
    <h2 tabindex="-1">This service requires a key</h2>
    ${fault ? faultView(fault) : nothing}
    <p id="key-hint" class="quiet">Its operator can give you one. This tab stores it until you close it.</p>
    <label for="key">Key</label>
    <div class="field">
      <input id="key" name="key" type="password" required autocomplete="off" spellcheck="false" aria-describedby=${fault ? 'key-fault key-hint' : 'key-hint'} aria-invalid=${fault ? 'true' : nothing}>
      <button class="main" type="submit">Go on</button>
    </div>
  </form>`;
}
