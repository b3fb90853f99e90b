/** Everything that clients can do with schedules. */
import { AnalysisError } from '../../contract/errors.ts';
import type { SqlDatabase } from '../../storage/database/sql.ts';
import { createResultId, isResultId } from '../../storage/results/result-id.ts';
import { scheduleBounds as bounds, exceededBound, type Idempotency } from '../job.ts';
import { type Takes, type ToReason, toPolicy } from '../job-policy.ts';
import { isPrivate } from '../job-secret.ts';
import {
  countSchedules,
  findRepeated,
  type ListPlace,
  listSchedules,
  readSchedule,
  readScheduleUrls,
  removeSchedule,
  toNextAt,
  toPause,
  toResume,
  toScheduleInsert,
} from '../statements.ts';
import { firstTime, type NewSchedule, nextTimeAfter, type Schedule } from './next-time.ts';

export type ScheduleOrder = Omit<NewSchedule, 'id' | 'createdAtMs' | 'nextAtMs' | 'policy'>;

/** @property reason why no instance starts its runs; null if one does */
export type ScheduleState = Schedule & { reason: string | null };

/** All methods throw a StoreFaultError if the database cannot be used. */
export type Schedules = {
  /**
   * Adds a schedule, with idempotency as for a job.
   * @throws AnalysisError `queue_full` if there are too many; KeyReusedError
   */
  add(order: ScheduleOrder): Promise<ScheduleState>;
  /** Returns the schedule that the client added with this idempotency key. @throws KeyReusedError */
  added(client: string, idempotency: Idempotency): Promise<ScheduleState | undefined>;
  read(id: string): Promise<ScheduleState | undefined>;
  urls(id: string): Promise<string[]>;
  /** Lists schedules, newest first. @param client null for all clients */
  list(client: string | null, place: ListPlace): Promise<ScheduleState[]>;
  /**
   * Pauses or resumes a schedule. Times missed during a pause are skipped. A resumed schedule gets the rules of this
   * instance, so its pages must be checked against them first.
   */
  pause(id: string, isPaused: boolean): Promise<ScheduleState | undefined>;
  /** Sets the next run to now, unless the schedule is paused. It starts when the last run has ended. */
  runNow(id: string): Promise<ScheduleState | undefined>;
  /** Removes a schedule, but not its jobs. */
  remove(id: string): Promise<boolean>;
};

const retryAfterSeconds = 60;

export type SchedulesParts = {
  database: SqlDatabase;
  now: () => number;
  takes: Takes;
  inTurn: <T>(client: string, work: () => Promise<T>) => Promise<T>;
  createToReason: () => ToReason;
  onChange: () => void;
};

export function createSchedules({ database, now, takes, inTurn, createToReason, onChange }: SchedulesParts): Schedules {
  const policyOf = (request: Schedule['request']) => toPolicy(takes, request.kind, isPrivate(request));

  const toState = async (schedule: Schedule, toReason = createToReason()): Promise<ScheduleState> =>
    Object.assign(schedule, { reason: await toReason(schedule) });

  const read = async (id: string): Promise<ScheduleState | undefined> => {
    const schedule = await readSchedule(database, id);
    return schedule && toState(schedule);
  };

  async function added(client: string, idempotency: Idempotency): Promise<ScheduleState | undefined> {
    const id = await findRepeated(database, 'schedules', client, idempotency);
    return id === undefined ? undefined : read(id);
  }

  async function assertRoom(client: string, pages: number): Promise<void> {
    const exceeded = exceededBound(bounds, await countSchedules(database), client, pages);
    if (!exceeded) return;
    const details = {
      'own count': `This client has ${bounds.own.count} schedules, which is the limit. Remove one first.`,
      'own pages': `The schedules of one client can have ${bounds.own.pages} pages in total. Remove one first.`,
      all: 'The service has as many schedules as it can store.',
    };
    throw new AnalysisError('queue_full', details[exceeded], { retryAfterSeconds });
  }

  async function add(order: ScheduleOrder): Promise<ScheduleState> {
    const { client, request, rhythm, idempotency } = order;
    const earlier = idempotency && (await added(client, idempotency));
    if (earlier) return earlier;
    await assertRoom(client, order.urls.length);
    const nowMs = now();
    const id = createResultId(nowMs);
    const facts = { id, createdAtMs: nowMs, nextAtMs: firstTime(rhythm, nowMs), policy: policyOf(request) };
    const [inserted] = await database.write([toScheduleInsert({ ...order, ...facts })]);
    onChange();
    // Another instance received the same request at the same time.
    const schedule = inserted === 0 && idempotency ? await added(client, idempotency) : await read(id);
    if (!schedule) throw new Error('a schedule that was just added is gone');
    return schedule;
  }

  return {
    add: order => inTurn(order.client, () => add(order)),
    added,
    read: async id => (isResultId(id) ? read(id) : undefined),
    urls: id => readScheduleUrls(database, id),
    async list(client, place) {
      const toReason = createToReason();
      const schedules = await listSchedules(database, client, place);
      return Promise.all(schedules.map(schedule => toState(schedule, toReason)));
    },
    async pause(id, isPaused) {
      const schedule = isResultId(id) ? await readSchedule(database, id) : undefined;
      if (!schedule) return undefined;
      const { rhythm, createdAtMs, request } = schedule;
      const resume = () => toResume(id, policyOf(request), nextTimeAfter(rhythm, createdAtMs, now()));
      await database.write([isPaused ? toPause(id) : resume()]);
      onChange();
      return read(id);
    },
    async runNow(id) {
      const schedule = isResultId(id) ? await readSchedule(database, id) : undefined;
      if (!schedule) return undefined;
      await database.write([toNextAt(schedule, now())]);
      onChange();
      return read(id);
    },
    remove: async id => isResultId(id) && removeSchedule(database, id),
  };
}
