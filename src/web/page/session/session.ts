/** One request after another, from the address or from the form: measured, read, or shown again from before. */
import type { PageRequest } from '../../../api-client/page-request.ts';
import type { SitemapRequest } from '../../../api-client/sitemap.ts';
import type { ChangeRequest } from '../../../api-client/stored/change.ts';
import type { ExperimentAsked } from '../../../api-client/stored/experiment.ts';
import type { HistoryRequest } from '../../../api-client/stored/history.ts';
import type { HomeRequest } from '../../../api-client/stored/home.ts';
import type { Answer } from '../../../presentation/answer.ts';
import type { SideNames } from '../../../presentation/side-names.ts';
import { readApiKey } from '../key/api-key.ts';
import type { Actions } from '../view.ts';
import { completeResult, createActions } from './actions.ts';
import { createExperimentActions, openExperiment } from './experiment.ts';
import { createHomeActions, openHome, openStart } from './home.ts';
import { createLists } from './lists.ts';
import { measurePage } from './measure-page.ts';
import { openChange, openHistory, openResult, openResults, openSitemap } from './read.ts';
import type { Kept } from './recall.ts';
import { type Run, startRun } from './run.ts';
import { createStage, type Screen, throwUnlessAborted } from './stage.ts';

type RunOptions = {
  readonly fresh: boolean;
  readonly earlier?: Answer | undefined;
  /** One that is at work already. */
  readonly run?: Run | undefined;
};

export type Session = {
  /** Measures; cancels what was at work before. */
  run(request: PageRequest, options?: RunOptions): void;
  /** Follows what is measured now, or shows what is stored; if there is neither, it measures. */
  open(request: PageRequest, kept: Kept): void;
  /** The same for a step back or forth: what this tab still has is shown at once. */
  recall(request: PageRequest, kept: Kept): void;
  /** Shows that a request was cancelled before the page was loaded again. */
  cancelled(request: PageRequest): void;
  /** Shows one stored result, of whatever page it is. */
  result(id: string): void;
  /** Shows how a page developed. */
  history(asked: HistoryRequest): void;
  /** Shows what changed between two kept results. */
  change(asked: ChangeRequest): void;
  /** Shows an experiment, or the form for a new one. */
  experiment(asked: ExperimentAsked): void;
  /** Shows all pages at once, schedules, or how the service is. */
  home(asked: HomeRequest): void;
  /** Shows all stored pages below the form of the page as it opens. */
  start(): void;
  /** Shows the pages that a site names, to start a list with. */
  sitemap(asked: SitemapRequest): void;
};

/**
 * @param names of the sides, as the service is configured
 * @param keepsResults whether the service keeps results
 */
export function createSession(screen: Screen, names: SideNames, keepsResults: boolean): Session {
  const stage = createStage(screen, view => screen.show(view, actions));
  const lists = createLists(stage, keepsResults);

  const session: Session = {
    run(request, { fresh, earlier, run = keepsResults ? startRun(fresh) : undefined } = { fresh: false }) {
      if (request.urls.length > 1) return lists.measure(request, fresh);
      const signal = stage.begin(request, () => session.run(request, { fresh, earlier, run }));
      const options = { signal, fresh, earlier, run, apiKey: readApiKey() };
      measurePage(stage, names, request, { ...options, complete: completeResult }).catch(throwUnlessAborted(signal));
    },
    open(request, { ids, memory, run }) {
      if (request.urls.length > 1) lists.open(request, memory, run);
      else if (run) session.run(request, { fresh: run.fresh, run });
      else if (ids.length > 0) openResults(stage, request, ids, completeResult);
      else session.run(request);
    },
    recall(request, kept) {
      const known = stage.recall(request, kept);
      // The run in progress has been cancelled since.
      if (!known) return session.open(request, { ...kept, run: undefined });
      stage.begin(request, () => session.run(request));
      stage.settle(request, known, 'Shown again from before.');
    },
    cancelled(request) {
      stage.begin(request, () => session.run(request));
      stage.settle(request, { kind: 'cancelled', request }, 'Cancelled.');
    },
    result: id => openResult(stage, id, completeResult),
    history: asked => openHistory(stage, asked),
    change: asked => openChange(stage, asked),
    sitemap: asked => openSitemap(stage, asked),
    experiment: asked => openExperiment(stage, asked),
    home: asked => openHome(stage, asked),
    start: () => openStart(stage),
  };
  const actions: Actions = {
    ...createActions(stage, lists, session.run),
    ...createHomeActions(stage),
    ...createExperimentActions(stage),
  };
  return session;
}
