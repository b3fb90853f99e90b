/** What is shown of one page, and what a person can do with it. */
import type { PageRequest } from '../../../api-client/page-request.ts';
import type { Result } from '../../../contract/result/result.ts';
import type { Answer } from '../../../presentation/answer.ts';
import type { FailureReason } from '../../../presentation/failure-reason.ts';
import type { Look } from '../../views/looking/look.ts';
import type { ChangeNote } from '../change/change-note.ts';

export type AnswerState = {
  readonly request: PageRequest;
  readonly answer: Answer;
  readonly bodies: readonly unknown[];
  /** By side and strategy. */
  readonly looks: Readonly<Record<string, Look>>;
  /** Measured again: what changed since the result before, for each side and strategy. */
  readonly notes?: readonly ChangeNote[];
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
  /** Loads a file with the key, and saves it. */
  readonly saveFile: (address: string) => void;
};

/** One side of what is shown. */
export const lookKey = ({ source, strategy }: Pick<Result, 'source' | 'strategy'>): string => `${source}-${strategy}`;
