/** Sends one request to the service, and reports its progress and its end. */
import type { Source } from '../contract/errors.ts';
import type { JobFacts } from '../contract/jobs/job.ts';
import type { Strategy } from '../contract/names.ts';
import { type FailureReason, isStopping, toFailureReason } from '../presentation/errors-in-words.ts';
import type { ServiceCall } from './plan.ts';
import { createEventReader, createJsonLineReader, type ServerEvent } from './streams.ts';

/** Progress of a running analysis, as the service reports it. */
export type ProgressUpdate = {
  readonly source: Source;
  readonly strategy: Strategy;
  /** Number of this local run, and max number of runs; absent for a single run. */
  readonly run?: number;
  readonly runs?: number;
} & (
  | { readonly event: 'queued'; readonly position: number }
  | { readonly event: 'started' }
  | { readonly event: 'progress'; readonly stage: string }
);

/** A failed reply; `body` contains the results and failures of its parts, if there are any. */
type FailedReply = { readonly ok: false; readonly failure: FailureReason; readonly body?: unknown };

export type Reply = { readonly ok: true; readonly body: unknown } | FailedReply;

export type AskOptions = {
  readonly signal: AbortSignal;
  /** API key of the service, if it requires one. */
  readonly apiKey?: string | undefined;
  readonly fresh?: boolean;
  /** Idempotency key: the service measures as a job, and the same request sent again follows the same job. */
  readonly jobKey?: string | undefined;
  readonly fetch?: typeof fetch;
};

/** Returns the options for one of several requests, each with its own job key. */
export const withJobKey = ({ jobKey, ...options }: AskOptions, at: number): AskOptions =>
  jobKey === undefined ? options : { ...options, jobKey: `${jobKey}-${at}` };

async function readText(response: Response, onText: (text: string) => void): Promise<void> {
  const stream = response.body?.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>);
  const reader = stream?.getReader();
  for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) onText(next.value);
}

const typeOf = (response: Response): string =>
  (response.headers.get('content-type') ?? '').split(';', 1)[0]?.trim() ?? '';

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const toReply = (body: unknown, status: number, retryAfter?: string | null): Reply =>
  [200, 201, 202].includes(status) && body !== undefined
    ? { ok: true, body }
    : { ok: false, failure: toFailureReason(body, status, retryAfter), body };

const readWhole = async (response: Response): Promise<Reply> =>
  toReply(parse(await response.text()), response.status, response.headers.get('retry-after'));

const statusOf = (body: unknown): number =>
  typeof body === 'object' && body !== null && 'status' in body ? Number(body.status) : 0;

async function readEvents(response: Response, onUpdate: (update: ProgressUpdate) => void): Promise<Reply> {
  let reply: Reply = { ok: false, failure: { kind: 'cut' } };
  const onEvent = ({ name, data }: ServerEvent): void => {
    const body = parse(data);
    if (name === 'result') reply = toReply(body, 200);
    else if (name === 'failed') reply = toReply(body, statusOf(body));
    else if (body !== undefined) onUpdate({ event: name, ...(body as object) } as ProgressUpdate);
  };
  await readText(response, createEventReader(onEvent));
  return reply;
}

/**
 * Returns the reply for a request whose connection failed.
 * @throws the reason for an abort
 */
const withoutConnection = (signal: AbortSignal, kind: 'unreachable' | 'cut') => (): FailedReply => {
  signal.throwIfAborted();
  return { ok: false, failure: { kind } };
};

const send = (
  { method, path, body }: Omit<ServiceCall, 'lanes'>,
  accept: string,
  { apiKey, fresh, jobKey, signal, ...options }: AskOptions,
) =>
  (options.fetch ?? fetch)(path, {
    method,
    signal,
    keepalive: method === 'DELETE',
    headers: {
      accept,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(fresh ? { 'cache-control': 'no-cache' } : {}),
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      ...(jobKey === undefined ? {} : { prefer: 'respond-async', 'idempotency-key': `"${jobKey}"` }),
    },
    ...(body === undefined ? {} : { body }),
  });

