/** Turns the events of a running request into the current step of each analyser. */

import type { Source } from '../contract/errors.ts';
import { toOrdinal } from '../presentation/numbers.ts';
import type { ProgressUpdate } from './ask-service.ts';
import type { Lane } from './plan.ts';

export type LaneState = Lane & {
  /** Index among the steps of its source; those before it are done. */
  readonly step: number;
  /** Position in the queue, 1 for the next; only while it is queued. */
  readonly position?: number;
  /** Whether the call to the PSI server failed and is retried. */
  readonly isRetry: boolean;
  /** Whether other work disturbed the load, so that it is measured again. */
  readonly isRepeat: boolean;
  /** Number of this local run, and max number of runs; absent for a single run. */
  readonly run?: number;
  readonly runs?: number;
  /** Whether an event of this lane has arrived. */
  readonly isReported: boolean;
};

const laneSteps: Readonly<Record<Source, readonly string[]>> = {
  lighthouse: ['Queued', 'Starting', 'Loading the page', 'Gathering', 'Auditing', 'Done'],
  psi: ['Queued', 'Sent', 'Measuring', 'Done'],
};

const stages: Readonly<Record<Source, Readonly<Record<string, number>>>> = {
  lighthouse: { repeating: 1, preparing: 1, loading: 2, gathering: 3, auditing: 4 },
  psi: { waiting: 2, retrying: 2 },
};

export const stepsOf = ({ source }: Lane): readonly string[] => laneSteps[source];

export const startLane = ({ source, strategy }: Lane): LaneState => ({
  source,
  strategy,
  step: 0,
  isRetry: false,
  isRepeat: false,
  isReported: false,
});

export const isSameLane = (one: Lane, other: Lane): boolean =>
  one.source === other.source && one.strategy === other.strategy;

const toPlace = ({ position }: { readonly position: number }) => (Number.isFinite(position) ? { position } : {});

/** Returns the lane after an event; an unknown event changes nothing. A retry may be queued again. */
export function advance(lane: LaneState, update: ProgressUpdate): LaneState {
  const { position: _, ...known } = lane;
  // A terminal shows numbers as they are, so a text in their place is ignored.
  const isCounted = [update.run, update.runs ?? 1].every(Number.isFinite);
  const rest =
    update.run === undefined || !isCounted ? known : { ...known, run: update.run, runs: update.runs ?? update.run };
  if (update.event === 'queued') return { ...rest, step: 0, ...toPlace(update), isReported: true };
  const isNextRun = update.run !== undefined && update.run !== lane.run;
  if (update.event === 'started') return { ...rest, step: isNextRun ? 1 : Math.max(1, lane.step), isReported: true };
  const step = update.event === 'progress' ? stages[lane.source][update.stage] : undefined;
  if (step === undefined) return lane;
  return {
    ...rest,
    step,
    isRetry: lane.isRetry || (update.event === 'progress' && update.stage === 'retrying'),
    isRepeat: lane.isRepeat || (update.event === 'progress' && update.stage === 'repeating'),
    isReported: true,
  };
}

export const finishLane = ({ position: _, ...lane }: LaneState): LaneState => ({
  ...lane,
  step: stepsOf(lane).length - 1,
  isReported: true,
});

/** Returns the current step of a lane in words. */
export function sayStep(lane: LaneState): string {
  const isOver = lane.step === stepsOf(lane).length - 1;
  const run = lane.runs === undefined || isOver ? '' : `Run ${lane.run} of ${lane.runs}: `;
  return `${run}${sayOneRun(lane)}`;
}

function sayOneRun(lane: LaneState): string {
  if (!lane.isReported) return 'Sent, no progress reported yet';
  if (lane.step === 0 && lane.position !== undefined)
    return lane.position === 1 ? 'Next in the queue' : `${toOrdinal(lane.position)} in the queue`;
  const step = stepsOf(lane)[lane.step] ?? '';
  if (lane.isRepeat) return `${step} again: the first load was disturbed`;
  return lane.isRetry && lane.step === stages.psi.retrying ? `${step} again` : step;
}
