import type { Source } from '../errors.ts';
import type { AuditProgress } from '../lighthouse/pool.ts';
import type { Strategy } from '../report/report.ts';

/** What a remote analysis is doing: its call is out, or will go out again. */
export type RemoteStage = 'waiting' | 'retrying';

/** One entry of a batch has ended, in whatever way. */
export type BatchProgress = {
  event: 'progress';
  source: 'psi';
  stage: 'finished';
  url: string;
  done: number;
  total: number;
};

/** One step of a long analysis, and of which part of it. */
export type Progress =
  | ({ source: Source; strategy: Strategy } & (AuditProgress | { event: 'progress'; stage: RemoteStage }))
  | BatchProgress;

/** Told while an analysis runs. It must not throw. */
export type OnProgress = (progress: Progress) => void;
