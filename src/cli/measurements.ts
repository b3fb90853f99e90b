/** Converts pages to requests, and replies to displayable results. */

import type { Reply } from '../api-client/ask-service.ts';
import type { Backend } from '../api-client/page-request.ts';
import type { ServiceCall } from '../api-client/plan.ts';
import { advance, isSameLane, type LaneState, startLane } from '../api-client/progress.ts';
import type { Conditions } from '../contract/conditions/conditions.ts';
import type { Source } from '../contract/errors.ts';
import { type OptionAt, type OptionValue, pickConditions, pickOptions } from '../contract/measuring-options.ts';
import type { Strategy } from '../contract/names.ts';
import { isObject } from '../contract/result/details.ts';
import { type Answer, type Column, columnsOf, toAnswer } from '../presentation/answer.ts';
import { type FailureReason, toFailureReason } from '../presentation/errors-in-words.ts';
import type { Whole } from '../presentation/full-result/read.ts';
import { type Asking, send } from './ask-json.ts';
import type { Wanted } from './input/arguments.ts';
import { isWhole } from './input/assertion.ts';
import { toPlainBody } from './text/terminal/plain-text.ts';

type JobOptions = Asking & { onProgress(job: Measurement, lanes: readonly LaneState[]): void };

async function runJob(job: Measurement, options: JobOptions): Promise<FinishedMeasurement> {
  let lanes = job.call.lanes.map(startLane);
  const change = (toNext: (lane: LaneState) => LaneState) => {
    lanes = lanes.map(toNext);
    options.onProgress(job, lanes);
  };
  options.onProgress(job, lanes);
  const reply = await send(job.call, options, update =>
    change(lane => (isSameLane(lane, update) ? advance(lane, update) : lane)),
  );
  return toFinishedMeasurement(job, reply);
}

/**
 * Runs all jobs, several in parallel. A failed job does not stop the others.
 * @returns finished jobs in order; after an abort, those that had finished
 */
export async function runMeasurements(
  jobs: readonly Measurement[],
  options: JobOptions & {
    readonly atOnce: number;
    onDone(measured: FinishedMeasurement): void;
  },
): Promise<FinishedMeasurement[]> {
  const waiting = jobs.values();
  const done: FinishedMeasurement[] = [];
  const runNext = async (): Promise<void> => {
    for (const job of waiting) {
      const measured = await runJob(job, options);
      done[job.index] = measured;
      options.onDone(measured);
    }
  };
  try {
    await Promise.all(Array.from({ length: options.atOnce }, runNext));
  } catch (error) {
    if (!options.signal.aborted) throw error;
  }
  // `Object.values` skips the gaps of unfinished jobs.
  return Object.values(done);
}

/** One page with one strategy. */
export type Measurement = {
  readonly index: number;
  readonly url: string;
  readonly strategy: Strategy;
  readonly call: ServiceCall;
};

export type FinishedMeasurement = {
  readonly job: Measurement;
  /** Response as received; undefined if there was none. */
  readonly body: unknown;
  /** Plain text for display. A job has an answer or a failure. */
  readonly answer: Answer | undefined;
  readonly failure: FailureReason | undefined;
};

const paths: Readonly<Record<Backend, string>> = { remote: 'psi', local: 'lighthouse', compare: 'compare' };
const sources: Readonly<Record<Backend, readonly Source[]>> = {
  remote: ['psi'],
  local: ['lighthouse'],
  compare: ['psi', 'lighthouse'],
};

/** Max number of parallel requests: the service measures two pages locally, or four remotely, in parallel. */
export const parallelMeasurements: Readonly<Record<Backend, number>> = { remote: 4, local: 2, compare: 2 };

/** A measurement of one page, as the service is asked for it; by default with local Lighthouse. */
export type MeasureRequest = Partial<{ [Name in OptionAt<'page'>]: OptionValue<Name, 'page'> | undefined }> & {
  readonly url: string;
  readonly strategy: Strategy;
  readonly backend?: Backend;
  /** Whether the whole Lighthouse result is needed. */
  readonly detailed?: boolean;
};

