import { LRUCache } from 'lru-cache';
import type { Strategy } from '../contract/names.ts';
import type { FieldHistory, FieldVitals } from '../contract/result/metrics.ts';
import { orAbort } from './fair-turns.ts';
import {
  type CruxAnswer,
  type CruxDate,
  cruxNames,
  fromCrux,
  isCruxAnswer,
  toDate,
  toP75,
} from './psi/wire/field-data.ts';

/** Calls that several callers want at the same time. */

type Shared<T> = { readonly promise: Promise<T>; readonly ending: AbortController; waiting: number };

/** Joins equal calls. A call is aborted when its last caller has left, and forgotten when it ends. */
function createSharedCalls<T>() {
  const calls = new Map<string, Shared<T>>();

  const start = (key: string, call: (signal: AbortSignal) => Promise<T>): Shared<T> => {
    const ending = new AbortController();
    const shared = { promise: call(ending.signal), ending, waiting: 0 };
    calls.set(key, shared);
    const forget = () => {
      if (calls.get(key) === shared) calls.delete(key);
    };
    shared.promise.then(forget, forget);
    return shared;
  };

  /** @throws the signal's reason, and what the call throws */
  return async (key: string, signal: AbortSignal, call: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    signal.throwIfAborted();
    const shared = calls.get(key) ?? start(key, call);
    shared.waiting += 1;
    try {
      return await orAbort(shared.promise, signal);
    } finally {
      shared.waiting -= 1;
      if (shared.waiting === 0) {
        if (calls.get(key) === shared) calls.delete(key);
        shared.ending.abort();
      }
    }
  };
}

/** Reads an answer of the CrUX History API (`records:queryHistoryRecord`): weekly values, each of 28 days. */
type Series = { percentilesTimeseries?: { p75s?: unknown } | null } | null;
type Period = { lastDate?: CruxDate } | null;
/** The parts of an answer that this module reads. A period without enough visits has null, or the text `NaN`. */
type CruxHistoryAnswer = { record: { metrics?: Record<string, Series> | null; collectionPeriods?: unknown } };

/** Max number of periods that the API returns. */
const mostPeriods = 40;

/**
 * Returns null if no period has a value. Periods without a date are left out, because their place in time is unknown.
 */
function toFieldHistory({ record }: CruxHistoryAnswer, scope: FieldHistory['scope']): FieldHistory | null {
  const periods: Period[] = Array.isArray(record.collectionPeriods) ? record.collectionPeriods : [];
  const dated = periods
    .slice(-mostPeriods)
    .flatMap((period, at) => {
      const date = toDate(period?.lastDate);
      return date === undefined ? [] : [{ date, at: at + Math.max(0, periods.length - mostPeriods) }];
    })
    .sort((a, b) => a.date.localeCompare(b.date));
  const series = cruxNames.flatMap(([name, cruxName]) => {
    const given = record.metrics?.[cruxName]?.percentilesTimeseries?.p75s;
    const p75s = dated.map(({ at }) => (Array.isArray(given) ? (toP75(given[at]) ?? null) : null));
    return p75s.some(p75 => p75 !== null) ? [[name, p75s] as const] : [];
  });
  if (series.length === 0) return null;
  return { scope, last_dates: dated.map(({ date }) => date), ...Object.fromEntries(series) };
}

export type CruxSettings = {
  /** URL of the method `records:queryRecord`. Next to it is `records:queryHistoryRecord`. */
  endpoint: string;
  apiKey: string;
  /** Called with a description of each fault, without the key. */
  warn: (message: string) => void;
  timeoutMs?: number;
  now?: () => number;
};

class CruxFailure extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CruxFailure';
  }
}

/** Lifetime of cached data: the API updates its data once a day. */
const keptMs = 86_400_000;
const maxKept = { queryRecord: 5000, queryHistoryRecord: 1000 } as const;
/** Max size of an answer: several times that of 40 weeks. */
const maxBytes = 1_000_000;
/** Timeout of a request. Field data are not worth delaying a result any longer. */
const usualTimeoutMs = 5000;
/** Pause before a history is requested again after a fault: many requests may want it, and each would wait. */
const faultPauseMs = 60_000;
/** Pause after a fault: quotas are per minute, and only an operator can fix a refused key. */
const minuteMs = 60_000;
const hourMs = 3_600_000;

type CruxSubject = { url: string } | { origin: string };
type Method = keyof typeof maxKept;
/** Value and the time until which it is used; undefined after a fault. */
type CachedField = { value: FieldVitals | FieldHistory | null | undefined; untilMs: number };

const formFactors: Record<Strategy, string> = { mobile: 'PHONE', desktop: 'DESKTOP' };

const toBackOffMs = (status: number): number => {
  if (status === 429) return minuteMs;
  return status === 400 || status === 401 || status === 403 ? hourMs : 0;
};

const scopeOf = (subject: CruxSubject): FieldVitals['scope'] => ('url' in subject ? 'url' : 'origin');

