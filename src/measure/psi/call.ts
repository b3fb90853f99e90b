import type { IncomingHttpHeaders } from 'node:http';
import { pipeline, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import type { Agent } from 'undici';
import { AnalysisError, type ErrorCode, fromPlainError } from '../../contract/errors.ts';
import type { AnalyserRequest } from '../analyser.ts';
import type { Measured } from '../lhr/measured.ts';
import { toChromeUrl } from '../targets/page-url.ts';
import type { PsiClientSettings } from './client.ts';
import { fromPsiFailure } from './failure.ts';
import { type FailureKind, kindOfMeasurement } from './retry-rules.ts';
import { type Machine, machineHeader, readMachineHeader } from './wire/machine-header.ts';

let agent: Agent | undefined;

const decoders: Readonly<Record<string, () => Transform>> = { gzip: createGunzip, br: createBrotliDecompress };

/**
 * Sends one GET request, without timeout: only its signal ends it. Redirects are returned like any other response.
 * @throws an error with a `code` if the connection fails, including while the body is read; after an abort, the thrown
 * error is meaningless
 */
export async function httpGet(url: URL, headers: Readonly<Record<string, string>>, signal: AbortSignal) {
  // undici is imported by the first request, because the import would add a tenth of a second to the start.
  const { Agent, request } = await import('undici');
  // Timeouts are disabled, because a PSI server may take minutes for its response headers, and between two parts of the
  // body.
  agent ??= new Agent({ headersTimeout: 0, bodyTimeout: 0 });
  const codings = Object.keys(decoders).join(', ');
  const answer = await request(url, { dispatcher: agent, headers: { 'accept-encoding': codings, ...headers }, signal });
  const { statusCode: status, body } = answer;
  const coding = String(answer.headers['content-encoding']).toLowerCase();
  const decoder = Object.hasOwn(decoders, coding) ? decoders[coding]?.() : undefined;
  return {
    status,
    headers: answer.headers as IncomingHttpHeaders,
    // A failure of either stream ends both, and the reader of the decoder receives it.
    /** Decoded body. Ending the iteration closes the connection. */
    body: (decoder ? pipeline(body, decoder, () => {}) : body) as AsyncIterable<Buffer>,
    /** Closes the response without reading the body. */
    close: () => void body.on('error', () => {}).destroy(),
  };
}

/** A PSI v5 server: Google's, or another one. */
export type PsiServer = {
  kind: 'google' | 'custom';
  /** Full URL of `runPagespeed`; its query may contain a key. */
  endpoint: string;
  /** Host and port of the endpoint for results. */
  host: string;
  /** API key for the `X-Goog-Api-Key` header. */
  apiKey: string | undefined;
};

const googleEndpoint = 'https://pagespeedonline.googleapis.com/pagespeedonline/v5/runPagespeed';

/**
 * Returns the server that the settings select. Undefined if neither an endpoint nor a key for Google's server is set.
 * An endpoint takes precedence, and gets the key.
 */
export function toPsiServer(settings: {
  psiEndpoint: string | undefined;
  psiApiKey: string | undefined;
}): PsiServer | undefined {
  const { psiEndpoint, psiApiKey: apiKey } = settings;
  if (psiEndpoint === undefined && apiKey === undefined) return undefined;
  const endpoint = psiEndpoint ?? googleEndpoint;
  return { kind: psiEndpoint === undefined ? 'google' : 'custom', endpoint, host: new URL(endpoint).host, apiKey };
}

/** Max size of an answer. PSI's have 0.2–0.6 MB, over 1 MB for heavy pages; a larger one is not from PSI. */
const maxAnswerBytes = 32 * 1024 * 1024;

/** Max size of an error response. Google's are under 10 KB. */
const maxFailureBytes = 256 * 1024;

const toRequestUrl = (endpoint: string, { url, strategy, categories, locale }: AnalyserRequest): URL => {
  const target = new URL(endpoint);
  target.searchParams.set('url', toChromeUrl(url));
  target.searchParams.set('strategy', strategy.toUpperCase());
  for (const category of categories)
    target.searchParams.append('category', category.toUpperCase().replaceAll('-', '_'));
  target.searchParams.set('locale', locale);
  target.searchParams.set('prettyPrint', 'false');
  return target;
};

const toRetryAfter = (header: string | undefined, now: number): number | undefined => {
  if (header === undefined) return undefined;
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - now) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : undefined;
};

