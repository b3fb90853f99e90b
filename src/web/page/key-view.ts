import { html, nothing } from 'lit-html';
import { trimKey } from '../api-key.ts';

/** Why the key that was given is asked for again: the service did not accept it, or it cannot be one. */
export type KeyFault = 'refused' | 'impossible';

const faultWords: Readonly<Record<KeyFault, readonly [heading: string, advice: string]>> = {
  refused: ['That key was not accepted.', 'Check it for a typing error.'],
  impossible: [
    'That cannot be a key.',
    'A key has only letters from A to Z, digits, and the signs of a plain keyboard: no spaces, no accents. Copy it again.',
  ],
};

const faultView = (fault: KeyFault) => {
  const [heading, advice] = faultWords[fault];
  return html`<p class="notice" id="key-fault"><strong>${heading}</strong> ${advice}</p>`;
};

/** Asks for the service's key. */
export function keyView(fault: KeyFault | undefined, onKey: (key: string) => void) {
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const key = new FormData(event.target as HTMLFormElement).get('key');
    if (typeof key === 'string') onKey(trimKey(key));
  };
  return html`<form class="sheet key-form" @submit=${submit}>
    <h2 tabindex="-1">This service asks for a key</h2>
    ${fault ? faultView(fault) : nothing}
    <p id="key-hint" class="quiet">Whoever runs it has one for you. It is kept in this tab only, until you close it.</p>
    <label for="key">Key</label>
    <div class="field">
      <input id="key" name="key" type="password" required autocomplete="off" spellcheck="false" aria-describedby=${fault ? 'key-fault key-hint' : 'key-hint'} aria-invalid=${fault ? 'true' : nothing}>
      <button class="main" type="submit">Go on</button>
    </div>
  </form>`;
}
