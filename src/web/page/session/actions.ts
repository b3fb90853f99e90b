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
import { toDownloadName } from '../../../presentation/download-name.ts';
import { wantsKey } from '../../../presentation/errors-in-words.ts';
import { toRequestPhases } from '../../../presentation/full-result/phases.ts';
import { noLook } from '../../views/load-details/load-details-state.ts';
import { type AnswerActions, type AnswerFile, lookKey } from '../answer-state.ts';
import { keepApiKey } from '../api-key.ts';
import { linesAtOnce } from '../batch/batch-state.ts';
import { copyText, saveBlob } from '../download.ts';
import type { ExperimentActions } from '../experiment-page.ts';
import { toMarked } from '../history/history-state.ts';
import type { HomeActions } from '../home/home-state.ts';
import type { Actions } from '../view.ts';
import { optionsOf, type SessionStage } from './current-view.ts';
import { measureWhatIf } from './experiment.ts';
import { changeBatch, type Lists } from './lists.ts';

function toLook(stage: SessionStage): AnswerActions['look'] {
  return (key, change) =>
    stage.change('result', view => ({
      ...view,
      looks: { ...view.looks, [key]: { ...noLook, ...view.looks[key], ...change } },
    }));
}

/** Loads the whole of a result, once. */
function loadWhole(stage: SessionStage, result: Result): void {
  const view = stage.view();
  if (view?.kind !== 'result' || !result.id || result.lighthouse_result) return;
  const key = lookKey(result);
  if (['loading', 'ready'].includes(view.looks[key]?.state ?? 'none')) return;
  const { answer } = view;
  const look = toLook(stage);
  look(key, { state: 'loading' });
  readWhole(result.id, optionsOf()).then(read => {
    const now = stage.view();
    if (now?.kind !== 'result' || now.answer !== answer) return;
    look(key, read.ok ? { state: 'ready', whole: read.body } : { state: 'failed', failure: read.failure });
    if (!read.ok) stage.screen.announce('The details could not be loaded.');
  });
}

/** Requests the predictions for a result once, and again after a failure. */
function askWhatIf(stage: SessionStage, result: Result): void {
  const view = stage.view();
  if (view?.kind !== 'result' || !result.id) return;
  const key = lookKey(result);
  if (['loading', 'ready'].includes(view.looks[key]?.predicted?.state ?? '')) return;
  const { answer } = view;
  const look = toLook(stage);
  look(key, { predicted: { state: 'loading' } });
  readWhatIf(result.id, optionsOf()).then(read => {
    if (answerOf(stage) !== answer) return;
    look(key, {
      predicted: read.ok ? { state: 'ready', whatIf: read.body } : { state: 'failed', failure: read.failure },
    });
    stage.screen.announce(read.ok ? 'The predictions are ready.' : 'The predictions could not be loaded.');
  });
}