/** Parses an error response. A long one is the page of a different server. */
const parseFailure = (bytes: Buffer): unknown => {
  try {
    return bytes.length > maxFailureBytes ? undefined : JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
};

/** A failed call, with the facts that the retry rules need. */
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

async function readBytes(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > maxAnswerBytes) failCall('refused', 'psi_bad_response', 'The response of the PSI server is too large.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

type CallSettings = Pick<PsiClientSettings, 'server' | 'threads' | 'timeoutMs'> & { now: () => number };

/**
 * Creates a function that sends one request to the PSI analyser, without retries or waiting.
 * @returns a function that throws CallFailure, or the signal's reason when the client disconnected
 */
export function createCall({ server, threads, timeoutMs, now }: CallSettings) {
  /** Keys to remove from messages. Some servers expect the key in the endpoint's query. */
  const secrets = [server.apiKey, new URL(server.endpoint).searchParams.get('key')];
  const redact = (text: string) =>
    secrets.reduce<string>((rest, key) => (key ? rest.replaceAll(key, '…') : rest), text);

  /** @throws CallFailure if an answer is not a result, or the page could not be measured */
  async function readResult(
    bytes: Buffer,
    { url, strategy, categories, requestedAt }: AnalyserRequest,
    remoteMachine: Machine | undefined,
  ): Promise<Measured> {
    const { kind, host } = server;
    const facts = {
      ...({ source: 'psi', analyser: { kind, host }, conditions: null, otherwise: 'psi_unavailable' } as const),
      ...{ url, strategy, categories, requestedAt, remoteMachine },
    };
    const read = await threads
      .readWireAnswer({ bytes, facts })
      .catch(() => failCall('refused', 'psi_bad_response', 'The response of the PSI server cannot be read.'));
    if (!('failure' in read)) return read;
    const failure = fromPlainError(read.failure);
    throw new CallFailure(read.isNonsense ? 'nonsense' : kindOfMeasurement(failure), failure);
  }

  async function ask(request: AnalyserRequest, signal: AbortSignal): Promise<Measured> {
    const headers = { accept: 'application/json', ...(server.apiKey ? { 'x-goog-api-key': server.apiKey } : {}) };
    const answer = await httpGet(toRequestUrl(server.endpoint, request), headers, signal);
    const { status } = answer;
    // Redirects are not followed, because the key would be sent to their target.
    if (status >= 300 && status < 400) {
      answer.close();
      failCall('refused', 'psi_unavailable', `The PSI server returned a redirect (${status}). Check PSI_ENDPOINT.`);
    }
    const bytes = await readBytes(answer.body);
    if (status >= 200 && status < 300)
      return readResult(bytes, request, readMachineHeader(answer.headers[machineHeader]));
    const retryAfterSeconds = toRetryAfter(answer.headers['retry-after'], now());
    const { kind, error } = fromPsiFailure(status, parseFailure(bytes), { retryAfterSeconds, redact });
    throw new CallFailure(kind, error);
  }

  /**
   * Converts the error of a failed connection to a CallFailure. Only its code is used, because its message may contain
   * the whole request URL.
   */
  const toFailure = (error: unknown, timeout: AbortSignal): CallFailure => {
    if (error instanceof CallFailure) return error;
    if (timeout.aborted) {
      const detail = `The PSI server did not respond within ${timeoutMs / 1000} s.`;
      return new CallFailure('timeout', new AnalysisError('psi_timeout', detail));
    }
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'UND_ERR';
    // Users do not know the codes of the HTTP client.
    const reason = code.startsWith('UND_ERR') ? '' : ` (${code})`;
    const detail = `The PSI server could not be reached${reason}.`;
    return new CallFailure('network', new AnalysisError('psi_unavailable', detail));
  };

  return async (request: AnalyserRequest, leftMs: number, signal: AbortSignal): Promise<Measured> => {
    const timeout = AbortSignal.timeout(Math.max(1, Math.ceil(leftMs)));
    try {
      return await ask(request, AbortSignal.any([signal, timeout]));
    } catch (error) {
      signal.throwIfAborted();
      throw toFailure(error, timeout);
    }
  };
}