/**
 * Submits a job. The request is not aborted before its response names the job, because the service may have accepted
 * it: the body of a 202 is read to its end.
 */
async function sendForJob(call: ServiceCall, accept: string, options: AskOptions): Promise<Response> {
  const { signal, jobKey } = options;
  if (jobKey === undefined) return send(call, accept, options);
  const own = new AbortController();
  const response = await send(call, accept, { ...options, signal: own.signal });
  if (signal.aborted && response.status !== accepted) own.abort();
  if (response.status !== accepted) signal.addEventListener('abort', () => own.abort());
  return response;
}

const accepted = 202;
const pauseMs = 2000;
/** Max number of pauses: more than a stop with its grace period and a start take. */
const mostPauses = 60;

const pause = (signal: AbortSignal) =>
  new Promise<void>(resolve => {
    const timer = setTimeout(resolve, pauseMs);
    signal.addEventListener('abort', () => [clearTimeout(timer), resolve()], { once: true });
  });

/** Returns whether a service may answer the same request later: its connection failed, or it shuts down. */
const isInterrupted = (reply: Reply): boolean =>
  !reply.ok && (['cut', 'unreachable'].includes(reply.failure.kind) || isStopping(reply.failure));

/**
 * Repeats a request for two minutes while it is interrupted, because the service may restart.
 * @throws the signal's reason
 */
export async function askPatiently(ask: () => Promise<Reply>, signal: AbortSignal): Promise<Reply> {
  let reply = await ask();
  for (let pauses = 0; isInterrupted(reply) && pauses < mostPauses; pauses += 1) {
    await pause(signal);
    signal.throwIfAborted();
    reply = await ask();
  }
  return reply;
}

type AskPage = (index: number) => Promise<Reply>;

/**
 * Follows a job to its end, across restarts of the service; cancels it when the signal aborts.
 * @returns its last event, its number of pages, and a function that reads one of them
 * @throws the signal's reason; an error if the first response is unreadable
 */