/** Loads the network log of a local result, the only source of a request's phases. */
async function loadPhases(stage: SessionStage, result: Result): Promise<void> {
  const address = result.links?.network_log?.replace(/^\//, '');
  const answer = answerOf(stage);
  if (address === undefined || !answer) return;
  const reply = await askForFile(address, optionsOf());
  if (!reply.ok) return;
  const unpacked = reply.blob.stream().pipeThrough(new DecompressionStream('gzip') as TransformStream);
  // If the log cannot be read, the waterfall has no phases.
  const log: unknown = await new Response(unpacked).json().catch(() => undefined);
  const phases = toRequestPhases(log);
  if (phases.size > 0 && answerOf(stage) === answer) toLook(stage)(lookKey(result), { phases });
}

const answerOf = (stage: SessionStage): Answer | undefined => {
  const view = stage.view();
  return view?.kind === 'result' ? view.answer : undefined;
};

/**
 * Loads the filmstrip and the evidence of a result, and checks whether there is an earlier result to compare it with.
 */
export function completeResult(stage: SessionStage): void {
  const view = stage.view();
  if (view?.kind !== 'result') return;
  const { answer } = view;
  for (const { part } of columnsOf(answer)) {
    if (!part.ok || !part.result.id) continue;
    const { id } = part.result;
    loadWhole(stage, part.result);
    void loadPhases(stage, part.result);
    findPrevious(part.result, optionsOf()).then(found => {
      const now = stage.view();
      if (!('id' in found) || found.id === undefined || now?.kind !== 'result' || now.answer !== answer) return;
      stage.show({ ...now, previous: { ...now.previous, [id]: found.id } });
    });
  }
}

/** Saves a file that requires a key, which a link does not send. */
function saveFile(stage: SessionStage, address: string): void {
  const view = stage.view();
  if (view?.kind !== 'result' || view.files?.[address]?.state === 'loading') return;
  const { answer, request } = view;
  const note = (file: AnswerFile | undefined): boolean => {
    const now = stage.view();
    if (now?.kind !== 'result' || now.answer !== answer) return false;
    const { [address]: _, ...others } = now.files ?? {};
    stage.show({ ...now, files: file ? { ...others, [address]: file } : others });
    return true;
  };
  note({ state: 'loading' });
  askForFile(address, optionsOf()).then(reply => {
    if (reply.ok) {
      note(undefined);
      saveBlob(reply.name ?? toDownloadName(request.urls, new Date(), 'html'), reply.blob);
      return stage.screen.announce('The file is saved.');
    }
    if (!note({ state: 'failed', failure: reply.failure })) return;
    if (wantsKey(reply.failure)) return stage.settleFailure(request, reply.failure);
    stage.screen.announce('The file could not be loaded.');
  });
}

/** Measures again, and compares with the previous results. */
type RunAgain = (request: PageRequest, options: { fresh: boolean; earlier: Answer | undefined }) => void;

export function createActions(
  stage: SessionStage,
  lists: Lists,
  run: RunAgain,
): Omit<Actions, keyof HomeActions | keyof ExperimentActions> {
  return {
    cancel() {
      if (stage.view()?.kind === 'batch') return lists.cancel();
      stage.cancel();
      const request = stage.request();
      if (!request) return;
      stage.screen.stay(request);
      stage.settle(request, { kind: 'cancelled', request }, 'Cancelled.');
    },
    again() {
      const [view, request] = [stage.view(), stage.request()];
      if (request) run(request, { fresh: true, earlier: view?.kind === 'result' ? view.answer : undefined });
    },
    measureRest: lists.measureRest,
    // Matches are displayed at the top, with as few lines as at first, so that a long list stays fast.
    filter: filter => changeBatch(stage, () => ({ filter, shown: linesAtOnce })),
    sort: sorting => changeBatch(stage, () => ({ sorting, shown: linesAtOnce })),
    showMore: shown => changeBatch(stage, () => ({ shown })),
    toggle: line =>
      changeBatch(stage, ({ opened }) => {
        const next = new Set(opened);
        if (!next.delete(line)) next.add(line);
        return { opened: next };
      }),
    chooseMetric(metric) {
      stage.changeState('history', () => ({ metric, failure: undefined }));
      const view = stage.view();
      if (view?.kind !== 'history') return;
      // A reload shows the same value.
      history.replaceState(history.state, '', toHistoryAddress({ ...view.state.asked, metric }));
      if (view.state.histories?.some(known => known.metric === metric)) return;
      const { asked } = view.state;
      readHistory(asked, metric, optionsOf()).then(read =>
        stage.changeState('history', ({ asked: now, histories = [] }) => {
          if (now !== asked) return {};
          return read.ok ? { histories: [...histories, read.body] } : { failure: read.failure };
        }),
      );
    },
    mark: id => stage.changeState('history', ({ marked = [] }) => ({ marked: toMarked(marked, id) })),
    changeSitemap: change => stage.changeState('sitemap', () => change),
    measureList: urls => stage.screen.measureList(urls),
    look: toLook(stage),
    load: result => loadWhole(stage, result),
    askWhatIf: result => askWhatIf(stage, result),
    measureWhatIf: result => measureWhatIf(stage, result),
    saveFile: address => saveFile(stage, address),
    async copyLink(address) {
      const isCopied = await copyText(new URL(address, new URL('.', location.href)).href);
      stage.change('result', view => ({ ...view, isCopied }));
      stage.screen.announce(isCopied ? 'The link is copied.' : 'The link could not be copied.');
    },
    useKey(key) {
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
