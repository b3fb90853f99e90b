/** Views without measurements: stored results, histories, comparisons, sitemaps. */
import type { AskOptions } from '../../../api-client/ask-service.ts';
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
import { sayCause } from '../../../presentation/change-words.ts';
import { chartMetrics, mostPoints, sidesOf, toExplain } from '../../../presentation/charts/history-chart.ts';
import type { HistoryMetric } from '../../../presentation/words.ts';
import type { ChangeState } from '../change-view.ts';
import type { SitemapState } from '../form/sitemap-view.ts';
import type { HistoryState } from '../history/chart-view.ts';
import type { View } from '../view.ts';
import { completeResult } from './actions.ts';
import { openView, type SessionStage } from './current-view.ts';
import { openExperiment } from './experiment.ts';

export const openResults = (stage: SessionStage, request: PageRequest, ids: readonly string[]): void =>
  openView(stage, {
    request,
    first: { kind: 'loading', request },
    read: options => readKept(ids, request, options),
    settle(read) {
      if (!read.ok) return stage.settleFailure(request, read.failure);
      const { bodies } = read.body;
      const answer = withMissing(read.body.answer, request.urls[0] ?? '', request);
      stage.settle(request, { kind: 'result', request, answer, bodies, looks: {} }, 'The result is ready.');
      completeResult(stage);
    },
  });

/** Opens a result by its id alone: the result contains its page. */
export function openResult(stage: SessionStage, id: string): void {
  const request = toMeasured({});
  openView(stage, {
    request,
    first: { kind: 'loading', request },
    read: async options =>
      isResultId(id) ? readKept([id], request, options) : { ok: false, failure: { kind: 'malformed' } },
    settle(read) {
      // An experiment is a stored result with an own view.
      if (!read.ok && read.failure.kind === 'unreadable') return openExperiment(stage, { id });
      if (!read.ok) return stage.settleFailure(request, read.failure);
      const { answer, bodies } = read.body;
      const known = toAsked(answer) ?? request;
      stage.begin(known, () => openResult(stage, id));
      stage.screen.lead(withIds(toAddress(known), [id]), known, [id]);
      stage.settle(known, { kind: 'result', request: known, answer, bodies, looks: {} }, 'The result is ready.');
      completeResult(stage);
    },
  });
}

/** Loads the other values of a history, one after the other, until another view is displayed. */
async function readOthers(stage: SessionStage, asked: HistoryRequest, options: AskOptions): Promise<void> {
  const isKnown = ({ histories }: HistoryState, metric: HistoryMetric) =>
    histories?.some(known => known.metric === metric);
  for (const metric of chartMetrics) {
    const state = stage.viewOf('history')?.state;
    if (state?.asked !== asked) return;
    if (isKnown(state, metric)) continue;
    const other = await readHistory(asked, metric, options);
    if (!other.ok) return;
    stage.changeState('history', now =>
      now.asked === asked && !isKnown(now, metric) ? { histories: [...(now.histories ?? []), other.body] } : {},
    );
  }
}

export function openHistory(stage: SessionStage, asked: HistoryRequest): void {
  const request = toPageRequest(asked);
  const state: HistoryState = { asked, metric: asked.metric ?? 'performance' };
  openView(stage, {
    request,
    first: { kind: 'history', request, state },
    read: options => readHistory(asked, state.metric, options),
    async settle(read, options) {
      const found = read.ok ? { histories: [read.body] } : { failure: read.failure };
      const words = read.ok ? 'The history is ready.' : 'The history could not be loaded.';
      stage.settle(request, { kind: 'history', request, state: { ...state, ...found } }, words);
      if (!read.ok) return;
      const add = (more: Partial<HistoryState>) =>
        stage.changeState('history', now => (now.asked === asked ? more : {}));
      add({ field: await readField(read.body, options) });
      // The histories of many results are large: then each is loaded when it is selected.
      if (read.body.points.length <= mostPoints) await readOthers(stage, asked, options);
      // Comparisons take longer than the histories, so they come last.
      let causes: HistoryState['causes'] = {};
      for (const change of toExplain(read.body)) {
        const outcome = await findChange(sidesOf(read.body, change), options);
        if (outcome.kind !== 'found') continue;
        causes = { ...causes, [change.id]: sayCause(outcome.change.verdict, change.status) };
        add({ causes });
      }
    },
  });
}

export function openChange(stage: SessionStage, asked: ChangeRequest): void {
  const request = toMeasured(asked);
  const state: ChangeState = { asked };
  openView(stage, {
    request,
    first: { kind: 'change', request, state },
    async read(options) {
      const outcome = await findChange(asked, options);
      return outcome.kind === 'failed' ? { ok: false, failure: outcome.failure } : { ok: true, body: outcome };
    },
    async settle(read, options) {
      /** Displays data that arrive after a comparison: its screenshots, and other results to choose from. */
      const add = async (more: Promise<Partial<ChangeState>>): Promise<void> => {
        const found = await more;
        if (!options.signal.aborted) stage.changeState('change', () => found);
      };
      const addChoices = (of: Parameters<typeof readChoices>[0]) =>
        add(readChoices(of, options).then(choices => ({ choices })));
      const settleWithout = (known: Partial<ChangeState>, words: string) => {
        stage.settle(request, { kind: 'change', request, state: { ...state, ...known } }, words);
        return addChoices(asked);
      };
      if (!read.ok) return settleWithout({ failure: read.failure }, 'The results could not be compared.');
      if (read.body.kind === 'missing') return settleWithout({ missing: read.body.missing }, 'A result is missing.');
      const { change, asked: known } = read.body;
      const measured = toMeasured(change.after);
      stage.screen.lead(toChangeAddress(known), measured);
      const last: View = { kind: 'change', request: measured, state: { asked: known, change } };
      stage.settle(measured, last, change.verdict.explanation);
      await Promise.all([add(readSides(change, options).then(sides => ({ sides }))), addChoices(change.after)]);
    },
  });
}

export function openSitemap(stage: SessionStage, { request, sample }: SitemapRequest): void {
  const [url = ''] = request.urls;
  const state: SitemapState = { url, request, sample, left: new Set(), search: '' };
  openView(stage, {
    request,
    first: { kind: 'sitemap', request, state },
    read: options => readSitemap(url, options, sample),
    settle(read) {
      const found = read.ok ? { sitemap: read.body } : { failure: read.failure };
      const words = read.ok ? `${read.body.urls.length} pages found.` : 'The sitemap could not be read.';
      stage.settle(request, { kind: 'sitemap', request, state: { ...state, ...found } }, words);
    },
  });
}
