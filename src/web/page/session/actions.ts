/** Actions of the user on the displayed view. */
import { isSendableKey } from '../../../api-client/api-key.ts';
import { askForFile } from '../../../api-client/ask-service.ts';
import type { PageRequest } from '../../../api-client/page-request.ts';
import { findPrevious } from '../../../api-client/stored/change.ts';
import { readWhatIf } from '../../../api-client/stored/experiment.ts';
import { readHistory, toHistoryAddress } from '../../../api-client/stored/history.ts';
import { readWhole } from '../../../api-client/stored/kept-result.ts';
import type { Result } from '../../../contract/result/result.ts';
import { type Answer, columnsOf } from '../../../presentation/answer.ts';
import { sidesOf } from '../../../presentation/charts/history-chart.ts';
import { toDownloadName } from '../../../presentation/download-name.ts';
import { wantsKey } from '../../../presentation/errors-in-words.ts';
import { toRequestPhases } from '../../../presentation/full-result/phases.ts';
import type { HistoryMetric } from '../../../presentation/words.ts';
import { type DetailsLook, noLook } from '../../views/load-details/load-details-state.ts';
import { toggled } from '../../views/toggled.ts';
import { type AnswerFile, type Earlier, lookKey } from '../answer-state.ts';
import { keepApiKey } from '../api-key.ts';
import { type ListFilter, linesAtOnce, type Sorting } from '../batch/batch-table.ts';
import { copyText, saveBlob } from '../download.ts';
import type { SitemapState } from '../form/sitemap-view.ts';
import type { ViewOf } from '../view.ts';
import { optionsOf, type SessionStage } from './current-view.ts';
import { type createExperimentActions, measureWhatIf } from './experiment.ts';
import type { createHomeActions } from './home.ts';
import { changeBatch, type Lists } from './lists.ts';

/** Everything that a user can do in a view. */
export type Actions = ReturnType<typeof createActions> &
  ReturnType<typeof createHomeActions> &
  ReturnType<typeof createExperimentActions>;

type ResultView = ViewOf<'result'>;

/** Changes the displayed result, unless another one is displayed by now. */
export const changeAnswer = (
  stage: SessionStage,
  answer: Answer,
  change: (view: ResultView) => Partial<ResultView>,
): void => stage.change('result', view => (view.answer === answer ? { ...view, ...change(view) } : view));

const withLook = (key: string, change: Partial<DetailsLook>) => (view: ResultView) => ({
  looks: { ...view.looks, [key]: { ...noLook, ...view.looks[key], ...change } },
});

/** Loads the whole of a result, once. */
function loadWhole(stage: SessionStage, result: Result): void {
  const view = stage.viewOf('result');
  if (!view || !result.id || result.lighthouse_result) return;
  const key = lookKey(result);
  if (['loading', 'ready'].includes(view.looks[key]?.state ?? 'none')) return;
  const look = (change: Partial<DetailsLook>) => changeAnswer(stage, view.answer, withLook(key, change));
  look({ state: 'loading' });
  readWhole(result.id, optionsOf()).then(read => {
    look(read.ok ? { state: 'ready', whole: read.body } : { state: 'failed', failure: read.failure });
    if (!read.ok) stage.screen.announce('The details could not be loaded.');
  });
}

/** Requests the predictions for a result once, and again after a failure. */
function askWhatIf(stage: SessionStage, result: Result): void {
  const view = stage.viewOf('result');
  if (!view || !result.id) return;
  const key = lookKey(result);
  if (['loading', 'ready'].includes(view.looks[key]?.predicted?.state ?? '')) return;
  const look = (predicted: NonNullable<DetailsLook['predicted']>) =>
    changeAnswer(stage, view.answer, withLook(key, { predicted }));
  look({ state: 'loading' });
  readWhatIf(result.id, optionsOf()).then(read => {
    look(read.ok ? { state: 'ready', whatIf: read.body } : { state: 'failed', failure: read.failure });
    stage.screen.announce(read.ok ? 'The predictions are ready.' : 'The predictions could not be loaded.');
  });
}

