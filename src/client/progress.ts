/** How far each analyser of a running request has come: events in, a way with its steps out. */
import type { Source } from './answer.ts';
import type { Told } from './ask-service.ts';
import { toOrdinal } from './numbers.ts';
import type { Lane } from './plan.ts';

export type LaneState = Lane & {
  /** Place among the steps of its source; what lies before is done. */
  readonly step: number;
  /** Place in the line, 1 for the next; only while it waits there. */
  readonly position?: number;
  /** The remote analyser failed by chance and is asked again. */
  readonly isRetry: boolean;
  /** Whether the service has said anything of it yet. */
  readonly isTold: boolean;
};

const laneSteps: Readonly<Record<Source, readonly string[]>> = {
  lighthouse: ['In line', 'Getting ready', 'Loading the page', 'Gathering', 'Auditing', 'Done'],
  psi: ['In line', 'Handed over', 'Measuring', 'Done'],
};

const stages: Readonly<Record<Source, Readonly<Record<string, number>>>> = {
  lighthouse: { preparing: 1, loading: 2, gathering: 3, auditing: 4 },
  psi: { waiting: 2, retrying: 2 },
};

export const stepsOf = ({ source }: Lane): readonly string[] => laneSteps[source];

export const startLane = ({ source, strategy }: Lane): LaneState => ({
  source,
  strategy,
  step: 0,
  isRetry: false,
  isTold: false,
});

export const isSameLane = (one: Lane, other: Lane): boolean =>
  one.source === other.source && one.strategy === other.strategy;

/** Where a lane is after an event; what is not understood changes nothing. A retry may lead back into the line. */
export function advance(lane: LaneState, told: Told): LaneState {
  const { position: _, ...rest } = lane;
  if (told.event === 'queued') return { ...rest, step: 0, position: told.position, isTold: true };
  if (told.event === 'started') return { ...rest, step: Math.max(1, lane.step), isTold: true };
  const step = told.event === 'progress' ? stages[lane.source][told.stage] : undefined;
  if (step === undefined) return lane;
  return {
    ...rest,
    step,
    isRetry: lane.isRetry || (told.event === 'progress' && told.stage === 'retrying'),
    isTold: true,
  };
}

export const finishLane = ({ position: _, ...lane }: LaneState): LaneState => ({
  ...lane,
  step: stepsOf(lane).length - 1,
  isTold: true,
});

/** The step a lane is at, as a person would say it. */
export function sayStep(lane: LaneState): string {
  if (!lane.isTold) return 'Asked; the service has not said yet how far it is';
  if (lane.step === 0 && lane.position !== undefined)
    return lane.position === 1 ? 'Next in line' : `${toOrdinal(lane.position)} in line`;
  const step = stepsOf(lane)[lane.step] ?? '';
  return lane.isRetry && lane.step === stages.psi.retrying ? `${step}, second attempt` : step;
}
