/** What a long analysis tells while it runs: the data of its events. */
import type { Source } from '../errors.ts';
import type { Strategy } from '../names.ts';

/** What an audit is doing, in its order. */
export const stages = ['preparing', 'loading', 'gathering', 'auditing'] as const;
export type Stage = (typeof stages)[number];

/** `repeating`: other work disturbed the load, so the stages begin again with nothing else running on the machine. */
export type AuditStage = Stage | 'repeating';

/** A step of one audit: its position in the queue (1 is next), its start, what it does. */
export type AuditProgress =
  | { event: 'queued'; position: number }
  | { event: 'started' }
  | { event: 'progress'; stage: AuditStage };

/** What a remote analysis is doing: its call is out, or will go out again. */
export type RemoteStage = 'waiting' | 'retrying';

/** One entry of a batch has ended, in whatever way. */
type BatchProgress = {
  event: 'progress';
  source: 'psi';
  stage: 'finished';
  url: string;
  done: number;
  total: number;
};

/** Of several local runs: which one, of how many; `runs=auto` may need fewer. */
type RunProgress = { run: number; runs: number };

/** One step of a long analysis, and of which part of it. */
export type Progress =
  | ({ source: Source; strategy: Strategy } & Partial<RunProgress> &
      (AuditProgress | { event: 'progress'; stage: RemoteStage }))
  | BatchProgress;

/** Called while an analysis runs. It must not throw. */
export type OnProgress = (progress: Progress) => void;
