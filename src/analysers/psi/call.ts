import { AnalysisError, type ErrorCode } from '../errors.ts';
import { assertMeasured } from '../report/page-failure.ts';
import type { Category, Strategy } from '../report/report.ts';
import { fromPsiFailure } from './failure.ts';
import type { RemoteAnalyser } from './remote-analyser.ts';
import { isPsiResult, type PsiResult } from './result.ts';
import { type FailureKind, kindOfMeasurement } from './retry-rules.ts';

export type PsiRequest = {
  url: string;
  strategy: Strategy;
  categories: readonly Category[];
  locale: string;
};

export type PsiAnswer = { text: string; result: PsiResult };

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

const toRetryAfter = (header: string | null, now: number): number | undefined => {
  if (header === null) return undefined;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - now) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : undefined;
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** A failed call, with what the retry rules go by. */
export class CallFailure extends Error {
  readonly kind: FailureKind;
  readonly failure: AnalysisError;

  constructor(kind: FailureKind, failure: AnalysisError) {
    super(failure.message);
    this.name = 'CallFailure';
    this.kind = kind;
    this.failure = failure.from('psi');
  }
}

const failCall = (kind: FailureKind, code: ErrorCode, detail: string): never => {
  throw new CallFailure(kind, new AnalysisError(code, detail));
};

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxAnswerBytes) failCall('refused', 'psi_bad_response', 'The remote analyser answered too much.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** @throws CallFailure when an answer is no result, or one of a page that was not measured */
function readResult(body: unknown): PsiResult {
  if (!isPsiResult(body))
    return failCall('nonsense', 'psi_bad_response', 'The remote analyser answered without a Lighthouse result.');
  try {
    // A 200 may still be a failure: a `runtimeError`, or the score of an error page.
    assertMeasured(body.lighthouseResult, 'psi_unavailable');
  } catch (error) {
    throw error instanceof AnalysisError ? new CallFailure(kindOfMeasurement(error), error) : error;
  }
  return body;
}

export type Call = (request: PsiRequest, leftMs: number, signal: AbortSignal) => Promise<PsiAnswer>;

/**
 * One request to the remote analyser: no second try, no waiting.
 * @returns a function that throws CallFailure; or the signal's reason when the caller left
 */
export function createCall(analyser: RemoteAnalyser, timeoutMs: number, now: () => number): Call {
  /** A server that reads the key from the query only has it in its endpoint. */
  const secrets = () => [analyser.apiKey, new URL(analyser.endpoint()).searchParams.get('key')];
  const redact = (text: string) =>
    secrets().reduce<string>((rest, key) => (key ? rest.replaceAll(key, '…') : rest), text);

  async function ask(request: PsiRequest, signal: AbortSignal): Promise<PsiAnswer> {
    const response = await fetch(toRequestUrl(analyser.endpoint(), request), {
      headers: { accept: 'application/json', ...(analyser.apiKey ? { 'x-goog-api-key': analyser.apiKey } : {}) },
      // Followed, the key would go along.
      redirect: 'manual',
      signal,
    });
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel();
      failCall('refused', 'psi_unavailable', `The remote analyser answered with a redirect (${response.status}).`);
    }
    const text = await readText(response);
    const body = parse(text);
    if (response.ok) return { text, result: readResult(body) };
    const retryAfterSeconds = toRetryAfter(response.headers.get('retry-after'), now());
    const { kind, error } = fromPsiFailure(response.status, body, { retryAfterSeconds, redact });
    throw new CallFailure(kind, error);
  }

  /** What fetch throws may name the whole request URL: only its code goes on. */
  const toFailure = (error: unknown, timeout: AbortSignal): CallFailure => {
    if (error instanceof CallFailure) return error;
    if (timeout.aborted) {
      const detail = `The remote analyser did not answer within ${timeoutMs / 1000} s.`;
      return new CallFailure('timeout', new AnalysisError('psi_timeout', detail));
    }
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : undefined;
    const code = cause && 'code' in cause ? ` (${String(cause.code)})` : '';
    const detail = `The remote analyser could not be reached${code}.`;
    return new CallFailure('network', new AnalysisError('psi_unavailable', detail));
  };

  return async (request, leftMs, signal) => {
    const timeout = AbortSignal.timeout(Math.max(1, Math.ceil(leftMs)));
    try {
      return await ask(request, AbortSignal.any([signal, timeout]));
    } catch (error) {
      signal.throwIfAborted();
      throw toFailure(error, timeout);
    }
  };
}
