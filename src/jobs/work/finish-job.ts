/** Ends a job: sets its state, adds its callback, and sets the baseline for the next run of its schedule. */
import type { Problem } from '../../contract/problem.ts';
import type { Statement } from '../../storage/database/sql.ts';
import { mostToldPages, toCallbackBody } from '../callbacks/to-body.ts';
import type { Job } from '../job.ts';
import type { Schedule } from '../schedules/next-time.ts';
import { type CompareRuns, compareJobs, isOfPage, type RunChanges } from '../schedules/verdicts.ts';
import {
  type JobEnd,
  listPages,
  readJob,
  readSchedule,
  toDeliveryId,
  toDeliveryInsert,
  toEnd,
  toPrevious,
  toSecretRemoval,
} from '../statements.ts';
import type { PatientDatabase } from './patient-database.ts';

export type FinishParts = {
  database: PatientDatabase;
  /** Undefined if results are not stored. */
  compare: CompareRuns | undefined;
  now: () => number;
};

const noChanges: RunChanges = { verdicts: new Map(), isChanged: false };

async function readChanges(
  { database, compare }: FinishParts,
  { previousJobId }: Schedule,
  jobId: string,
  signal: AbortSignal,
): Promise<RunChanges> {
  if (!compare || previousJobId === null) return noChanges;
  return database.ask(rows => compareJobs({ database: rows, compare }, previousJobId, jobId, signal));
}

const readFirstError = async (database: PatientDatabase, jobId: string): Promise<Problem | null> => {
  const [first] = await database.ask(rows => listPages(rows, jobId, { after: -1, limit: 1 }));
  return first?.outcome?.error ?? null;
};

/** @throws the signal's reason */
export async function finishJob(
  parts: FinishParts,
  { id }: Pick<Job, 'id'>,
  owner: string,
  signal: AbortSignal,
): Promise<void> {
  const { database, now } = parts;
  const job = await database.ask(rows => readJob(rows, id));
  if (!job) return;
  const { scheduleId, callback } = job;
  const schedule = scheduleId === null ? undefined : await database.ask(rows => readSchedule(rows, scheduleId));
  const state = job.failed < job.total ? 'succeeded' : 'failed';
  const error = state === 'failed' ? await readFirstError(database, id) : null;
  const wantsChanges = callback !== null && schedule?.callbackWhen === 'verdict_changes';
  const changes = wantsChanges ? await readChanges(parts, schedule, id, signal) : noChanges;
  const end: JobEnd = { state, error, endedAtMs: now() };
  const statements: Statement[] = [toEnd(id, end, owner), toSecretRemoval(id)];
  if (callback !== null && (!wantsChanges || changes.isChanged)) {
    const pages = await database.ask(rows => listPages(rows, id, { after: -1, limit: mostToldPages }));
    const body = toCallbackBody(job, end, pages, changes.verdicts);
    const delivery = { id: toDeliveryId(id), jobId: id, url: callback, body, createdAtMs: now() };
    statements.push(toDeliveryInsert(delivery, state));
  }
  // A run without results because of an outage shows nothing about the pages, so it cannot be the next baseline.
  if (schedule && (state === 'succeeded' || isOfPage(error))) statements.push(toPrevious(schedule.id, id));
  signal.throwIfAborted();
  await database.write(statements);
}
