/** Messages between the instance that requests an audit and the one that runs it, as plain data. */

import { createHash } from 'node:crypto';
import type { AuditStage } from '../../contract/analysis/progress.ts';
import type { PlainError } from '../../contract/errors.ts';
import type { TraceContext } from '../../contract/trace.ts';
import type { HostConditions } from '../../measure/lhr/to-result.ts';
import type { AuditRequest } from '../../measure/lighthouse/pool.ts';

const toHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 12);

/**
 * Part of the queue's name: a job of a newer kind waits for a worker that supports it. Versions with pg-boss used
 * `audits.v1`.
 */
const kind = 't1';

/**
 * Names the queue by the target rules: only instances with the same rules audit for each other, because the worker
 * opens the page by its own rules.
 */
export function toQueueName(targets: string | readonly string[]): string {
  const name = typeof targets === 'string' ? targets : toHash([...targets].sort().join(' '));
  return `audits.${kind}.${name}`;
}

/** An instance without a heartbeat for this time is dead, and its audits go to another worker. */
export const leaseMs = 10_000;
/**
 * A worker without a confirmed heartbeat for this time ends its audits itself, because another worker will soon have
 * them.
 */
export const ownLeaseMs = 9_000;
export const touchMs = 3_000;

export type AuditJob = {
  /** Instance that requests the audit. */
  owner: string;
  client: string;
  request: AuditRequest;
  isExclusive: boolean;
  keepArtifacts: boolean;
  /** Whether anyone receives its progress. */
  wantsProgress: boolean;
  /** Trace context of the audit's span. */
  trace?: TraceContext | undefined;
};

/** Outcome of an audit; a result is accompanied by its bytes. */
export type AuditOutcome =
  | { failure: PlainError }
  | { conditions: HostConditions; attempt: number; artifacts: string | undefined; repeated?: number | undefined };

/** Returns the topic of notices for one instance. */
export const toTopic = (instance: string): string => `instance.${instance}`;
/** Returns the topic of notices about new jobs. */
export const toJobsTopic = (queue: string): string => `jobs.${queue}`;

/** Notices between instances; an instance that misses one reads the tables. */
export type Notice =
  /** To the owner: a worker has started the audit, its progress, its end. */
  | { job: string; event: 'started'; attempt: number }
  | { job: string; event: 'progress'; stage: AuditStage }
  | { job: string; event: 'done' }
  /** To the worker: no client waits for it any more. */
  | { job: string; event: 'cancelled' }
  /** To the instance that is called, and to the one that calls. */
  | { call: string; event: 'called' | 'answered' | 'withdrawn' };
