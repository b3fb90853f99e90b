/** State of a history, and the actions of the user. */
import type { HistoryRequest } from '../../../api-client/stored/history.ts';
import type { History } from '../../../contract/stored/history.ts';
import type { FieldPoint } from '../../../presentation/charts/field-points.ts';
import type { FailureReason } from '../../../presentation/errors-in-words.ts';
import type { HistoryMetric } from '../../../presentation/words.ts';

export type HistoryState = {
  readonly asked: HistoryRequest;
  readonly histories?: readonly History[];
  readonly failure?: FailureReason | undefined;
  /** Field data of some of its results; absent until they are loaded. */
  readonly field?: readonly FieldPoint[];
  readonly metric: HistoryMetric;
  /** Ids of results to compare: none, one or two. */
  readonly marked?: readonly string[];
};

/** Toggles a mark. A third one replaces the first. */
export const toMarked = (marked: readonly string[], id: string): readonly string[] =>
  marked.includes(id) ? marked.filter(known => known !== id) : [...marked, id].slice(-2);

export type HistoryActions = {
  readonly chooseMetric: (metric: HistoryMetric) => void;
  readonly mark: (id: string) => void;
};
