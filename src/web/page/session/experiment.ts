/** Starts experiments from the form or from predictions, follows them until they end, and cancels them. */
import { askForFile } from '../../../api-client/ask-service.ts';
import type { PageRequest } from '../../../api-client/page-request.ts';
import {
  confirmWhatIf,
  type ExperimentAsked,
  type ExperimentOrder,
  readExperiment,
  startExperiment,
  toExperimentAddress,
} from '../../../api-client/stored/experiment.ts';
import { cancelJob } from '../../../api-client/stored/home.ts';
import type { ExperimentAnswer } from '../../../contract/experiments/answer.ts';
import { categoryNames, type Strategy } from '../../../contract/names.ts';
import type { Result } from '../../../contract/result/result.ts';
import { wantsKey } from '../../../presentation/errors-in-words.ts';
import { isLive } from '../../../presentation/experiment-words.ts';
import { type DetailsLook, noLook } from '../../views/load-details/load-details-state.ts';
import { lookKey } from '../answer-state.ts';
import { saveBlob } from '../download.ts';
import type { ExperimentState } from '../experiment-page.ts';
import { openView, optionsOf, type SessionStage, throwUnlessAborted } from './current-view.ts';

const toRequest = (url: string | undefined, strategy: Strategy = 'mobile'): PageRequest => ({
  urls: url ? [url] : [],
  backend: 'local',
  strategy,
  categories: categoryNames,
});

/** Polling interval of a running experiment. */
const againMs = 3000;

const change = (stage: SessionStage, more: Partial<ExperimentState>): void =>
  stage.changeState('experiment', () => more);

/** Polls a running experiment until it ends or is no longer displayed. */
function follow(stage: SessionStage, id: string, signal: AbortSignal): void {
  const again = async (): Promise<void> => {
    const read = await readExperiment(id, optionsOf(signal));
    if (signal.aborted) return;
    if (read.ok) change(stage, { answer: read.body });
    if (!read.ok || isLive(read.body)) next();
    else stage.screen.announce('The experiment has ended.');
  };
  const next = () =>
    setTimeout(() => {
      if (signal.aborted || !stage.viewOf('experiment')) return;
      if (document.hidden) next();
      else again().catch(throwUnlessAborted(signal));
    }, againMs);
  next();
}

export function openExperiment(stage: SessionStage, asked: ExperimentAsked): void {
  const first: ExperimentState = { asked, variants: 1 };
  const request = asked.id === undefined ? toRequest(asked.url, asked.strategy) : toRequest(undefined);
  const { id } = asked;
  const view = { kind: 'experiment', request, state: first } as const;
  if (id === undefined) {
    stage.begin(request, () => openExperiment(stage, asked));
    stage.settle(request, view, 'Choose what to change.');
    return;
  }
  openView(stage, {
    request,
    first: view,
    read: options => readExperiment(id, options),
    settle(read, { signal }) {
      const known = read.ok ? toRequest(read.body.url, read.body.strategy) : request;
      const state = read.ok ? { ...first, answer: read.body } : { ...first, failure: read.failure };
      stage.settle(request, { kind: 'experiment', request: known, state }, read.ok ? 'Loaded.' : 'Loading failed.');
      if (read.ok && isLive(read.body)) follow(stage, id, signal);
    },
  });
}

/** Opens an experiment that has started as a new page: the back button returns to where it was started. */
const lead = ({ id }: ExperimentAnswer): void => location.assign(toExperimentAddress(id));

/** Starts an experiment of the most promising predictions of a result. */
export function measureWhatIf(stage: SessionStage, result: Result): void {
  const { id } = result;
  if (!id) return;
  const key = lookKey(result);
  const note = (measuring?: NonNullable<DetailsLook['measuring']>) =>
    stage.change('result', view => {
      const { measuring: _, ...look } = { ...noLook, ...view.looks[key] };
      return { ...view, looks: { ...view.looks, [key]: measuring === undefined ? look : { ...look, measuring } } };
    });
  note('starting');
  confirmWhatIf(id, optionsOf()).then(read => {
    // The back button may show this page as it is now, from the back-forward cache.
    if (read.ok) {
      note();
      return lead(read.body);
    }
    note(read.failure);
    stage.screen.announce('The experiment did not start.');
  });
}

export const createExperimentActions = (stage: SessionStage) => ({
  addVariant: () => stage.changeState('experiment', ({ variants }) => ({ variants: variants + 1 })),
  startExperiment(order: ExperimentOrder) {
    change(stage, { isStarting: true });
    startExperiment(order, optionsOf()).then(read => {
      const request = stage.request();
      if (!read.ok && wantsKey(read.failure) && request) return stage.settleFailure(request, read.failure);
      change(stage, { isStarting: false, stepFailure: read.ok ? undefined : read.failure });
      if (read.ok) return lead(read.body);
      stage.screen.announce('The experiment did not start.');
    });
  },
  /** Loads the report with the key, and saves it. */
  saveReport(address: string) {
    askForFile(address, optionsOf()).then(reply => {
      if (reply.ok) saveBlob(reply.name ?? 'experiment.html', reply.blob);
      else change(stage, { stepFailure: reply.failure });
      stage.screen.announce(reply.ok ? 'The report is saved.' : 'The report could not be loaded.');
    });
  },
  cancelExperiment() {
    const id = stage.viewOf('experiment')?.state.asked.id;
    if (id === undefined) return;
    const options = optionsOf();
    cancelJob(id, options).then(async cancelled => {
      const read = cancelled.ok ? await readExperiment(id, options) : cancelled;
      if (read.ok) change(stage, { answer: read.body as ExperimentAnswer, stepFailure: undefined });
      else change(stage, { stepFailure: read.failure });
      stage.screen.announce(read.ok ? 'Cancelled.' : 'That failed.');
    });
  },
});
