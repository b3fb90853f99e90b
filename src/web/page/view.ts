/** What the page shows below its form, one case each, and what a person can do with it. */
import type { PageRequest } from '../../api-client/page-request.ts';
import type { FailureReason } from '../../presentation/failure-reason.ts';
import type { BatchActions, BatchState } from './batch/batch-state.ts';
import type { ChangeState } from './change/change-view.ts';
import type { SitemapActions, SitemapState } from './form/sitemap-view.ts';
import type { HistoryActions, HistoryState } from './history/history-state.ts';
import type { KeyFault } from './key/key-view.ts';
import type { Progress } from './progress/progress-view.ts';
import type { AnswerActions, AnswerState } from './result/answer-state.ts';

export type View =
  | ({ readonly kind: 'running'; readonly request: PageRequest } & Omit<Progress, 'url'>)
  | ({ readonly kind: 'result' } & AnswerState)
  | { readonly kind: 'loading'; readonly request: PageRequest }
  | { readonly kind: 'batch'; readonly state: BatchState }
  | { readonly kind: 'failed'; readonly request: PageRequest; readonly failure: FailureReason }
  | { readonly kind: 'history'; readonly request: PageRequest; readonly state: HistoryState }
  | { readonly kind: 'change'; readonly request: PageRequest; readonly state: ChangeState }
  | { readonly kind: 'sitemap'; readonly request: PageRequest; readonly state: SitemapState }
  | { readonly kind: 'cancelled'; readonly request: PageRequest }
  | { readonly kind: 'key'; readonly request: PageRequest; readonly fault?: KeyFault | undefined };

export type ViewOf<K extends View['kind']> = Extract<View, { kind: K }>;

export type Actions = AnswerActions &
  BatchActions &
  HistoryActions &
  SitemapActions & { readonly useKey: (key: string) => void };
