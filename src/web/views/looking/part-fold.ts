/** A fold of what only the whole result knows: loaded when it is first opened. */
import { html, nothing } from 'lit-html';
import type { SideNames } from '../../../presentation/side-names.ts';
import { failureView } from '../failure-view.ts';
import type { Looking, LookPart } from './look.ts';

export const waitingView = ({ look, load }: Looking, names: SideNames) =>
  look.state === 'failed' && look.failure
    ? html`${failureView(look.failure, names)}<p><button type="button" @click=${load}>Load it again</button></p>`
    : html`<p class="quiet">Loading the details of this result …</p>`;

type Fold = {
  readonly part: LookPart;
  readonly title: unknown;
  readonly names: SideNames;
  readonly looking: Looking | undefined;
};

/** @param body draws it; undefined until the whole result is there */
export function partFold({ part, title, names, looking }: Fold, body: (() => unknown) | undefined) {
  if (!looking)
    return html`<details class="fold part"><summary>${title}</summary><div class="part-body">${body ? body() : nothing}</div></details>`;
  const isOpen = looking.look.opened.has(part);
  const drawn = () => (body ? body() : waitingView(looking, names));
  return html`<details class="fold part" ?open=${isOpen} @toggle=${looking.on.toggle(part)}>
    <summary>${title}</summary>
    <div class="part-body">${isOpen ? drawn() : nothing}</div>
  </details>`;
}
