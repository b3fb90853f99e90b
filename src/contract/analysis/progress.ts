/** Progress of a long analysis: the data of its events. */
import type { Source } from '../errors.ts';
import type { Strategy } from '../names.ts';

/** Stages of an audit, in order. */
export const stages = ['preparing', 'loading', 'gathering', 'auditing'] as const;
export type Stage = (typeof stages)[number];

/** `repeating`: other work disturbed the load, so the stages start again with nothing else running on the machine. */
export type AuditStage = Stage | 'repeating';

/** A step of one audit: its position in the queue (1 is next), its start, or its stage. */
export type AuditProgress =
  | { event: 'queued'; position: number }
  | { event: 'started' }
  | { event: 'progress'; stage: AuditStage };

/** The state of a PSI call: in flight, or waiting for a retry. */
export type RemoteStage = 'waiting' | 'retrying';

/** One entry of a batch has ended, with a result or a failure. */
type BatchProgress = {
  event: 'progress';
  source: 'psi';
  stage: 'finished';
  index: number;
  url: string;
  done: number;
  total: number;
};

/** Number of this local run, and max number of runs; `runs=auto` may need fewer. */
type RunProgress = { run: number; runs: number };

/** One step of a long analysis, with the part that it belongs to. */
export type Progress =
  | ({ source: Source; strategy: Strategy } & Partial<RunProgress> &
      (AuditProgress | { event: 'progress'; stage: RemoteStage }))
  | BatchProgress;

/** Called while an analysis runs. It must not throw. */
export type OnProgress = (progress: Progress) => void;
