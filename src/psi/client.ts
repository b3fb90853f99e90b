import PQueue from 'p-queue';
import { AnalysisError } from '../errors.ts';
import { assertMeasured } from '../report/page-failure.ts';
import type { Analyser, Category, Strategy } from '../report/report.ts';
import { fromPsiFailure } from './failure.ts';
import { isPsiResult, type PsiResult } from './result.ts';

export type RemoteAnalyser = {
  kind: Exclude<Analyser['kind'], 'local'>;
  /** Full URL of `runPagespeed`; a function, because the embedded one is known only once the service listens. */
  endpoint: () => string;
  /** Sent in the `X-Goog-Api-Key` header. */
  apiKey: string | undefined;
};

export type PsiClientSettings = {
  analyser: RemoteAnalyser;
  /** Time for one call, without the wait for a free place. */
  timeoutMs: number;
  concurrency: number;
};

export type PsiRequest = {
  url: string;
  strategy: Strategy;
  categories: readonly Category[];
  locale: string;
};

export type PsiClient = {
  /**
   * The remote analyser's answer for a page, as JSON text and parsed. A page that failed is never an answer.
   * @throws AnalysisError of source `psi`; the signal's reason when the caller left
   */
  analyse(request: PsiRequest, signal: AbortSignal): Promise<{ text: string; result: PsiResult }>;
};

/** PSI answers are 0.2–0.6 MB, over 1 MB for heavy pages; beyond this something else is talking. */
const maxAnswerBytes = 32 * 1024 * 1024;

const toRequestUrl = (endpoint: string, { url, strategy, categories, locale }: PsiRequest): URL => {
  const target = new URL(endpoint);
  target.searchParams.set('url', url);
  target.searchParams.set('strategy', strategy.toUpperCase());
  for (const category of categories)
    target.searchParams.append('category', category.toUpperCase().replaceAll('-', '_'));
  target.searchParams.set('locale', locale);
  target.searchParams.set('prettyPrint', 'false');
  return target;
};

const toRetryAfter = (header: string | null): number | undefined => {
  if (header === null) return undefined;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : undefined;
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxAnswerBytes) throw new AnalysisError('psi_bad_response', 'The remote analyser answered too much.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

export function createPsiClient({ analyser, timeoutMs, concurrency }: PsiClientSettings): PsiClient {
  const queue = new PQueue({ concurrency });
  /** A server that reads the key from the query only has it in its endpoint. */
  const secrets = () => [analyser.apiKey, new URL(analyser.endpoint()).searchParams.get('key')];
  const redact = (text: string) =>
    secrets().reduce<string>((rest, key) => (key ? rest.replaceAll(key, '…') : rest), text);

  async function call(request: PsiRequest, signal: AbortSignal): Promise<{ text: string; result: PsiResult }> {
    const response = await fetch(toRequestUrl(analyser.endpoint(), request), {
      headers: { accept: 'application/json', ...(analyser.apiKey ? { 'x-goog-api-key': analyser.apiKey } : {}) },
      redirect: 'error',
      signal,
    });
    const text = await readText(response);
    const body = parse(text);
    if (!response.ok) {
      const retryAfterSeconds = toRetryAfter(response.headers.get('retry-after'));
      throw fromPsiFailure(response.status, body, { retryAfterSeconds, redact });
    }
    if (!isPsiResult(body))
      throw new AnalysisError('psi_bad_response', 'The remote analyser answered without a Lighthouse result.');
    // A 200 may still be a failure: a `runtimeError`, or the score of an error page.
    assertMeasured(body.lighthouseResult, 'psi_unavailable');
    return { text, result: body };
  }

  /** What fetch throws may name the whole request URL: only its code goes on. */
  const toFailure = (error: unknown, timeout: AbortSignal): AnalysisError => {
    if (error instanceof AnalysisError) return error.from('psi');
    if (timeout.aborted)
      return new AnalysisError('psi_timeout', `The remote analyser did not answer within ${timeoutMs / 1000} s.`, {
        source: 'psi',
      });
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : undefined;
    const code = cause && 'code' in cause ? ` (${String(cause.code)})` : '';
    return new AnalysisError('psi_unavailable', `The remote analyser could not be reached${code}.`, { source: 'psi' });
  };

  return {
    analyse: (request, signal) =>
      queue.add(
        async () => {
          const timeout = AbortSignal.timeout(timeoutMs);
          try {
            return await call(request, AbortSignal.any([signal, timeout]));
          } catch (error) {
            signal.throwIfAborted();
            throw toFailure(error, timeout);
          }
        },
        { signal },
      ),
  };
}