/** Reads an answer; undefined if it is too large. */
async function readText(response: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    // Leaving the loop cancels the rest of the answer.
    if (bytes > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Client of the CrUX API, which requests each page or origin at most once a day. */
export function createCrux({ endpoint, apiKey, warn, timeoutMs = usualTimeoutMs, now = Date.now }: CruxSettings) {
  const kept = {
    queryRecord: new LRUCache<string, CachedField>({ max: maxKept.queryRecord }),
    queryHistoryRecord: new LRUCache<string, CachedField>({ max: maxKept.queryHistoryRecord }),
  };
  const join = createSharedCalls<CachedField['value']>();
  let backsOffUntilMs = 0;

  const fail = (reason: string, backOffMs = 0): never => {
    backsOffUntilMs = Math.max(backsOffUntilMs, now() + backOffMs);
    warn(`no field data from the CrUX API: ${reason}`);
    throw new CruxFailure(reason);
  };

  async function query(method: Method, subject: CruxSubject, strategy: Strategy, signal: AbortSignal) {
    const isHistory = method === 'queryHistoryRecord';
    const response = await fetch(endpoint.replace(/queryRecord$/, method), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-goog-api-key': apiKey },
      body: JSON.stringify({
        ...subject,
        formFactor: formFactors[strategy],
        metrics: cruxNames.map(([, cruxName]) => cruxName),
        ...(isHistory ? { collectionPeriodCount: mostPeriods } : {}),
      }),
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    const text = await readText(response);
    // Usually the page has too few visits. If the response is an HTML page instead, the path of the API is wrong.
    if (response.status === 404 && text?.includes('NOT_FOUND')) return null;
    if (!response.ok) return fail(`it returned status ${response.status}`, toBackOffMs(response.status));
    const body: unknown = text === undefined ? undefined : JSON.parse(text);
    if (!isCruxAnswer(body)) return fail('it returned an invalid response');
    const scope = scopeOf(subject);
    return isHistory ? toFieldHistory(body as CruxHistoryAnswer, scope) : fromCrux(body as CruxAnswer, scope);
  }

  /** @throws CruxFailure if the last call failed a moment ago */
  const readKept = (method: Method, key: string): CachedField | undefined => {
    const known = kept[method].get(key);
    if (!known || known.untilMs <= now()) return undefined;
    if (known.value === undefined) throw new CruxFailure('it failed less than a minute ago');
    return known;
  };

  async function ask(
    method: Method,
    subject: CruxSubject,
    strategy: Strategy,
    signal: AbortSignal,
  ): Promise<CachedField['value']> {
    const key = `${strategy}\n${'url' in subject ? subject.url : subject.origin}`;
    const known = readKept(method, key);
    if (known) return known.value;
    if (backsOffUntilMs > now()) throw new CruxFailure('calls are paused after failures');
    try {
      const value = await join(`${method}\n${key}`, signal, shared => query(method, subject, strategy, shared));
      kept[method].set(key, { value, untilMs: now() + keptMs });
      return value;
    } catch (error) {
      signal.throwIfAborted();
      if (method === 'queryHistoryRecord') kept[method].set(key, { value: undefined, untilMs: now() + faultPauseMs });
      if (error instanceof CruxFailure) throw error;
      // Errors of fetch may contain the URL, which contains the key.
      return fail('it could not be reached or read');
    }
  }

  const toSubjects = (url: string): { url: CruxSubject; origin: CruxSubject } => {
    const page = new URL(url);
    page.hash = '';
    return { url: { url: page.href }, origin: { origin: page.origin } };
  };

  async function askBoth(method: Method, url: string, strategy: Strategy, signal: AbortSignal) {
    const subjects = toSubjects(url);
    return (await ask(method, subjects.url, strategy, signal)) ?? ask(method, subjects.origin, strategy, signal);
  }

  return {
    /**
     * Returns field data of the URL, or else of its origin; null if the API has neither.
     * @param url final URL of a public page: the API matches origins exactly
     * @throws CruxFailure if the API does not answer; the signal's reason when the client disconnected
     */
    fieldDataOf: async (url: string, strategy: Strategy, signal: AbortSignal): Promise<FieldVitals | null> =>
      (await askBoth('queryRecord', url, strategy, signal)) as FieldVitals | null,
    /**
     * Returns the weekly field data of the URL, or else of its origin, up to 40 weeks; null if the API has neither.
     * @param scope asks for these alone
     * @throws as `fieldDataOf`
     */
    historyOf: async (
      url: string,
      strategy: Strategy,
      { signal, scope }: { signal: AbortSignal; scope?: FieldVitals['scope'] },
    ): Promise<FieldHistory | null> =>
      (await (scope
        ? ask('queryHistoryRecord', toSubjects(url)[scope], strategy, signal)
        : askBoth('queryHistoryRecord', url, strategy, signal))) as FieldHistory | null,
  };
}
export type Crux = ReturnType<typeof createCrux>;
