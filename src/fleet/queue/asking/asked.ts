/** Results and errors of audits by the fleet. */
import type { AuditOutcome } from '../messages.ts';

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
