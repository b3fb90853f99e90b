/** What is shown of one page, and what a person can do with it. */

import { html, nothing } from 'lit-html';
import type { PageRequest } from '../../../api-client/page-request.ts';
import { type ChangeOutcome, toChangeAddress } from '../../../api-client/stored/change.ts';
import type { Result } from '../../../contract/result/result.ts';
import type { Answer, Column } from '../../../presentation/answer.ts';
import { statusWords } from '../../../presentation/change-words.ts';
import { toWords } from '../../../presentation/errors-in-words.ts';
import type { FailureReason } from '../../../presentation/failure-reason.ts';
import type { SideNames } from '../../../presentation/side-names.ts';
import type { Look } from '../../views/looking/look.ts';

/* What changed since the result before, in a sentence: shown with a result that was measured again. */

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

export type AnswerState = {
  readonly request: PageRequest;
  readonly answer: Answer;
  readonly bodies: readonly unknown[];
  /** By side and strategy. */
  readonly looks: Readonly<Record<string, Look>>;
  /** Measured again: what changed since the result before, for each side and strategy. */
  readonly notes?: readonly ChangeNote[];
  /** By id: the result before it, of the same page, device and side. */
  readonly previous?: Readonly<Record<string, string>>;
  /** Whether its link was copied; undefined before a person asks for it. */
  readonly isCopied?: boolean;
  /** By address: files that are on their way, and those that did not come. */
  readonly files?: Readonly<Record<string, AnswerFile>>;
};

/** A file that is loaded to be saved. */
export type AnswerFile = { readonly state: 'loading' } | { readonly state: 'failed'; readonly failure: FailureReason };

export type AnswerActions = {
  readonly again: () => void;
  readonly look: (key: string, change: Partial<Look>) => void;
  /** Loads the whole of a result, where nobody has. */
  readonly load: (result: Result) => void;
  /** Asks for what a result would score if …, once. */
  readonly askWhatIf: (result: Result) => void;
  /** Starts an experiment of the most promising predictions of a result. */
  readonly measureWhatIf: (result: Result) => void;
  /** Copies the link that leads to what is shown. */
  readonly copyLink: (address: string) => void;
  /** Loads a file with the key, and saves it. */
  readonly saveFile: (address: string) => void;
};

/** One side of what is shown. */
export const lookKey = ({ source, strategy }: Pick<Result, 'source' | 'strategy'>): string => `${source}-${strategy}`;
