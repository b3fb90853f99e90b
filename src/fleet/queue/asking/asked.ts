/** Results and errors of audits by the fleet. */
import type { AuditOutcome } from '../messages.ts';

/** The database is unavailable, no instance can audit, or the job was lost: the analyser decides what to do. */
export class FleetGone extends Error {}

/** The database is available, but no machine that audits is alive. */
export class NobodyAudits extends FleetGone {}

/** Result of an audit by this machine or another. */
export type Asked = Exclude<AuditOutcome, { failure: unknown }> & { bytes: Buffer };

/** How long the fleet may be silent while a client waits for an answer. */
export type Patience = {
  /** Longer than the lease of this instance: no worker audits the page after it gives up. */
  databaseMs: number;
  /** Max time without a machine that audits. */
  workersMs: number;
};

export const usualPatience: Patience = { databaseMs: 15_000, workersMs: 60_000 };
