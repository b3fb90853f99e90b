/** The queue itself, pg-boss: what it is told, in one place. The first try to reach the database need not succeed. */
import { randomUUID } from 'node:crypto';
import type { PgBoss as Boss } from 'pg-boss';
import { StoreFaultError } from '../../results/fault.ts';
import { toPostgresFault } from '../../results/postgres/faults.ts';
import { type FleetDatabase, prepare, type Query } from '../database.ts';

/** Version of the tables that the installed pg-boss makes and works with. */
export const bossTables = 43;

/**
 * A newer pg-boss migrates its tables in place, under instances that still work with the older ones. So each version of
 * the tables has a schema of its own, and queue names of its own. The first version has the plain names.
 */
const isFirst = bossTables === 43;
export const queueSchema = isFirst ? 'rangelight_queue' : `rangelight_queue_${bossTables}`;
export const queuePrefix = isFirst ? 'audits.v' : `audits.b${bossTables}.v`;

/** The least that pg-boss takes: without a sign of life for so long, a job goes to another worker. */
export const leaseMs = 10_000;
/** A worker whose last sign of life is so old stops by itself: soon another has the job. */
export const ownLeaseMs = 9_000;
export const touchMs = 3_000;

/** Once more where a worker died, never a third time: a page may be what kills them. */
const retryLimit = 1;
/** Completed jobs are of no use to anybody. */
const deleteAfterSeconds = 60;

const settings = {
  schema: queueSchema,
  // Who notices that a worker is dead; both are needed.
  superviseIntervalSeconds: 2,
  monitorIntervalSeconds: 1,
  maintenanceIntervalSeconds: 60,
  // Own schedules, and notices of our own over the one connection for that.
  schedule: false,
  useListenNotify: false,
  persistWarnings: false,
  // It takes longer than our connections let a statement take, and what is cut off leaves an index of no use behind.
  reindex: false,
  // We have no flows; an hour is the longest interval.
  flowIntervalSeconds: 3600,
} as const;

export type Job<T> = { id: string; retryCount: number; data: T };

/** A queue of jobs on the database. All of it throws a StoreFaultError where the database cannot be used. */
export type JobQueue<T extends object> = {
  /** Puts a job into the queue, as part of a transaction. @param priority the highest comes first */
  send(query: Query, job: { id: string; data: T; priority: number; expireInSeconds: number }): Promise<void>;
  /** Takes the next jobs: nobody else gets them, as long as they are touched. */
  fetch(query: Query, atMost: number): Promise<Job<T>[]>;
  /** Signs of life. @returns the ids of those that are still this worker's */
  touch(jobs: readonly Job<T>[]): Promise<ReadonlySet<string>>;
  /** As part of a transaction. @returns false where the job is no longer this worker's */
  complete(query: Query, job: Job<T>): Promise<boolean>;
  /** Gives a job back: another worker takes it, if it has a try left. */
  fail(job: Job<T>, reason: string): Promise<void>;
  /** As part of a transaction; whoever runs it notices when it next touches it. */
  cancel(query: Query, ids: readonly string[], queueName?: string): Promise<void>;
};

export type BossHandle = {
  /** @throws StoreFaultError until the queue can be used for the first time */
  openQueue<T extends object>(name: string): Promise<JobQueue<T>>;
  close(): Promise<void>;
};

/** Its statements are a handful of texts with parameters. One that should differ each time fills no memory. */
const mostPrepared = 20;
const preparedTexts = new Set<string>();

const prepareOnce = (sql: string): void => {
  if (preparedTexts.has(sql) || preparedTexts.size === mostPrepared) return;
  preparedTexts.add(sql);
  prepare(`boss_${preparedTexts.size}`, sql);
};

/** pg-boss reads codes of PostgreSQL out of errors. */
const asItComes =
  (query: Query): Query =>
  (sql, values) => {
    // Without values it may be several statements, which cannot be prepared.
    if (values?.length) prepareOnce(sql);
    return query(sql, values).catch(error => {
      throw error instanceof StoreFaultError ? (error.cause ?? error) : error;
    });
  };

const toDb = (query: Query) => ({ executeSql: asItComes(query) });

/** Which jobs a command has reached: it is there, and not in the types. */
const settledOf = (response: object): readonly string[] =>
  'settled' in response && Array.isArray(response.settled) ? response.settled : [];

export async function createBoss(
  database: Pick<FleetDatabase, 'query' | 'open' | 'location'>,
  log: (event: string, facts: Record<string, unknown>) => void,
): Promise<BossHandle> {
  const { PgBoss } = await import('pg-boss');
  const boss: Boss = new PgBoss({ ...settings, db: toDb(database.query) });
  // Its own rounds fail while the database is gone, every second or two; the state of the fleet tells that once.
  boss.on('error', () => {});
  boss.on('warning', warning => log('the queue warns', { warning }));
  const queues = new Map<string, Promise<void>>();
  let isStarted = false;
  let starting: Promise<void> | undefined;

  async function guard<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw toPostgresFault(error, database.location);
    }
  }

  /** pg-boss would migrate older tables, and work on newer ones as if they were its own. */
  async function assertOwnTables(): Promise<void> {
    if (!(await boss.isInstalled())) return;
    const found = await boss.schemaVersion();
    if (found === bossTables) return;
    const message = `The tables of the queue (schema ${queueSchema}) have version ${found}; this Rangelight works with version ${bossTables}. Stop every instance and drop the schema, or start the Rangelight that made it.`;
    throw new StoreFaultError('newer_database', message, { detail: database.location });
  }

  async function start(): Promise<void> {
    if (isStarted) return;
    starting ??= assertOwnTables()
      .then(() => boss.start())
      .then(
        () => {
          isStarted = true;
        },
        error => {
          starting = undefined;
          throw error;
        },
      );
    await starting;
  }

  async function create(name: string): Promise<void> {
    await boss.createQueue(name, {
      ...{ retryLimit, deleteAfterSeconds, heartbeatSeconds: leaseMs / 1000, retentionSeconds: 86_400 },
    });
    // It reads what it knows of a queue on first use, over a connection of its own: within a transaction of ours there
    // may be none left.
    await boss.cancel(name, [randomUUID()]);
  }

  return {
    openQueue: <T extends object>(name: string) =>
      guard(async () => {
        await database.open();
        await start();
        const creating = queues.get(name) ?? create(name);
        queues.set(name, creating);
        await creating.catch(error => {
          queues.delete(name);
          throw error;
        });
        const queue: JobQueue<T> = {
          send: (query, { id, data, ...options }) =>
            guard(async () => void (await boss.send(name, data, { id, ...options, db: toDb(query) }))),
          fetch: (query, atMost) => guard(() => boss.fetch<T>(name, { batchSize: atMost, db: toDb(query) })),
          touch: jobs => guard(async () => new Set(settledOf(await boss.touch(name, [...jobs])))),
          complete: (query, job) =>
            guard(async () =>
              settledOf(await boss.complete(name, [job], undefined, { db: toDb(query) })).includes(job.id),
            ),
          fail: (job, reason) => guard(async () => void (await boss.fail(name, [job], { reason }))),
          cancel: (query, ids, queueName = name) =>
            guard(async () => void (await boss.cancel(queueName, [...ids], { db: toDb(query) }))),
        };
        return queue;
      }),
    close: () => boss.stop({ graceful: false, close: false }),
  };
}
