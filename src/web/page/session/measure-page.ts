/** Measures one page: displays its progress, its result and, if it was measured again, its changes. */
import type { AskOptions } from '../../../api-client/ask-service.ts';
import type { PageRequest } from '../../../api-client/page-request.ts';
import { type LaneState, sayStep } from '../../../api-client/progress.ts';
import { runPage } from '../../../api-client/run-page.ts';
import { findChange } from '../../../api-client/stored/change.ts';
import { idsOf } from '../../../api-client/stored/kept-result.ts';
import { type Answer, columnsOf } from '../../../presentation/answer.ts';
import type { SideNames } from '../../../presentation/side-names.ts';
import type { ChangeNote } from '../answer-state.ts';
import { changeAnswer, completeResult } from './actions.ts';
import { type SessionStage, throwUnlessAborted } from './current-view.ts';
import { type PageRun, secondsOf } from './run.ts';

/** Creates the notes that compare each stored part with the same part of the earlier answer. */
function toNotes(earlier: Answer, answer: Answer): ChangeNote[] {
  const columns = columnsOf(answer);
  const known = columnsOf(earlier);
  return columns.flatMap(({ source, strategy, part }) => {
    const same = known.find(column => column.source === source && column.strategy === strategy)?.part;
    const [before, after] = [same, part].map(side => (side?.ok ? side.result.id : undefined));
    if (!before || !after || before === after) return [];
    return [{ before, after, source, strategy, isOneOfMany: columns.length > 1 }];
  });
}

const sayLanes = (lanes: readonly LaneState[], names: SideNames): string =>
  lanes
    .filter(({ isReported }) => isReported)
    .map(lane => `${names[lane.source].short}, ${lane.strategy}: ${sayStep(lane)}`)
    .join('. ');

/** Fills in each note without an outcome when its comparison is known. */
export function compareWithEarlier(
  stage: SessionStage,
  shown: Answer,
  notes: readonly ChangeNote[],
  options: AskOptions,
): void {
  for (const { before, after } of notes.filter(({ outcome }) => outcome === undefined))
    findChange({ before, after }, options).then(outcome => {
      changeAnswer(stage, shown, view => ({
        notes: view.notes?.map(note => (note.after === after ? { ...note, outcome } : note)) ?? [],
      }));
      if (stage.viewOf('result')?.answer !== shown) return;
      if (outcome.kind === 'found') stage.screen.announce(outcome.change.verdict.explanation);
    }, throwUnlessAborted(options.signal));
}

type MeasureOptions = AskOptions & {
  readonly earlier: Answer | undefined;
  /**
   * Run of the measurement; undefined if the service stores no results, because the page must then wait for its
   * response.
   */
  readonly run: PageRun | undefined;
};

/** @throws only the signal's reason */
export async function measurePage(
  stage: SessionStage,
  names: SideNames,
  request: PageRequest,
  { earlier, run, ...wantedOptions }: MeasureOptions,
): Promise<void> {
  const { urls, ...wanted } = request;
  const options = { ...wantedOptions, jobKey: run?.key };
  const startedAt = performance.now() - (run ? secondsOf(run) * 1000 : 0);
  const seconds = () => (performance.now() - startedAt) / 1000;
  const onLanes = (lanes: readonly LaneState[]): void => {
    if (options.signal.aborted) return;
    stage.show({ kind: 'running', request, lanes, seconds: seconds() });
    stage.screen.announce(sayLanes(lanes, names));
  };
  stage.screen.remember(request, { run });
  stage.show({ kind: 'running', request, lanes: [], seconds: seconds() });
  stage.everySecond(() => stage.change('running', view => ({ ...view, seconds: seconds() })));
  const outcome = await runPage({ ...wanted, url: urls[0] ?? '', detailed: true }, onLanes, options);
  if (options.signal.aborted) return;
  if (!outcome.ok) return stage.settleFailure(request, outcome.failure);
  const { answer, bodies } = outcome.body;
  stage.screen.keep(request, idsOf(bodies));
  const notes = earlier ? toNotes(earlier, answer) : [];
  const compared = notes.length > 0 ? { notes } : {};
  stage.settle(request, { kind: 'result', request, answer, bodies, looks: {}, ...compared }, 'The result is ready.');
  completeResult(stage);
  compareWithEarlier(stage, answer, notes, options);
}
