/** What travels between the instance that asks for an audit and the one that runs it. Plain data. */

import { createHash } from 'node:crypto';
import type { AuditStage } from '../../contract/analysis/progress.ts';
import type { PlainError } from '../../contract/errors.ts';
import type { TraceContext } from '../../contract/trace.ts';
import type { HostConditions } from '../../measure/lhr/to-result.ts';
import type { AuditRequest } from '../../measure/lighthouse/pool.ts';

const toHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 12);

/**
 * Part of the name of the queue: a job of a newer kind waits for a worker that knows it. Versions whose queue was
 * pg-boss named theirs `audits.v1`.
 */
const kind = 't1';

/**
 * Only instances whose rules for targets are the same audit for each other: the worker opens the page, and its own rules
 * decide what the page may reach there.
 */
export function toQueueName(targets: string | readonly string[]): string {
  const name = typeof targets === 'string' ? targets : toHash([...targets].sort().join(' '));
  return `audits.${kind}.${name}`;
}

/** An instance without a sign of life for so long is dead, and its audits go to another worker. */
export const leaseMs = 10_000;
/** A worker whose last sign of life is so old ends its audits by itself: soon another worker has them. */
export const ownLeaseMs = 9_000;
export const touchMs = 3_000;

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

/** Next to it are the bytes of the Lighthouse result, unless it is a failure. */
export type AuditOutcome =
  | { failure: PlainError }
  | { conditions: HostConditions; attempt: number; artifacts: string | undefined; repeated?: number | undefined };

/** Where notices for one instance go. */
export const toTopic = (instance: string): string => `instance.${instance}`;
/** Where workers hear of new jobs. */
export const toJobsTopic = (queue: string): string => `jobs.${queue}`;

/** What instances call out to each other; an instance that misses one looks into the tables. */
export type Notice =
  /** To the owner: a worker has it, what it does now, it has ended. */
  | { job: string; event: 'started'; attempt: number }
  | { job: string; event: 'progress'; stage: AuditStage }
  | { job: string; event: 'done' }
  /** To the worker: no client waits for it any more. */
  | { job: string; event: 'cancelled' }
  /** To the instance that is called and to the one that calls. */
  | { call: string; event: 'called' | 'answered' | 'withdrawn' };
