/** Runs requests from the URL or the form: measures them, reads stored data, or displays earlier results. */
import type { PageRequest } from '../../../api-client/page-request.ts';
import type { SitemapRequest } from '../../../api-client/sitemap.ts';
import type { ChangeRequest } from '../../../api-client/stored/change.ts';
import type { ExperimentAsked } from '../../../api-client/stored/experiment.ts';
import type { HistoryRequest } from '../../../api-client/stored/history.ts';
import type { HomeRequest } from '../../../api-client/stored/home.ts';
import type { Answer } from '../../../presentation/answer.ts';
import type { SideNames } from '../../../presentation/side-names.ts';
import { type Actions, completeResult, createActions } from './actions.ts';
import { createStage, optionsOf, type PageScreen, throwUnlessAborted } from './current-view.ts';
import { createExperimentActions, openExperiment } from './experiment.ts';
import { createHomeActions, openHome, openStart } from './home.ts';
import { createLists } from './lists.ts';
import { compareWithEarlier, measurePage } from './measure-page.ts';
import { openChange, openHistory, openResult, openResults, openSitemap } from './read.ts';
import type { RecalledList } from './recall.ts';
import { type PageRun, startRun } from './run.ts';

type RunChoices = {
  readonly fresh: boolean;
  readonly earlier?: Answer | undefined;
  readonly run?: PageRun | undefined;
};

/**
 * @param names names of the sides in the service's configuration
 * @param keepsResults whether the service stores results
 */
export function createSession(screen: PageScreen, names: SideNames, keepsResults: boolean) {
  const stage = createStage(screen, view => screen.show(view, actions));
  const lists = createLists(stage, keepsResults);
  // A job would store the secrets of the conditions.
  const toRun = ({ conditions }: PageRequest, fresh: boolean) =>
    keepsResults && !conditions ? startRun(fresh) : undefined;

  const session = {
    /** Measures the pages, and cancels earlier work. @param options `run`: one that already exists */
    run(request: PageRequest, { fresh, earlier, run = toRun(request, fresh) }: RunChoices = { fresh: false }) {
      if (request.urls.length > 1) return lists.measure(request, fresh);
      const signal = stage.begin(request, () => session.run(request, { fresh, earlier, run }));
      const options = { ...optionsOf(signal), fresh, earlier, run };
      measurePage(stage, names, request, options).catch(throwUnlessAborted(signal));
    },
    /** Follows a running measurement, or displays stored results, or else measures. */
    open(request: PageRequest, { ids, memory, run }: RecalledList) {
      if (request.urls.length > 1) lists.open(request, memory, run);
      else if (run) session.run(request, { fresh: run.fresh, run });
      else if (ids.length > 0) openResults(stage, request, ids);
      else session.run(request);
    },
    /** Like `open`, for going back or forward: results in this tab are displayed immediately. */
    recall(request: PageRequest, kept: RecalledList) {
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
    /** Displays that a request was cancelled before the page was reloaded. */
    cancelled(request: PageRequest): void {
      stage.begin(request, () => session.run(request));
      stage.settle(request, { kind: 'cancelled', request }, 'Cancelled.');
    },
    result: (id: string) => openResult(stage, id),
    history: (asked: HistoryRequest) => openHistory(stage, asked),
    change: (asked: ChangeRequest) => openChange(stage, asked),
    sitemap: (asked: SitemapRequest) => openSitemap(stage, asked),
    experiment: (asked: ExperimentAsked) => openExperiment(stage, asked),
    home: (asked: HomeRequest) => openHome(stage, asked),
    /** Displays all stored pages below the form of the initial page. */
    start: () => openStart(stage),
  };
  const actions: Actions = {
    ...createActions(stage, lists, session.run),
    ...createHomeActions(stage),
    ...createExperimentActions(stage),
  };
  return session;
}
