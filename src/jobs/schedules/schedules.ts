/** What a client asks of its schedules. */
import { AnalysisError } from '../../errors.ts';
import { createResultId } from '../../results/result-id.ts';
import type { SqlDatabase } from '../../results/sql/database.ts';
import {
  countSchedules,
  listSchedules,
  readSchedule,
  readScheduleUrls,
  removeSchedule,
  toPause,
  toScheduleInsert,
} from '../sql/schedule-rows.ts';
import { firstTime, nextTimeAfter } from './next-time.ts';
import type { NewSchedule, Schedule } from './schedule.ts';

export type ScheduleOrder = Omit<NewSchedule, 'id' | 'createdAtMs' | 'nextAtMs'>;

/** All of it throws a StoreFaultError where the database cannot be used. */
export type Schedules = {
  /** @throws AnalysisError `queue_full` where the client has too many already */
  add(order: ScheduleOrder): Promise<Schedule>;
  read(id: string): Promise<Schedule | undefined>;
  urls(id: string): Promise<string[]>;
  /** Of this client, newest first. */
  list(client: string, limit: number): Promise<Schedule[]>;
  /** Paused, it misses its times: none of them is caught up. */
  pause(id: string, isPaused: boolean): Promise<Schedule | undefined>;
  /** Its jobs stay. */
  remove(id: string): Promise<boolean>;
};

const mostSchedules = 100;
const retryAfterSeconds = 60;

export function createSchedules({
  database,
  now,
  onChange,
}: {
  database: SqlDatabase;
  now: () => number;
  onChange: () => void;
}): Schedules {
  return {
    async add(order) {
      if ((await countSchedules(database, order.client)) >= mostSchedules) {
        const detail = `This client has ${mostSchedules} schedules, which is the most. Remove one first.`;
        throw new AnalysisError('queue_full', detail, { retryAfterSeconds });
      }
      const nowMs = now();
      const schedule = { ...order, id: createResultId(nowMs), createdAtMs: nowMs };
      await database.write([toScheduleInsert({ ...schedule, nextAtMs: firstTime(order.rhythm, nowMs) })]);
      onChange();
      const added = await readSchedule(database, schedule.id);
      if (!added) throw new Error('a schedule that was just added is gone');
      return added;
    },
    read: id => readSchedule(database, id),
    urls: id => readScheduleUrls(database, id),
    list: (client, limit) => listSchedules(database, client, limit),
    async pause(id, isPaused) {
      const schedule = await readSchedule(database, id);
      if (!schedule) return undefined;
      const nextAtMs = nextTimeAfter(schedule.rhythm, schedule.createdAtMs, now());
      await database.write([toPause(id, isPaused, nextAtMs)]);
      onChange();
      return readSchedule(database, id);
    },
    remove: id => removeSchedule(database, id),
  };
}
