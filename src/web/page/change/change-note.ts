/** What changed since the result before, in a sentence: shown with a result that was measured again. */
import { html, nothing } from 'lit-html';
import { type ChangeOutcome, toChangeAddress } from '../../../api-client/stored/change.ts';
import type { Column } from '../../../presentation/answer.ts';
import { statusWords } from '../../../presentation/change-words.ts';
import { toWords } from '../../../presentation/errors-in-words.ts';
import type { SideNames } from '../../../presentation/side-names.ts';

export type ChangeNote = {
  readonly before: string;
  readonly after: string;
  readonly source: Column['source'];
  readonly strategy: Column['strategy'];
  /** Of several: which one. */
  readonly isOneOfMany: boolean;
  /** Undefined while it is compared. */
  readonly outcome?: ChangeOutcome;
};

const say = ({ outcome }: ChangeNote) => {
  if (outcome?.kind === 'found') {
    const { status, explanation } = outcome.change.verdict;
    return html`<strong>${statusWords[status]}.</strong> ${explanation}`;
  }
  if (outcome?.kind === 'failed') return `The two could not be compared: ${toWords(outcome.failure).what.join(' ')}`;
  return 'Comparing …';
};

export function changeNoteView(note: ChangeNote, names: SideNames) {
  const { before, after, source, strategy, isOneOfMany, outcome } = note;
  const status = outcome?.kind === 'found' ? outcome.change.verdict.status : nothing;
  return html`<section class="sheet change-note" data-verdict=${status} aria-label="Compared with the result before">
    <p class="small quiet">Compared with the result before${isOneOfMany ? html`: ${names[source].short}, ${strategy}` : nothing}</p>
    <p>${say(note)}</p>
    <p><a href=${toChangeAddress({ before, after })}>What changed</a></p>
  </section>`;
}
