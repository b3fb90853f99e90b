/** What asking the fleet comes to. */
import type { AuditOutcome } from '../job.ts';

/** The database is gone, or no one is there to audit: the analyser decides what then. */
export class FleetGone extends Error {}

/** The database answers, and no machine that audits is there. */
export class NobodyAudits extends FleetGone {}

/** What another machine, or this one, has measured. */
export type Asked = Exclude<AuditOutcome, { failure: unknown }> & { bytes: Buffer };

/** How long the fleet may be silent while someone waits for an answer. */
export type Patience = {
  /** Longer than workers and other instances believe in us: no one audits the page when we give up. */
  databaseMs: number;
  /** Without a machine that audits. */
  workersMs: number;
};

export const usualPatience: Patience = { databaseMs: 15_000, workersMs: 60_000 };