export function toCall({ url, strategy, backend = 'local', detailed, ...options }: MeasureRequest): ServiceCall {
  const lanes = sources[backend].map(source => ({ source, strategy }));
  if (Object.keys(pickConditions(options)).length > 0)
    return { method: 'POST', path: paths[backend], body: JSON.stringify({ url, strategy, ...options }), lanes };
  const query = new URLSearchParams({ url, strategy });
  for (const [name, value] of Object.entries(options)) if (value) query.set(name, String(value));
  // Local results always include the whole result, and comparisons have no such option.
  if (detailed && backend === 'remote') query.set('detailed', 'true');
  return {
    method: 'GET',
    path: `${paths[backend]}?${query}`,
    lanes,
  };
}

const toMeasurement = (request: MeasureRequest, index: number): Measurement => {
  const { url, strategy } = request;
  return { index, url, strategy, call: toCall(request) };
};

/** Returns a job for each page and strategy, in order. */
export function toMeasurements(
  urls: readonly string[],
  wanted: Omit<Wanted<'measure'>, 'conditionLines'>,
  conditions: Partial<Conditions> = {},
): Measurement[] {
  const { strategies, backend, html, all, assertions } = wanted;
  const detailed = html !== undefined || all || assertions.some(({ subject }) => isWhole(subject));
  const options = { ...pickOptions('command', wanted), ...conditions, backend, detailed };
  return urls
    .flatMap(url => strategies.map(strategy => ({ ...options, url, strategy })))
    .map((request, index) => toMeasurement(request, index));
}

/** Measures one page. @throws the signal's reason */
export async function measureOne(request: MeasureRequest, asking: Asking): Promise<FinishedMeasurement> {
  const finished = await runJob(toMeasurement(request, 0), { ...asking, onProgress: () => {} });
  asking.signal.throwIfAborted();
  return finished;
}

const toPlainReason = (reply: Extract<Reply, { ok: false }>): FailureReason =>
  reply.failure.kind === 'problem' || reply.failure.kind === 'invalid'
    ? toFailureReason(toPlainBody(reply.body), 0)
    : reply.failure;

/** Reads a reply. If both sides failed, the failure contains both, and becomes an answer with two failures. */
export function toFinishedMeasurement(job: Measurement, reply: Reply): FinishedMeasurement {
  const [asked] = job.call.lanes;
  const { body } = reply;
  const answer = asked && toAnswer(toPlainBody(body), asked);
  if (answer) return { job, body, answer, failure: undefined };
  const failure: FailureReason = reply.ok ? { kind: 'unreadable', status: 200 } : toPlainReason(reply);
  return { job, body, answer: undefined, failure };
}

/** Returns every requested side; if the whole job failed, each with the failure. */
export const columnsOfMeasurement = ({ job, answer, failure }: FinishedMeasurement): readonly Column[] => {
  if (answer) return columnsOf(answer);
  return failure ? job.call.lanes.map(lane => ({ ...lane, part: { ok: false, url: job.url, failure } })) : [];
};

/** Returns the Lighthouse result of a side as received. Its texts must be made plain before display. */
export function wholeOf({ body }: Pick<FinishedMeasurement, 'body'>, source: Source): Whole | undefined {
  if (!isObject(body)) return undefined;
  const side = isObject(body[source]) ? body[source] : body;
  return isObject(side.lighthouse_result) ? (side.lighthouse_result as Whole) : undefined;
}

export const wholeColumnsOf = (measured: FinishedMeasurement): readonly Column[] =>
  columnsOfMeasurement(measured).map(column => {
    const whole = wholeOf(measured, column.source);
    if (!column.part.ok || !whole) return column;
    return { ...column, part: { ok: true, result: { ...column.part.result, lighthouse_result: whole } } };
  });

export const hasFailed = (measured: FinishedMeasurement): boolean =>
  columnsOfMeasurement(measured).some(({ part }) => !part.ok);
