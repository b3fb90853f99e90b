/**
 * Which jobs an instance may work on. Instances with different rules may share one database: a job, its schedule and
 * its callback stay with instances that have the rules under which they were accepted, and that know their client.
 */
import type { Statement } from '../storage/database/sql.ts';
import type { JobRequest } from './job.ts';

export type Takes = {
  /** The TARGETS setting as text. */
  targets: string;
  /** Where pages of the remote side go: `embedded`, `google`, or the name of another server. */
  analyser: string;
  /** Names of clients whose keys this instance has; null without keys. */
  clients: readonly string[] | null;
  /** Whether it audits on its own machine: all loads of an experiment run where its job does. */
  audits: boolean;
};

/** The rules under which an instance accepts jobs of a kind. A local audit has nothing to do with the analyser. */
export const toPolicy = (takes: Takes, kind: JobRequest['kind']): string => {
  if (kind === 'experiment') return `${takes.targets} experiment`;
  return kind === 'lighthouse' ? takes.targets : `${takes.targets} ${takes.analyser}`;
};

/** What an instance tells the others of what it takes. */
export type Published = { targets: string; policies: string[]; clients: readonly string[] | null };

export const toPublished = (takes: Takes): Published => ({
  targets: takes.targets,
  policies: [
    toPolicy(takes, 'lighthouse'),
    toPolicy(takes, 'psi'),
    ...(takes.audits ? [toPolicy(takes, 'experiment')] : []),
  ],
  clients: takes.clients,
});

const keyPrefix = 'key ';

/** Whether the client had a key, rather than an address only. */
const hasKey = (client: string): boolean => client.startsWith(keyPrefix);

type Owned = { policy: string | null; client: string };

/** All instances that take jobs, or have taken some of this database. */
export type Takers = {
  running: readonly Published[];
  /** The TARGETS of all, also of those that do not run. */
  targets: readonly string[];
};

/**
 * An earlier version did not say under which rules it accepted a job. If all instances have had the same TARGETS, it
 * was under those. Otherwise only an instance that measures public pages alone takes it: there it can do no harm.
 */
const knowsPolicy = (takes: Published, { policy }: Owned, all: Takers['targets']): boolean =>
  policy === null
    ? takes.targets === 'public' || all.every(targets => targets === takes.targets)
    : takes.policies.includes(policy);

const knowsClient = ({ clients }: Published, { client }: Owned): boolean =>
  clients === null ? !hasKey(client) : clients.includes(client);

/** `knowsPolicy` and `knowsClient` as a condition on rows of `jobs` or `schedules`. */
export function whereTaken(takes: Published, table: 'jobs' | 'schedules'): Statement {
  const { targets, policies, clients } = takes;
  const marks = (count: number) => Array.from({ length: count }, () => '?').join(', ');
  const isUnmixed = targets === 'public' ? '1 = 1' : 'NOT EXISTS (SELECT 1 FROM job_takers WHERE targets <> ?)';
  const ofPolicy = `(${table}.policy IN (${marks(policies.length)}) OR (${table}.policy IS NULL AND ${isUnmixed}))`;
  const ofClient =
    clients === null ? `${table}.client NOT LIKE '${keyPrefix}%'` : `${table}.client IN (${marks(clients.length)})`;
  return {
    sql: `${ofPolicy} AND ${ofClient}`,
    values: [...policies, ...(targets === 'public' ? [] : [targets]), ...(clients ?? [])],
  };
}

/** Why no instance works on something; null if one does. */
export type ToReason = (owned: Owned) => Promise<string | null>;

/** As a sentence for its client. */
export function whyWaiting({ running, targets }: Takers, owned: Owned): string | null {
  const withClient = running.filter(takes => knowsClient(takes, owned));
  if (withClient.some(takes => knowsPolicy(takes, owned, targets))) return null;
  if (withClient.length === 0)
    return hasKey(owned.client)
      ? 'The service no longer accepts the key of this client.'
      : 'The client sent no key, and the service now requires one.';
  return owned.policy === null
    ? 'An earlier version accepted the job, and the instances that share this store have different TARGETS.'
    : 'No running instance has the TARGETS and the analyser under which the job was accepted.';
}

/** Whether this instance takes it, whatever others do. */
export const surelyTakes = (takes: Published, owned: Owned): boolean =>
  owned.policy !== null && knowsClient(takes, owned) && knowsPolicy(takes, owned, []);
