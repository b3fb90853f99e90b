/** Reads the request of a list or a schedule, and describes a schedule. */

import type { FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { refusalOf } from '../../../analysis/assert-target.ts';
import { ListRequest, type ScheduleFacts, ScheduleRequest } from '../../../contract/jobs/schedule.ts';
import { completeOptions, pickConditions, pickOptions } from '../../../contract/measuring-options.ts';
import type { ValidationError } from '../../../contract/problem.ts';
import { toCallbackUrl } from '../../../jobs/callbacks/callback-url.ts';
import type { ScheduledRequest } from '../../../jobs/job.ts';
import { assertCron, isTimezone, type Rhythm, type Schedule, toIntervalMs } from '../../../jobs/schedules/next-time.ts';
import type { ScheduleOrder, ScheduleState } from '../../../jobs/schedules/schedules.ts';
import { toConditionsId } from '../../../measure/shown-conditions.ts';
import { conditionFaults } from '../../input/condition-faults.ts';
import { readBody, toCategories } from '../../input/read-input.ts';
import { ValidationFailure, valueError } from '../../input/validation-error.ts';
import type { StoreSources } from '../results/stored.ts';
import { type AcceptSources, callbackFault, toMessage } from './accept-job.ts';
import { type ListPages, toListPages } from './list-pages.ts';

type Read = Required<Static<typeof ScheduleRequest>>;
type ReadList = Required<Static<typeof ListRequest>>;
type Fault = { field?: string | readonly (string | number)[]; fault: string };

const messageOf = (work: () => unknown): string | undefined => {
  try {
    work();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

const rhythmFaults = ({ cron, timezone, interval }: Read, isGiven: (name: string) => boolean): Fault[] => {
  if (isGiven('cron') === isGiven('interval')) return [{ fault: "specify exactly one of 'cron' and 'interval'" }];
  if (isGiven('timezone') && (!isGiven('cron') || !isTimezone(timezone ?? '')))
    return [
      { field: 'timezone', fault: "it must be the name of a time zone, such as Europe/Berlin, and needs 'cron'" },
    ];
  if (typeof cron === 'string') {
    const fault = messageOf(() => assertCron(cron, timezone ?? 'UTC', Date.now()));
    return fault === undefined ? [] : [{ field: 'cron', fault }];
  }
  if (typeof interval !== 'string') return [];
  const fault = messageOf(() => toIntervalMs(interval));
  return fault === undefined ? [] : [{ field: 'interval', fault }];
};

type CheckSources = Pick<AcceptSources, 'jobs' | 'policy' | 'analyser'>;
type Sources = CheckSources & StoreSources;

const callbackFaults = (
  sources: Sources,
  { callback, callback_format: format, callback_when: when }: Read,
  isGiven: (name: string) => boolean,
): Fault[] => {
  if (format !== 'json' && when === 'always' && isGiven('callback_when'))
    return [{ field: 'callback_when', fault: "'always' needs the format 'json': a message names a change" }];
  if (format !== 'json' && typeof callback !== 'string')
    return [{ field: 'callback_format', fault: 'there is no callback' }];
  const isByVerdict = format !== 'json' || when === 'verdict_changes';
  if (isByVerdict && typeof callback !== 'string') return [{ field: 'callback_when', fault: 'there is no callback' }];
  if (isByVerdict && !sources.store)
    return [{ field: 'callback_when', fault: 'a verdict needs stored results, and this service stores none' }];
  const fault = typeof callback === 'string' ? callbackFault(sources, callback) : undefined;
  return fault === undefined ? [] : [{ field: 'callback', fault }];
};

const listFaults = (sources: CheckSources, given: ReadList, isGiven: (name: string) => boolean): Fault[] => [
  ...(isGiven('urls') === isGiven('site') ? [{ fault: "specify exactly one of 'urls' and 'site'" }] : []),
  ...(isGiven('sample') && !isGiven('site') ? [{ field: 'sample', fault: "it needs 'site'" }] : []),
  ...(given.kind !== 'psi' && given.strategy === 'both'
    ? [{ field: 'strategy', fault: "'both' needs the kind 'psi': send one request for each strategy" }]
    : []),
  ...conditionFaults(sources, given.kind, given, given.urls ?? (given.site ? [given.site] : [])),
];

/** Returns the measurement of each page, with new results instead of cached ones. */
function toJobRequest(read: ReadList): ScheduledRequest {
  const { kind, strategy } = read;
  const options = { ...pickOptions('schedule', read), categories: toCategories(read.categories) };
  if (kind === 'psi') return { kind, ...pickOptions('psi', options), fresh: true };
  const local = completeOptions('page', { ...options, strategy: strategy === 'both' ? 'mobile' : strategy });
  return kind === 'lighthouse' ? { kind, ...local } : { kind, ...local, fresh: true };
}

const toRhythm = ({ cron, timezone, interval }: Read): Rhythm =>
  typeof cron === 'string' ? { cron, timezone: timezone ?? 'UTC' } : { interval: interval ?? '' };

/** Max number of faults in a response. */
const mostFaults = 20;

/** @throws ValidationFailure if this instance does not measure one of the pages */
export function assertMeasured(
  sources: Sources,
  { kind }: Pick<ScheduledRequest, 'kind'>,
  urls: readonly string[],
): void {
  const faults: ValidationError[] = [];
  for (const [index, url] of urls.entries()) {
    const refusal = refusalOf(sources, kind, url);
    if (refusal) faults.push(valueError(refusal.message)(['body', 'urls', index]));
    if (faults.length === mostFaults) break;
  }
  if (faults.length > 0) throw new ValidationFailure(faults);
}

/** Checks a schedule against the rules of this instance, which apply once it is resumed. @throws ValidationFailure */
export function assertResumable(sources: Sources, { request, callback }: Schedule, urls: readonly string[]): void {
  assertMeasured(sources, request, urls);
  const url = callback === null ? undefined : toCallbackUrl(sources.policy, callback);
  if (url && 'fault' in url) throw new ValidationFailure([valueError(url.fault)(['body', 'paused'])]);
}

export const bodyOf = ({ body, contentType }: FastifyRequest) => ({
  bytes: body as Buffer | undefined,
  contentType,
});

/** Returns the job of a list and its pages. @throws ValidationFailure */
export function readListRequest(sources: CheckSources, request: FastifyRequest) {
  const read = readBody(ListRequest, bodyOf(request), {
    isSound: true,
    check: (given, isGiven) => listFaults(sources, given, isGiven),
  });
  return {
    page: toListPages(read),
    request: toJobRequest(read),
    callback: read.callback,
    callbackFormat: read.callback_format,
  };
}

/** Returns the order of a schedule without its pages, and where they are. @throws ValidationFailure */
export function readScheduleRequest(
  sources: Sources,
  request: FastifyRequest,
): { pages: ListPages; order: Omit<ScheduleOrder, 'client' | 'urls'> } {
  const read = readBody(ScheduleRequest, bodyOf(request), {
    isSound: true,
    check: (given, isGiven) => [
      ...rhythmFaults(given, isGiven),
      ...listFaults(sources, given, isGiven),
      ...callbackFaults(sources, given, isGiven),
      ...(typeof given.access === 'object' && given.access !== null
        ? [
            {
              field: 'access',
              fault: 'a schedule stores no secrets: store it with PUT /access/NAME, and give its name',
            },
          ]
        : []),
    ],
  });
  const { callback, callback_format: format } = read;
  const jobRequest = { ...toJobRequest(read), ...toMessage(request, callback, format) };
  return {
    pages: toListPages(read),
    order: {
      request: jobRequest,
      rhythm: toRhythm(read),
      callback: read.callback ?? null,
      callbackWhen: format === 'json' ? read.callback_when : 'verdict_changes',
    },
  };
}

const toTime = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

export const toScheduleFacts = (schedule: ScheduleState): ScheduleFacts => {
  const { id, pages, rhythm, request, callback, callbackWhen, isPaused, lastJobId, reason } = schedule;
  return {
    id,
    pages,
    site: request.site ?? null,
    callback,
    cron: 'cron' in rhythm ? rhythm.cron : null,
    timezone: 'cron' in rhythm ? rhythm.timezone : null,
    interval: 'cron' in rhythm ? null : rhythm.interval,
    kind: request.kind,
    strategy: request.strategy,
    runs: request.kind === 'psi' ? null : request.runs,
    categories: [...request.categories],
    label: request.label,
    conditions: toConditionsId(pickConditions(request)),
    callback_format: request.message?.format ?? 'json',
    callback_when: callbackWhen,
    paused: isPaused,
    reason,
    created_at: new Date(schedule.createdAtMs).toISOString(),
    next_at: isPaused ? null : toTime(schedule.nextAtMs),
    last_at: toTime(schedule.lastAtMs),
    links: { self: `/schedules/${id}`, ...(lastJobId === null ? {} : { last_job: `/jobs/${lastJobId}` }) },
  };
};
