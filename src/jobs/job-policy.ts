/**
 * Rules that decide which jobs an instance may work on. Instances with different rules may share one database. A job,
 * its schedule and its callback are handled only by instances that have the rules under which it was accepted, and that
 * know its client.
 */
import { raw, type Statement, sql } from '../storage/database/sql.ts';
import type { JobRequest } from './job.ts';

export type Takes = {
  /** The TARGETS setting as text. */
  targets: string;
  /** Analyser of the PSI side: `embedded`, `google`, or the name of another server. */
  analyser: string;
  /** Names of clients whose keys this instance has; null without keys. */
  clients: readonly string[] | null;
  /**
   * Whether the instance audits on its own machine, because all loads of an experiment must run on the machine of its
   * job.
   */
  audits: boolean;
  /** Whether the instance has the ACCESS_KEY of the store. */
  hasAccessKey?: boolean;
};

/**
 * Returns the rules under which an instance accepts jobs of a kind. They do not include the analyser for local audits.
 * @param isPrivate whether its pages need an access
 */
export const toPolicy = (takes: Takes, kind: JobRequest['kind'], isPrivate = false): string => {
  if (isPrivate) return `${toPolicy(takes, kind)} ${forPrivate}`;
  if (kind === 'experiment') return `${takes.targets} experiment`;
  return kind === 'lighthouse' ? takes.targets : `${takes.targets} ${takes.analyser}`;
};

/** Rule of work with an access to a private page, whose secrets only instances with the key can open. */
const forPrivate = 'access';

/** Rules that an instance publishes to the others. */
export type Published = { targets: string; policies: string[]; clients: readonly string[] | null };

export function toPublished(takes: Takes): Published {
  const kinds = ['lighthouse', 'psi', ...(takes.audits ? ['experiment' as const] : [])] as const;
  const isPrivate = takes.hasAccessKey ? [false, true] : [false];
  return {
    targets: takes.targets,
    policies: isPrivate.flatMap(own => kinds.map(kind => toPolicy(takes, kind, own))),
    clients: takes.clients,
  };
}

const keyPrefix = 'key ';

/** Returns whether the client is identified by a key, rather than by its IP address. */
const hasKey = (client: string): boolean => client.startsWith(keyPrefix);

type Owned = { policy: string | null; client: string };

/** Rules of all instances that accept jobs from this database, or once did. */
export type Takers = {
  running: readonly Published[];
  /** TARGETS of all instances, including stopped ones. */
  targets: readonly string[];
};

/**
 * Returns whether an instance has the rules of a job. Jobs of an earlier version record no rules: if all instances have
 * had the same TARGETS, those apply. Otherwise, the job is accepted only by an instance that measures only public
 * pages, because that is safe.
 */
const knowsPolicy = (takes: Published, { policy }: Owned, all: Takers['targets']): boolean =>
  policy === null
    ? takes.targets === 'public' || all.every(targets => targets === takes.targets)
    : takes.policies.includes(policy);

const knowsClient = ({ clients }: Published, { client }: Owned): boolean =>
  clients === null ? !hasKey(client) : clients.includes(client);

/** Returns `knowsPolicy` and `knowsClient` as a SQL condition on rows of `jobs` or `schedules`. */
export const whereTaken = ({ targets, policies, clients }: Published, table: 'jobs' | 'schedules'): Statement =>
  sql`(${raw(table)}.policy IN (${policies}) OR (${raw(table)}.policy IS NULL AND ${
    targets === 'public' ? raw('1 = 1') : sql`NOT EXISTS (SELECT 1 FROM job_takers WHERE targets <> ${targets})`
  })) AND ${
    clients === null ? raw(`${table}.client NOT LIKE '${keyPrefix}%'`) : sql`${raw(table)}.client IN (${clients})`
  }`;

/** Returns the reason why no instance works on an item; null if one does. */
export type ToReason = (owned: Owned) => Promise<string | null>;

/** Explains to the client, in a sentence, why an item is waiting. */
export function whyWaiting({ running, targets }: Takers, owned: Owned): string | null {
  const withClient = running.filter(takes => knowsClient(takes, owned));
  if (withClient.some(takes => knowsPolicy(takes, owned, targets))) return null;
  if (withClient.length === 0)
    return hasKey(owned.client)
      ? 'The service no longer accepts the key of this client.'
      : 'The client sent no key, and the service now requires one.';
  return owned.policy === null
    ? 'An earlier version accepted the job, and the instances that share this store have different TARGETS.'
    : `No running instance has the TARGETS${owned.policy.endsWith(` ${forPrivate}`) ? ', the ACCESS_KEY' : ''} and the analyser under which the job was accepted.`;
}

/** Returns whether this instance accepts an item, whatever the rules of other instances. */
export const surelyTakes = (takes: Published, owned: Owned): boolean =>
  owned.policy !== null && knowsClient(takes, owned) && knowsPolicy(takes, owned, []);
