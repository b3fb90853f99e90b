/** State of one page's results, and the actions of the user. */

import { html, nothing } from 'lit-html';
import type { PageRequest } from '../../api-client/page-request.ts';
import { type ChangeOutcome, toChangeAddress } from '../../api-client/stored/change.ts';
import type { Result } from '../../contract/result/result.ts';
import type { HistoryChange } from '../../contract/stored/history.ts';
import type { Answer, Column } from '../../presentation/answer.ts';
import { sayWhy, statusWords } from '../../presentation/change-words.ts';
import { type FailureReason, toWords } from '../../presentation/errors-in-words.ts';
import type { SideNames } from '../../presentation/side-names.ts';
import type { DetailsLook } from '../views/load-details/load-details-state.ts';

export type ChangeNote = {
  readonly before: string;
  readonly after: string;
  readonly source: Column['source'];
  readonly strategy: Column['strategy'];
  /** Whether this is one of several notes. */
  readonly isOneOfMany: boolean;
  /** Outcome of the comparison; undefined until it ends. */
  readonly outcome?: ChangeOutcome;
};

const say = ({ outcome }: ChangeNote) => {
  if (outcome?.kind === 'found') {
    const { verdict } = outcome.change;
    return html`<strong>${statusWords[verdict.status]}.</strong> ${sayWhy(verdict)}`;
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

/** The last change of a page and the results next to it, or the previous result and this one. */
export type Earlier = {
  readonly change?: HistoryChange;
  readonly sides: { readonly before: string; readonly after: string };
};

export type AnswerState = {
  readonly request: PageRequest;
  readonly answer: Answer;
  readonly bodies: readonly unknown[];
  /** Details by side and strategy. */
  readonly looks: Readonly<Record<string, DetailsLook>>;
  /** Changes since the previous result, for each side and strategy, if the page was measured again. */
  readonly notes?: readonly ChangeNote[];
  /** What came before each result, by its id. */
  readonly previous?: Readonly<Record<string, Earlier>>;
  /** Whether the link was copied; undefined before the user copies it. */
  readonly isCopied?: boolean;
  /** Files by URL: loading ones, and failed ones. */
  readonly files?: Readonly<Record<string, AnswerFile>>;
};

/** A file that is being loaded in order to be saved. */
export type AnswerFile = { readonly state: 'loading' } | { readonly state: 'failed'; readonly failure: FailureReason };

/** Key of one displayed side. */
export const lookKey = ({ source, strategy }: Pick<Result, 'source' | 'strategy'>): string => `${source}-${strategy}`;
