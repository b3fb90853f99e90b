import { html, nothing } from 'lit-html';

/** Asks for the service's key. @param wasRefused whether one was given already */
export function keyView(wasRefused: boolean, onKey: (key: string) => void) {
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const key = new FormData(event.target as HTMLFormElement).get('key');
    if (typeof key === 'string' && key.trim() !== '') onKey(key.trim());
  };
  return html`<form class="sheet key-form" @submit=${submit}>
    <h2 tabindex="-1">This service asks for a key</h2>
    ${wasRefused ? html`<p class="notice" id="key-refused"><strong>That key was not accepted.</strong> Check it for a typing error.</p>` : nothing}
    <p id="key-hint" class="quiet">Whoever runs it has one for you. It is kept in this tab only, until you close it.</p>
    <label for="key">Key</label>
    <div class="field">
      <input id="key" name="key" type="password" required autocomplete="off" spellcheck="false" aria-describedby="key-hint" aria-invalid=${wasRefused ? 'true' : nothing}>
      <button class="main" type="submit">Go on</button>
    </div>
  </form>`;
}
