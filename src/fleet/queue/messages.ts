/** Messages between the instance that requests an audit and the one that runs it, as plain data. */

import { createHash } from 'node:crypto';
import type { AuditStage } from '../../contract/analysis/progress.ts';
import type { PlainError } from '../../contract/errors.ts';
import type { TraceContext } from '../../contract/trace.ts';
import type { HostConditions } from '../../measure/lhr/to-result.ts';
import type { AuditRequest } from '../../measure/lighthouse/pool.ts';

const toHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 12);

/**
 * Part of the queue's name. A job of a newer kind waits for a worker that supports it. Versions with pg-boss used
 * `audits.v1`.
 */
const kind = 't2';

/**
 * Returns the name of the queue, which depends on the target rules: only instances with the same rules audit for each
 * other, because the worker opens the page by its own rules.
 */
export function toQueueName(targets: string | readonly string[]): string {
  const name = typeof targets === 'string' ? targets : toHash([...targets].sort().join(' '));
  return `audits.${kind}.${name}`;
}

/**
 * The one lease of the fleet: time without a heartbeat after which an instance is dead. Its requests are removed, and
 * its audits go to another worker.
 */
export const leaseMs = 10_000;
/** Time without a confirmed heartbeat after which a worker ends its audits itself, because another one will have them. */
export const ownLeaseMs = 9_000;

export type AuditJob = {
  /** Instance that requests the audit. */
  owner: string;
  client: string;
  request: AuditRequest;
  /** Its access, sealed under the key of this name for this audit alone. */
  sealed?: { readonly key: string; readonly access: string } | undefined;
  keepArtifacts: boolean;
  /** Whether a client receives the progress of the audit. */
  wantsProgress: boolean;
  /** Trace context of the audit's span. */
  trace?: TraceContext | undefined;
};

/** Outcome of an audit. The bytes of a result follow separately. */
export type AuditOutcome =
  | { failure: PlainError }
  | { conditions: HostConditions; attempt: number; artifacts: string | undefined; repeated?: number | undefined };

export const toTopic = (instance: string): string => `instance.${instance}`;
export const toJobsTopic = (queue: string): string => `jobs.${queue}`;

/** Notices between instances. An instance that misses one reads the tables. */
export type Notice =
  /** To the owner: a worker has started the audit, reached a stage, or ended the audit. */
  | { job: string; event: 'started'; attempt: number }
  | { job: string; event: 'progress'; stage: AuditStage }
  | { job: string; event: 'done' }
  /** To the worker: no client waits for the audit any more. */
  | { job: string; event: 'cancelled' }
  /** To the called instance, and to the calling one. */
  | { call: string; event: 'called' | 'answered' | 'withdrawn' };

/** The database is unavailable, no instance can audit, or the job was lost. The analyser decides what happens next. */
export class FleetGone extends Error {}

/** The database is available, but no machine that audits is alive. */
export class NobodyAudits extends FleetGone {}

/** Result of an audit by this machine or another. */
export type Asked = Exclude<AuditOutcome, { failure: unknown }> & { bytes: Buffer };

/** Max times that a client waits while the fleet cannot answer. */
export type Patience = {
  /**
   * Max time without the database. It exceeds the lease of this instance, so no worker audits the page after it has
   * given up.
   */
  databaseMs: number;
  /** Max time without a machine that audits. */
  workersMs: number;
};

export const usualPatience: Patience = { databaseMs: 15_000, workersMs: 60_000 };
