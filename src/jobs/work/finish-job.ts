/** Ends a job: sets its state, adds its callback, and sets the baseline for the next run of its schedule. */

import { pickConditions } from '../../contract/measuring-options.ts';
import type { MessageFormat } from '../../contract/names.ts';
import type { Problem } from '../../contract/problem.ts';
import { toConditionsId } from '../../measure/shown-conditions.ts';
import type { Statement } from '../../storage/database/sql.ts';
import { toAlarmLine, toEndLine, toFailureLine, toMessageBody } from '../callbacks/messages.ts';
import { mostToldPages, toCallbackBody } from '../callbacks/to-body.ts';
import type { Job, PageRow } from '../job.ts';
import { type Alerts, findAlarms, type ReadShown } from '../schedules/alerts.ts';
import type { Schedule } from '../schedules/next-time.ts';
import {
  type CompareRuns,
  compareJobs,
  eachPage,
  isOfPage,
  listFailureChanges,
  type RunChanges,
} from '../schedules/run-changes.ts';
import {
  type JobEnd,
  listPages,
  readAlerts,
  readJob,
  readSchedule,
  toAlerts,
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
  /** Undefined if results are not stored. */
  readShown: ReadShown | undefined;
  now: () => number;
  /** Why the job ends before its pages, which then show no changes. */
  failure?: Problem | undefined;
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

/** A job without any result failed with the error of its first page. */
async function readEnd(
  { database, failure }: FinishParts,
  { id, failed, total }: Job,
): Promise<Pick<JobEnd, 'state' | 'error'>> {
  if (failure) return { state: 'failed', error: failure };
  if (failed < total) return { state: 'succeeded', error: null };
  const [first] = await database.ask(rows => listPages(rows, id, { after: -1, limit: 1 }));
  return { state: 'failed', error: first?.outcome?.error ?? null };
}

/** Returns the text of a callback; undefined if there is nothing to report. */
type Told = { body: string | undefined; alerts?: Alerts };

/** Writes the JSON of a callback. A schedule may want only those of runs in which something changed. */
async function toSignedBody(
  parts: FinishParts,
  job: Job,
  schedule: Schedule | undefined,
  { end, signal }: { end: JobEnd; signal: AbortSignal },
): Promise<Told> {
  const wantsChanges = schedule?.callbackWhen === 'verdict_changes';
  const changes = wantsChanges ? await readChanges(parts, schedule, job.id, signal) : noChanges;
  if (wantsChanges && !changes.isChanged) return { body: undefined };
  const pages = await parts.database.ask(rows => listPages(rows, job.id, { after: -1, limit: mostToldPages }));
  return { body: toCallbackBody(job, end, pages, changes.verdicts) };
}

/** Writes a message for people: about what changed in a run of a schedule, or about the end of another job. */
async function toMessages(
  { database, readShown, now }: FinishParts,
  job: Job,
  { format, origin }: { readonly format: MessageFormat; readonly origin: string },
  schedule: Schedule | undefined,
  signal: AbortSignal,
): Promise<Told> {
  const { id, request, scheduleId } = job;
  const linkOf = ({ position }: PageRow) => `${origin}/jobs/${id}/pages/${position}`;
  if (scheduleId === null) {
    const pages = await database.ask(rows => listPages(rows, id, { after: -1, limit: 1 }));
    return { body: toMessageBody(format, [toEndLine(job, pages, `${origin}/jobs/${id}`)]) };
  }
  // The schedule was removed in the meantime.
  if (!schedule) return { body: undefined };
  const { previousJobId, createdAtMs } = schedule;
  const failures =
    previousJobId === null ? [] : await database.ask(rows => listFailureChanges(rows, previousJobId, id));
  const conditions = toConditionsId(pickConditions(request));
  const wanted = {
    readShown: readShown ?? (async () => undefined),
    label: request.label,
    conditions,
    sinceMs: createdAtMs,
  };
  const { alarms, alerts } = await database.ask(async rows =>
    findAlarms(eachPage(rows, id), wanted, await readAlerts(rows, schedule.id), { nowMs: now(), signal }),
  );
  const lines = [
    ...alarms.map(alarm => toAlarmLine(alarm, origin)),
    ...failures.map(failure => toFailureLine(failure, linkOf(failure.page))),
  ];
  return { body: lines.length > 0 ? toMessageBody(format, lines) : undefined, alerts };
}

function tell(
  parts: FinishParts,
  job: Job,
  schedule: Schedule | undefined,
  ending: { end: JobEnd; signal: AbortSignal },
) {
  const { format = 'json', origin = '' } = job.request.message ?? {};
  return format === 'json'
    ? toSignedBody(parts, job, schedule, ending)
    : toMessages(parts, job, { format, origin }, schedule, ending.signal);
}

/** @throws the signal's reason */
export async function finishJob(
  given: FinishParts,
  { id }: Pick<Job, 'id'>,
  owner: string,
  signal: AbortSignal,
): Promise<void> {
  const parts = given.failure ? { ...given, compare: undefined, readShown: undefined } : given;
  const { database, now } = parts;
  const job = await database.ask(rows => readJob(rows, id));
  if (!job) return;
  const { scheduleId, callback } = job;
  const schedule = scheduleId === null ? undefined : await database.ask(rows => readSchedule(rows, scheduleId));
  const end: JobEnd = { ...(await readEnd(parts, job)), endedAtMs: now() };
  const statements: Statement[] = [toEnd(id, end, owner), toSecretRemoval(id)];
  if (callback !== null) {
    const told = await tell(parts, job, schedule, { end, signal });
    if (told.body !== undefined) {
      const delivery = { id: toDeliveryId(id), jobId: id, url: callback, body: told.body, createdAtMs: now() };
      statements.push(toDeliveryInsert(delivery, end.state));
    }
    if (schedule && told.alerts) statements.push(toAlerts(schedule.id, told.alerts, { jobId: id, state: end.state }));
  }
  // A run without results because of an outage shows nothing about the pages, so it cannot be the next baseline.
  if (schedule && (end.state === 'succeeded' || isOfPage(end.error))) statements.push(toPrevious(schedule.id, id));
  signal.throwIfAborted();
  await database.write(statements);
}
