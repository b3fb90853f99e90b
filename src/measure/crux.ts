import { LRUCache } from 'lru-cache';
import type { Strategy } from '../contract/names.ts';
import type { FieldVitals } from '../contract/result/metrics.ts';
import { cruxNames, fromCrux, isCruxAnswer } from './psi/wire/field-data.ts';

export type CruxSettings = {
  endpoint: string;
  apiKey: string;
  /** Called with a description of each fault, without the key. */
  warn: (message: string) => void;
  timeoutMs?: number;
  now?: () => number;
};

export type Crux = {
  /**
   * Returns field data of the URL, or else of its origin; null if the API has neither.
   * @param url final URL of a public page: the API matches origins exactly
   * @throws CruxFailure if the API does not answer; the signal's reason when the client disconnected
   */
  fieldDataOf(url: string, strategy: Strategy, signal: AbortSignal): Promise<FieldVitals | null>;
};

class CruxFailure extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CruxFailure';
  }
}

/** Lifetime of cached data: the API updates its data once a day. */
const keptMs = 86_400_000;
const maxKept = 5000;
/** Timeout of a request. Field data are not worth delaying a result any longer. */
const usualTimeoutMs = 5000;
/** Pause after a fault: quotas are per minute, and only an operator can fix a refused key. */
const minuteMs = 60_000;
const hourMs = 3_600_000;

type Subject = { url: string } | { origin: string };
type Kept = { field: FieldVitals | null; untilMs: number };

const formFactors: Record<Strategy, string> = { mobile: 'PHONE', desktop: 'DESKTOP' };

const toBackOffMs = (status: number): number => {
  if (status === 429) return minuteMs;
  return status === 400 || status === 401 || status === 403 ? hourMs : 0;
};

/** Client of the CrUX API, which requests each page or origin at most once a day. */
export function createCrux({ endpoint, apiKey, warn, timeoutMs = usualTimeoutMs, now = Date.now }: CruxSettings): Crux {
  const kept = new LRUCache<string, Kept>({ max: maxKept });
  let backsOffUntilMs = 0;

  const fail = (reason: string, backOffMs = 0): never => {
    backsOffUntilMs = Math.max(backsOffUntilMs, now() + backOffMs);
    warn(`no field data from the CrUX API: ${reason}`);
    throw new CruxFailure(reason);
  };

  async function query(subject: Subject, strategy: Strategy, signal: AbortSignal): Promise<FieldVitals | null> {
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-goog-api-key': apiKey },
      body: JSON.stringify({
        ...subject,
        formFactor: formFactors[strategy],
        metrics: cruxNames.map(([, cruxName]) => cruxName),
      }),
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    const text = await response.text();
    // Usually the page has too few visits. If the response is an HTML page instead, the path of the API is wrong.
    if (response.status === 404 && text.includes('NOT_FOUND')) return null;
    if (!response.ok) return fail(`it returned status ${response.status}`, toBackOffMs(response.status));
    const body: unknown = JSON.parse(text);
    return isCruxAnswer(body)
      ? fromCrux(body, 'url' in subject ? 'url' : 'origin')
      : fail('it returned an invalid response');
  }

  async function ask(subject: Subject, strategy: Strategy, signal: AbortSignal): Promise<FieldVitals | null> {
    const key = `${strategy}\n${'url' in subject ? subject.url : subject.origin}`;
    const known = kept.get(key);
    if (known && known.untilMs > now()) return known.field;
    if (backsOffUntilMs > now()) throw new CruxFailure('calls are paused after failures');
    try {
      const field = await query(subject, strategy, signal);
      kept.set(key, { field, untilMs: now() + keptMs });
      return field;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof CruxFailure) throw error;
      // Errors of fetch may contain the URL, which contains the key.
      return fail('it could not be reached or read');
    }
  }

  return {
    async fieldDataOf(url, strategy, signal) {
      const page = new URL(url);
      page.hash = '';
      return (await ask({ url: page.href }, strategy, signal)) ?? ask({ origin: page.origin }, strategy, signal);
    },
  };
}
