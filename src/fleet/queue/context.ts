/** State that the parts of an instance in a fleet share. */
import type { TracePath } from '../../contract/trace.ts';
import type { LocalAnalyser } from '../../measure/lighthouse/pool.ts';
import type { ReadPage } from '../../measure/lighthouse/read-page.ts';
import type { Vault } from '../../storage/access/vault.ts';
import type { FleetDatabase } from '../database.ts';
import type { Role } from '../membership.ts';
import type { Notices } from '../notices.ts';
import type { AuditJob, Patience } from './messages.ts';

export type FleetSettings = {
  /** Database and notices. They are not closed here, because other parts of the instance use them. */
  database: FleetDatabase;
  notices: Notices;
  role: Role;
  version: string;
  /** Target rules. Instances audit only for others with the same rules. */
  targets: string | readonly string[];
  /** Max number of parallel audits on this machine. */
  slots: number;
  /** Max number of waiting audits per machine that audits. */
  waitingPerMachine: number;
  timeoutMs: number;
  /** Pool of this machine; undefined if it does not audit. */
  pool: LocalAnalyser | undefined;
  /** Detects a failure of the page in Lighthouse's result. */
  checkPage: (job: AuditJob) => ReadPage<object>;
  /** Seals the accesses of audits in the queue, and opens them; undefined without ACCESS_KEY. */
  vault?: Vault | undefined;
  patience?: Patience | undefined;
  /** Links the spans of an audit to the trace of its request, on any machine; undefined if tracing is off. */
  tracePath?: TracePath | undefined;
  log: (event: string, facts: Record<string, unknown>) => void;
};

/** @property queueName the queue of the instances with the same target rules */
export type FleetContext = FleetSettings & { readonly instance: string; readonly queueName: string };
