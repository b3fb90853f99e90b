/** Runs requests from the URL or the form: measures them, reads stored data, or displays earlier results. */
import type { PageRequest } from '../../../api-client/page-request.ts';
import type { SitemapRequest } from '../../../api-client/sitemap.ts';
import type { ChangeRequest } from '../../../api-client/stored/change.ts';
import type { ExperimentAsked } from '../../../api-client/stored/experiment.ts';
import type { HistoryRequest } from '../../../api-client/stored/history.ts';
import type { HomeRequest } from '../../../api-client/stored/home.ts';
import type { Answer } from '../../../presentation/answer.ts';
import type { SideNames } from '../../../presentation/side-names.ts';
import type { Actions } from '../view.ts';
import { completeResult, createActions } from './actions.ts';
import { createStage, optionsOf, type PageScreen, throwUnlessAborted } from './current-view.ts';
import { createExperimentActions, openExperiment } from './experiment.ts';
import { createHomeActions, openHome, openStart } from './home.ts';
import { createLists } from './lists.ts';
import { compareWithEarlier, measurePage } from './measure-page.ts';
import { openChange, openHistory, openResult, openResults, openSitemap } from './read.ts';
import type { RecalledList } from './recall.ts';
import { type PageRun, startRun } from './run.ts';

export type Session = {
  /** Measures the pages, and cancels earlier work. */
  run(
    request: PageRequest,
    options?: {
      readonly fresh: boolean;
      readonly earlier?: Answer | undefined;
      /** A run that already exists. */
      readonly run?: PageRun | undefined;
    },
  ): void;
  /** Follows a running measurement, or displays stored results, or else measures. */
  open(request: PageRequest, kept: RecalledList): void;
  /** Like `open`, for going back or forward: results in this tab are displayed immediately. */
  recall(request: PageRequest, kept: RecalledList): void;
  /** Displays that a request was cancelled before the page was reloaded. */
  cancelled(request: PageRequest): void;
  /** Displays one stored result. */
  result(id: string): void;
  /** Displays the history of a page. */
  history(asked: HistoryRequest): void;
  /** Displays the changes between two stored results. */
  change(asked: ChangeRequest): void;
  /** Shows an experiment, or the form for a new one. */
  experiment(asked: ExperimentAsked): void;
  /** Displays the sites, the schedules and jobs, or the status of the service. */
  home(asked: HomeRequest): void;
  /** Displays all stored pages below the form of the initial page. */
  start(): void;
  /** Displays the pages of a site, for starting a list. */
  sitemap(asked: SitemapRequest): void;
};

/**
 * @param names names of the sides in the service's configuration
 * @param keepsResults whether the service stores results
 */
export function createSession(screen: PageScreen, names: SideNames, keepsResults: boolean): Session {
  const stage = createStage(screen, view => screen.show(view, actions));
  const lists = createLists(stage, keepsResults);
  // A job would store the secrets of the conditions.
  const toRun = ({ conditions }: PageRequest, fresh: boolean) =>
    keepsResults && !conditions ? startRun(fresh) : undefined;

  const session: Session = {
    run(request, { fresh, earlier, run = toRun(request, fresh) } = { fresh: false }) {
      if (request.urls.length > 1) return lists.measure(request, fresh);
      const signal = stage.begin(request, () => session.run(request, { fresh, earlier, run }));
      const options = { ...optionsOf(signal), fresh, earlier, run };
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
      // The run was cancelled in the meantime.
      if (!known) return session.open(request, { ...kept, run: undefined });
      const signal = stage.begin(request, () => session.run(request));
      stage.settle(request, known, 'Shown again from before.');
      if (known.kind !== 'result') return;
      // The view is the one from before its parts were loaded.
      completeResult(stage);
      compareWithEarlier(stage, known.answer, known.notes ?? [], optionsOf(signal));
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