async function followJob(
  response: Response,
  toReader: (readPage: AskPage) => (update: ProgressUpdate) => void,
  { jobKey: _, fresh: __, ...options }: AskOptions,
): Promise<{ last: Reply; readPage: AskPage; total: number }> {
  const { signal } = options;
  const { id, progress } = (await response.json()) as Pick<JobFacts, 'id' | 'progress'>;
  const ask = (path: string, on = (_update: ProgressUpdate) => {}) =>
    askForPage({ method: 'GET', path: `jobs/${id}/${path}`, lanes: [] }, on, options);
  const cancel = () => {
    const { signal: lasting } = new AbortController();
    const call = { method: 'DELETE', path: `jobs/${id}` } as const;
    send(call, 'application/json', { ...options, signal: lasting }).catch(() => {});
  };
  const readPage: AskPage = index => ask(`pages/${index}`);
  const onUpdate = toReader(readPage);
  if (signal.aborted) cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    signal.throwIfAborted();
    const last = await askPatiently(() => ask('events', onUpdate), signal);
    return { last, readPage, total: progress.total };
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

/** Reads the answer of a job with one page. A failure of both sides contains both failures. */
async function readJobPage(response: Response, onUpdate: (update: ProgressUpdate) => void, options: AskOptions) {
  const { last, readPage } = await followJob(response, () => onUpdate, options);
  if (!last.ok && last.failure.kind !== 'problem') return last;
  const page = await readPage(0);
  if (last.ok || !page.ok) return last.ok ? page : last;
  const isOfBoth = typeof page.body === 'object' && page.body !== null && !('error' in page.body);
  return isOfBoth ? { ...last, body: page.body } : last;
}

type OnBatchEntry = (index: number, entry: unknown) => void;

/** Reads the entries of a job with several pages, each when it has ended. */
async function readJobPages(response: Response, onEntry: OnBatchEntry, options: AskOptions): Promise<Reply> {
  const reads = new Map<number, Promise<void>>();
  const read = async (index: number, readPage: AskPage): Promise<void> => {
    const reply = await readPage(index);
    if (reply.ok) onEntry(index, reply.body);
    // The page is read again after the restart of the service.
    else if (isInterrupted(reply)) reads.delete(index);
  };
  const toReader = (readPage: AskPage) => (update: object) => {
    if (!('index' in update)) return;
    const index = Number(update.index);
    if (!reads.has(index)) reads.set(index, read(index, readPage));
  };
  const { last, readPage, total } = await followJob(response, toReader, options);
  // A job whose pages all failed ends as failed, but has an entry for each page.
  const isEnd = !last.ok && last.failure.kind === 'problem' && !isStopping(last.failure);
  const isOver = last.ok || (isEnd && last.failure.problem.code !== 'job_cancelled');
  if (!isOver) return last;
  // A duplicate page is measured and reported once.
  for (let index = 0; index < total; index += 1) if (!reads.has(index)) reads.set(index, read(index, readPage));
  await Promise.all(reads.values());
  return { ok: true, body: {} };
}

/**
 * Sends a request for one page. `onUpdate` is called for each progress event, if the service sends events.
 * @throws only the signal's reason
 */
export async function askForPage(
  call: ServiceCall,
  onUpdate: (update: ProgressUpdate) => void,
  options: AskOptions,
): Promise<Reply> {
  const response = await sendForJob(call, 'text/event-stream', options).catch(() => undefined);
  if (!response) return withoutConnection(options.signal, 'unreachable')();
  const read = async (): Promise<Reply> => {
    if (response.status === accepted && options.jobKey) return readJobPage(response, onUpdate, options);
    return typeOf(response) === 'text/event-stream' ? readEvents(response, onUpdate) : readWhole(response);
  };
  return read().catch(withoutConnection(options.signal, 'cut'));
}

async function readLines(response: Response, onLine: (line: unknown) => void): Promise<Reply> {
  let last: unknown;
  const reader = createJsonLineReader(value => {
    last = value;
    onLine(value);
  });
  await readText(response, reader.feed);
  reader.end();
  return { ok: true, body: last ?? {} };
}

/**
 * Sends a request for a list. `onEntry` is called for each entry as soon as its line arrives, or for all at the end.
 * @throws only the signal's reason
 */
export async function askForBatch(call: ServiceCall, onEntry: OnBatchEntry, options: AskOptions): Promise<Reply> {
  const response = await sendForJob(call, 'application/x-ndjson', options).catch(() => undefined);
  if (!response) return withoutConnection(options.signal, 'unreachable')();
  if (response.status === accepted && options.jobKey)
    return readJobPages(response, onEntry, options).catch(withoutConnection(options.signal, 'cut'));
  if (response.ok && typeOf(response) === 'application/x-ndjson') {
    const onLine = (line: unknown) => {
      const { index, ...entry } = line as { index?: unknown };
      if (typeof index === 'number') onEntry(index, entry);
    };
    return readLines(response, onLine).catch(withoutConnection(options.signal, 'cut'));
  }
  const reply = await readWhole(response).catch(withoutConnection(options.signal, 'cut'));
  const { results = [] } = (reply.ok ? reply.body : {}) as { results?: unknown[] };
  for (const [index, entry] of results.entries()) onEntry(index, entry);
  return reply;
}

export type FileReply =
  | {
      readonly ok: true;
      readonly blob: Blob;
      /** File name in the `content-disposition` header. */
      readonly name: string | undefined;
    }
  | FailedReply;

const nameIn = (response: Response): string | undefined =>
  /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1];

/**
 * Fetches a file with the key, which a link or an image cannot send.
 * @throws only the signal's reason
 */
export async function askForFile(path: string, options: AskOptions): Promise<FileReply> {
  const response = await send({ method: 'GET', path }, '*/*', options).catch(() => undefined);
  const lost = (kind: 'unreachable' | 'cut') => withoutConnection(options.signal, kind);
  if (!response) return lost('unreachable')();
  if (response.ok)
    return response.blob().then(blob => ({ ok: true, blob, name: nameIn(response) }) as const, lost('cut'));
  const read = async (): Promise<FileReply> => {
    const { status, headers } = response;
    return { ok: false, failure: toFailureReason(parse(await response.text()), status, headers.get('retry-after')) };
  };
  return read().catch(lost('cut'));
}
