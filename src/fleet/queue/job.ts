/** What travels between the instance that asks for an audit and the one that runs it. Plain data. */

import { createHash } from 'node:crypto';
import type { AuditStage } from '../../contract/analysis/progress.ts';
import type { TraceContext } from '../../contract/trace.ts';
import type { PlainError } from '../../errors.ts';
import type { AuditRequest } from '../../lighthouse/pool.ts';
import type { HostConditions } from '../../result/to-result.ts';
import { queuePrefix } from './boss.ts';

const toHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 12);

/** Part of the name of the queue: a job of a newer kind waits for a worker that knows it. */
const kind = 1;

/**
 * Only instances whose rules for targets are the same audit for each other: the worker opens the page, and what it may
 * reach there is a matter of its own rules.
 */
export function toQueueName(targets: string | readonly string[]): string {
  const name = typeof targets === 'string' ? targets : toHash([...targets].sort().join(' '));
  return `${queuePrefix}${kind}.${name}`;
}

export type AuditJob = {
  /** The instance that asks. */
  owner: string;
  /** The name of the client. */
  client: string;
  request: AuditRequest;
  isExclusive: boolean;
  keepArtifacts: boolean;
  /** Whether anybody hears of its stages. */
  wantsProgress: boolean;
  /** Where the span of the audit belongs. */
  trace?: TraceContext | undefined;
};

/** Beside it are the bytes of the Lighthouse result, where there is no failure. */
export type AuditOutcome =
  | { failure: PlainError }
  | { conditions: HostConditions; attempt: number; artifacts: string | undefined; repeated?: number | undefined };

/** Where notices for one instance go. */
export const toTopic = (instance: string): string => `instance.${instance}`;
/** Where workers hear of new jobs. */
export const toJobsTopic = (queue: string): string => `jobs.${queue}`;

/** What instances call out to each other; whoever misses one looks into the tables. */
export type Notice =
  /** To the owner: a worker has it, what it does now, it is through. */
  | { job: string; event: 'started'; attempt: number }
  | { job: string; event: 'progress'; stage: AuditStage }
  | { job: string; event: 'done' }
  /** To the worker: nobody wants it any more. */
  | { job: string; event: 'cancelled' }
  /** To the instance that is called and to the one that calls. */
  | { call: string; event: 'called' | 'answered' | 'withdrawn' };
