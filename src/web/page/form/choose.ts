import { html } from 'lit-html';

/** Displays a labelled select element in a form. @param choices value and words of each */
export const choose = (
  name: string,
  label: string,
  choices: readonly (readonly [string, string, string?])[],
  chosen: string,
) =>
  html`<label><span class="quiet small">${label}</span><select name=${name}>${choices.map(([value, words]) => html`<option value=${value} ?selected=${value === chosen}>${words}</option>`)}</select></label>`;

export const devices = Object.entries({ mobile: 'Mobile', desktop: 'Desktop' });