/** Loads the network log of a local result, the only source of a request's phases. */
async function loadPhases(stage: SessionStage, result: Result): Promise<void> {
  const address = result.links?.network_log?.replace(/^\//, '');
  const answer = stage.viewOf('result')?.answer;
  if (address === undefined || !answer) return;
  const reply = await askForFile(address, optionsOf());
  if (!reply.ok) return;
  const unpacked = reply.blob.stream().pipeThrough(new DecompressionStream('gzip') as TransformStream);
  // If the log cannot be read, the waterfall has no phases.
  const log: unknown = await new Response(unpacked).json().catch(() => undefined);
  const phases = toRequestPhases(log);
  if (phases.size > 0) changeAnswer(stage, answer, withLook(lookKey(result), { phases }));
}

/** Finds the last change of the page before a result or, without one, the previous result. */
async function findEarlier(result: Result): Promise<Earlier | undefined> {
  const asked = { ...result, conditions: result.conditions?.id };
  const history = await readHistory(asked, 'performance', optionsOf());
  const change = history.ok
    ? history.body.change_points.findLast(({ fetched_at: at }) => at <= result.fetched_at)
    : undefined;
  if (history.ok && change) return { change, sides: sidesOf(history.body, change) };
  const previous = await findPrevious(result, optionsOf());
  return 'id' in previous && previous.id && result.id
    ? { sides: { before: previous.id, after: result.id } }
    : undefined;
}

/**
 * Loads the filmstrip and the evidence of a result, and checks whether there is an earlier result to compare it with.
 */
export function completeResult(stage: SessionStage): void {
  const answer = stage.viewOf('result')?.answer;
  if (!answer) return;
  for (const { part } of columnsOf(answer)) {
    if (!part.ok || !part.result.id) continue;
    const { id } = part.result;
    loadWhole(stage, part.result);
    void loadPhases(stage, part.result);
    findEarlier(part.result).then(found => {
      if (found) changeAnswer(stage, answer, ({ previous }) => ({ previous: { ...previous, [id]: found } }));
    });
  }
}

/** Saves a file that requires a key, which a link does not send. */
function saveFile(stage: SessionStage, address: string): void {
  const view = stage.viewOf('result');
  if (!view || view.files?.[address]?.state === 'loading') return;
  const { answer, request } = view;
  const note = (file: AnswerFile | undefined): void =>
    changeAnswer(stage, answer, ({ files: { [address]: _, ...others } = {} }) => ({
      files: file ? { ...others, [address]: file } : others,
    }));
  note({ state: 'loading' });
  askForFile(address, optionsOf()).then(reply => {
    if (reply.ok) {
      note(undefined);
      saveBlob(reply.name ?? toDownloadName(request.urls, new Date(), 'html'), reply.blob);
      return stage.screen.announce('The file is saved.');
    }
    note({ state: 'failed', failure: reply.failure });
    if (stage.viewOf('result')?.answer !== answer) return;
    if (wantsKey(reply.failure)) return stage.settleFailure(request, reply.failure);
    stage.screen.announce('The file could not be loaded.');
  });
}

/** Toggles a mark. A third one replaces the first. */
const toMarked = (marked: readonly string[], id: string): readonly string[] =>
  marked.includes(id) ? marked.filter(known => known !== id) : [...marked, id].slice(-2);

/** Measures again, and compares with the previous results. */
type RunAgain = (request: PageRequest, options: { fresh: boolean; earlier: Answer | undefined }) => void;

export function createActions(stage: SessionStage, lists: Lists, run: RunAgain) {
  return {
    cancel() {
      if (stage.viewOf('batch')) return lists.cancel();
      stage.cancel();
      const request = stage.request();
      if (!request) return;
      stage.screen.stay(request);
      stage.settle(request, { kind: 'cancelled', request }, 'Cancelled.');
    },
    again() {
      const request = stage.request();
      if (request) run(request, { fresh: true, earlier: stage.viewOf('result')?.answer });
    },
    /** Measures the pages of a list without a result. */
    measureRest: lists.measureRest,
    // Matches are displayed at the top, with as few lines as at first, so that a long list stays fast.
    filter: (filter: ListFilter) => changeBatch(stage, () => ({ filter, shown: linesAtOnce })),
    sort: (sorting: Sorting) => changeBatch(stage, () => ({ sorting, shown: linesAtOnce })),
    showMore: (shown: number) => changeBatch(stage, () => ({ shown })),
    /** Opens or closes a line of a list. */
    toggle: (line: string) => changeBatch(stage, ({ opened }) => ({ opened: toggled(opened, line) })),
    chooseMetric(metric: HistoryMetric) {
      stage.changeState('history', () => ({ metric, failure: undefined }));
      const view = stage.viewOf('history');
      if (!view) return;
      // A reload shows the same value.
      history.replaceState(history.state, '', toHistoryAddress({ ...view.state.asked, metric }));
      if (view.state.histories?.some(known => known.metric === metric)) return;
      const { asked } = view.state;
      readHistory(asked, metric, optionsOf()).then(read =>
        stage.changeState('history', ({ asked: now, metric: shown, histories = [] }) => {
          if (now !== asked) return {};
          if (read.ok) return { histories: [...histories, read.body] };
          return shown === metric ? { failure: read.failure } : {};
        }),
      );
    },
    mark: (id: string) => stage.changeState('history', ({ marked = [] }) => ({ marked: toMarked(marked, id) })),
    changeSitemap: (change: Partial<Pick<SitemapState, 'left' | 'search'>>) =>
      stage.changeState('sitemap', () => change),
    /** Starts a list with the options of the form. */
    measureList: (urls: readonly string[]) => stage.screen.measureList(urls),
    look: (key: string, change: Partial<DetailsLook>) =>
      stage.change('result', view => ({ ...view, ...withLook(key, change)(view) })),
    load: (result: Result) => loadWhole(stage, result),
    askWhatIf: (result: Result) => askWhatIf(stage, result),
    measureWhatIf: (result: Result) => measureWhatIf(stage, result),
    saveFile: (address: string) => saveFile(stage, address),
    async copyLink(address: string) {
      const isCopied = await copyText(new URL(address, new URL('.', location.href)).href);
      stage.change('result', view => ({ ...view, isCopied }));
      stage.screen.announce(isCopied ? 'The link is copied.' : 'The link could not be copied.');
    },
    useKey(key: string) {
      const request = stage.request();
      if (!request) return;
      if (isSendableKey(key)) {
        keepApiKey(key);
        return stage.resume();
      }
      stage.show({ kind: 'key', request, fault: 'impossible' });
      stage.screen.announce('That cannot be a key.');
    },
  };
}
