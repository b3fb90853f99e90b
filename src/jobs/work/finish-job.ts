/** Ends a job: sets its state, adds its callback, and sets the baseline for the next run of its schedule. */

import { pickConditions } from '../../contract/measuring-options.ts';
import type { MessageFormat } from '../../contract/names.ts';
import type { Problem } from '../../contract/problem.ts';
import { toConditionsId } from '../../measure/shown-conditions.ts';
import type { Statement } from '../../storage/database/sql.ts';
import { toAlarmLine, toEndLine, toFailureLine, toMessageBody } from '../callbacks/messages.ts';
import { mostToldPages, type PageVerdict, toCallbackBody } from '../callbacks/to-body.ts';
import type { Job, PageRow } from '../job.ts';
import { type Alerts, findAlarms, type PageAlarm, type ReadShown, toKey } from '../schedules/alerts.ts';
import type { Schedule } from '../schedules/next-time.ts';
import {
  type CompareRuns,
  compareJobs,
  eachPage,
  findFailureChanges,
  isOfPage,
  type PageVerdicts,
} from '../schedules/run-changes.ts';
import {
  type JobEnd,
  listPages,
  type Named,
  readJob,
  readNamed,
  readSchedule,
  toDeliveryId,
  toDeliveryInsert,
  toEnd,
  toNamed,
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

/** A run of a schedule. `isBaseline`: the next one will be compared with it. */
type Ending = { end: JobEnd; isBaseline: boolean; signal: AbortSignal };

/** Text of a callback; undefined if there is nothing to report. `named`: what the next one need not report. */
type CallbackText = { body: string | undefined; named?: Named };

async function readChanges({ database }: FinishParts, jobId: string, schedule: Schedule, isBaseline: boolean) {
  const { id, previousJobId } = schedule;
  return database.ask(async rows => {
    const { alerts, failures } = await readNamed(rows, id);
    if (previousJobId === null) return { alerts, changes: [], known: {} };
    const jobs = { beforeId: previousJobId, afterId: jobId, isBaseline };
    return { alerts, ...(await findFailureChanges(rows, jobs, failures)) };
  });
}

/** Decides which changes of the histories of its pages a run of a schedule names. */
function readAlarms(
  { database, readShown, now }: FinishParts,
  { id, request }: Job,
  { createdAtMs: sinceMs }: Schedule,
  earlier: Alerts,
  signal: AbortSignal,
) {
  const wanted = {
    readShown: readShown ?? (async () => undefined),
    label: request.label,
    runs: 'runs' in request ? request.runs : 1,
    conditions: toConditionsId(pickConditions(request)),
    sinceMs,
  };
  return database.ask(rows => findAlarms(eachPage(rows, id), wanted, earlier, { nowMs: now(), signal }));
}

const isOfLane = (one: PageVerdict, other: PageVerdict): boolean =>
  one.strategy === other.strategy && one.source === other.source;

const toVerdict = ({ strategy, source, change }: PageAlarm): PageVerdict => ({
  strategy,
  source,
  status: change?.status ?? 'better',
});

/** Returns alerts of changes that this callback tells, so that the history does not tell them once more. */
const toTold = (pages: readonly PageRow[], compared: PageVerdicts, seenAtMs: number): Alerts =>
  Object.fromEntries(
    pages.flatMap(({ position, url }) =>
      (compared.get(position) ?? []).filter(isChange).map(verdict => {
        const told = { status: verdict.status as 'better' | 'worse', before: 0, seenAtMs, isOver: true };
        return [toKey({ ...verdict, url }), told] as const;
      }),
    ),
  );

const isChange = ({ status }: PageVerdict): boolean => status === 'better' || status === 'worse';

/**
 * Writes the JSON of a callback. A schedule may want only those of runs in which something changed: against the run
 * before, or in the history of a page, which finds what a single run does not show.
 */
async function toSignedBody(
  parts: FinishParts,
  job: Job,
  schedule: Schedule | undefined,
  { end, isBaseline, signal }: Ending,
): Promise<CallbackText> {
  const { database, compare, now } = parts;
  const listed = () => database.ask(rows => listPages(rows, job.id, { after: -1, limit: mostToldPages }));
  if (schedule?.callbackWhen !== 'verdict_changes') return { body: toCallbackBody(job, end, await listed()) };
  const { previousJobId } = schedule;
  const { alerts: earlier, changes, known: failures } = await readChanges(parts, job.id, schedule, isBaseline);
  const compared: PageVerdicts =
    compare && previousJobId !== null
      ? await database.ask(rows => compareJobs({ database: rows, compare }, previousJobId, job.id, signal))
      : new Map();
  const { alarms, alerts } = await readAlarms(parts, job, schedule, earlier, signal);
  const pages = await listed();
  const verdicts = new Map(
    pages.flatMap(({ position, url }) => {
      const found = alarms.filter(alarm => alarm.url === url).map(toVerdict);
      const others = (compared.get(position) ?? []).filter(verdict => !found.some(alarm => isOfLane(alarm, verdict)));
      const all = [...found, ...others];
      return all.length > 0 ? [[position, all] as const] : [];
    }),
  );
  const isChanged = changes.length > 0 || alarms.length > 0 || [...compared.values()].flat().some(isChange);
  const body = isChanged ? toCallbackBody(job, end, pages, verdicts) : undefined;
  return { body, named: { alerts: { ...alerts, ...toTold(pages, compared, now()) }, failures } };
}

/** Writes a message for people: about what changed in a run of a schedule, or about the end of another job. */
async function toMessages(
  parts: FinishParts,
  job: Job,
  { format, origin }: { readonly format: MessageFormat; readonly origin: string },
  schedule: Schedule | undefined,
  { isBaseline, signal }: Ending,
): Promise<CallbackText> {
  const { database } = parts;
  const { id, scheduleId } = job;
  const linkOf = ({ position }: PageRow) => `${origin}/jobs/${id}/pages/${position}`;
  if (scheduleId === null) {
    const pages = await database.ask(rows => listPages(rows, id, { after: -1, limit: 1 }));
    return { body: toMessageBody(format, [toEndLine(job, pages, `${origin}/jobs/${id}`)]) };
  }
  // The schedule was removed in the meantime.
  if (!schedule) return { body: undefined };
  const { alerts: earlier, changes, known: failures } = await readChanges(parts, id, schedule, isBaseline);
  const { alarms, alerts } = await readAlarms(parts, job, schedule, earlier, signal);
  const lines = [
    ...alarms.map(alarm => toAlarmLine(alarm, origin)),
    ...changes.map(change => toFailureLine(change, linkOf(change.page))),
  ];
  return { body: lines.length > 0 ? toMessageBody(format, lines) : undefined, named: { alerts, failures } };
}

function tell(parts: FinishParts, job: Job, schedule: Schedule | undefined, ending: Ending): Promise<CallbackText> {
  const { format = 'json', origin = '' } = job.request.message ?? {};
  return format === 'json'
    ? toSignedBody(parts, job, schedule, ending)
    : toMessages(parts, job, { format, origin }, schedule, ending);
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
  // A run without results because of an outage shows nothing about the pages, so it cannot be the next baseline.
  const isBaseline = end.state === 'succeeded' || isOfPage(end.error);
  const statements: Statement[] = [toEnd(id, end, owner), toSecretRemoval(id)];
  if (callback !== null) {
    const told = await tell(parts, job, schedule, { end, isBaseline, signal });
    if (told.body !== undefined) {
      const delivery = { id: toDeliveryId(id), jobId: id, url: callback, body: told.body, createdAtMs: now() };
      statements.push(toDeliveryInsert(delivery, end.state));
    }
    if (schedule && told.named) statements.push(toNamed(schedule.id, told.named, { jobId: id, state: end.state }));
  }
  if (schedule && isBaseline) statements.push(toPrevious(schedule.id, id));
  signal.throwIfAborted();
  await database.write(statements);
}
