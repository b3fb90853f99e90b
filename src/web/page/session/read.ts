/** Views without measurements: stored results, histories, comparisons, sitemaps. */

import { type PageRequest, toAddress } from '../../../api-client/page-request.ts';
import { readSitemap, type SitemapRequest } from '../../../api-client/sitemap.ts';
import {
  type ChangeRequest,
  findChange,
  readChoices,
  readSides,
  toChangeAddress,
  toMeasured,
} from '../../../api-client/stored/change.ts';
import { type HistoryRequest, readField, readHistory, toPageRequest } from '../../../api-client/stored/history.ts';
import { isResultId, readKept, toAsked, withIds, withMissing } from '../../../api-client/stored/kept-result.ts';
import { categoryNames } from '../../../contract/names.ts';
import { wantsKey } from '../../../presentation/failure-reason.ts';
import type { ChangeState } from '../change/change-view.ts';
import type { SitemapState } from '../form/sitemap-view.ts';
import type { HistoryState } from '../history/history-state.ts';
import { readApiKey } from '../key/api-key.ts';
import type { View } from '../view.ts';
import { type SessionStage, throwUnlessAborted } from './current-view.ts';
import { openExperiment } from './experiment.ts';

type Read = (options: { signal: AbortSignal; apiKey: string | undefined }) => Promise<void>;

/** Displays a loading view, and reads its data; repeats that after a key is entered. */
function begin(stage: SessionStage, request: PageRequest, first: View, read: Read): void {
  const signal = stage.begin(request, () => begin(stage, request, first, read));
  stage.show(first);
  read({ signal, apiKey: readApiKey() }).catch(throwUnlessAborted(signal));
}

/** Loads the parts of a result that are not in the summary. */
type Complete = (stage: SessionStage) => void;

export const openResults = (
  stage: SessionStage,
  request: PageRequest,
  ids: readonly string[],
  complete: Complete,
): void =>
  begin(stage, request, { kind: 'loading', request }, async options => {
    const outcome = await readKept(ids, request, options);
    if (options.signal.aborted) return;
    if (!outcome.ok) return stage.settleFailure(request, outcome.failure);
    const { bodies } = outcome;
    const answer = withMissing(outcome.answer, request.urls[0] ?? '', request);
    stage.settle(request, { kind: 'result', request, answer, bodies, looks: {} }, 'The result is ready.');
    complete(stage);
  });

/** Opens a result by its id alone: the result contains its page. */
export function openResult(stage: SessionStage, id: string, complete: Complete): void {
  const nothingKnown: PageRequest = { urls: [], backend: 'local', strategy: 'mobile', categories: categoryNames };
  begin(stage, nothingKnown, { kind: 'loading', request: nothingKnown }, async options => {
    if (!isResultId(id)) return stage.settleFailure(nothingKnown, { kind: 'malformed' });
    const outcome = await readKept([id], nothingKnown, options);
    if (options.signal.aborted) return;
    // An experiment is a stored result with an own view.
    if (!outcome.ok && outcome.failure.kind === 'unreadable') return openExperiment(stage, { id });
    if (!outcome.ok) return stage.settleFailure(nothingKnown, outcome.failure);
    const { answer, bodies } = outcome;
    const request = toAsked(answer) ?? nothingKnown;
    stage.begin(request, () => openResult(stage, id, complete));
    stage.screen.lead(withIds(toAddress(request), [id]), request, [id]);
    stage.settle(request, { kind: 'result', request, answer, bodies, looks: {} }, 'The result is ready.');
    complete(stage);
  });
}

export function openHistory(stage: SessionStage, asked: HistoryRequest): void {
  const request = toPageRequest(asked);
  const state: HistoryState = { asked, metric: asked.metric ?? 'performance' };
  begin(stage, request, { kind: 'history', request, state }, async options => {
    const outcome = await readHistory(asked, state.metric, options);
    if (options.signal.aborted) return;
    if (!outcome.ok && wantsKey(outcome.failure)) return stage.settleFailure(request, outcome.failure);
    const found = outcome.ok ? { histories: [outcome.body] } : { failure: outcome.failure };
    const words = outcome.ok ? 'The history is ready.' : 'The history could not be loaded.';
    stage.settle(request, { kind: 'history', request, state: { ...state, ...found } }, words);
    if (!outcome.ok) return;
    const field = await readField(outcome.body, options);
    stage.change('history', view => (view.state.asked === asked ? { ...view, state: { ...view.state, field } } : view));
  });
}

/** Displays data that arrive after a comparison: its screenshots, and other results to choose from. */
async function addToChange(
  stage: SessionStage,
  { signal }: { signal: AbortSignal },
  more: Promise<Partial<ChangeState>>,
): Promise<void> {
  const found = await more;
  if (!signal.aborted) stage.change('change', view => ({ ...view, state: { ...view.state, ...found } }));
}

export function openChange(stage: SessionStage, asked: ChangeRequest): void {
  const request = toMeasured(asked);
  const state: ChangeState = { asked };
  begin(stage, request, { kind: 'change', request, state }, async options => {
    const outcome = await findChange(asked, options);
    if (options.signal.aborted) return;
    if (outcome.kind === 'failed' && wantsKey(outcome.failure)) return stage.settleFailure(request, outcome.failure);
    if (outcome.kind !== 'found') {
      const words = outcome.kind === 'failed' ? 'The results could not be compared.' : 'A result is missing.';
      stage.settle(request, { kind: 'change', request, state: { ...state, ...outcome } }, words);
      return addToChange(
        stage,
        options,
        readChoices(asked, options).then(choices => ({ choices })),
      );
    }
    const { change, asked: known } = outcome;
    const measured = toMeasured(change.after);
    stage.screen.lead(toChangeAddress(known), measured);
    const last: View = { kind: 'change', request: measured, state: { asked: known, change } };
    stage.settle(measured, last, change.verdict.explanation);
    await Promise.all([
      addToChange(
        stage,
        options,
        readSides(change, options).then(sides => ({ sides })),
      ),
      addToChange(
        stage,
        options,
        readChoices(change.after, options).then(choices => ({ choices })),
      ),
    ]);
  });
}

export function openSitemap(stage: SessionStage, { request }: SitemapRequest): void {
  const [url = ''] = request.urls;
  const state: SitemapState = { url, left: new Set(), search: '' };
  begin(stage, request, { kind: 'sitemap', request, state }, async options => {
    const outcome = await readSitemap(url, options);
    if (options.signal.aborted) return;
    if (!outcome.ok && wantsKey(outcome.failure)) return stage.settleFailure(request, outcome.failure);
    const found = outcome.ok ? { sitemap: outcome.body } : { failure: outcome.failure };
    const words = outcome.ok ? `${outcome.body.urls.length} pages found.` : 'The sitemap could not be read.';
    stage.settle(request, { kind: 'sitemap', request, state: { ...state, ...found } }, words);
  });
}
