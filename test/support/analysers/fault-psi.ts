/** A PSI v5 server that speaks the wire format and fails in the ways a test asks for. */
import type { ServerResponse } from 'node:http';
import { type Arrivals, createArrivals } from '../arrivals.ts';
import { startLocalServer } from '../sites/local-server.ts';
import type { Scope } from '../start-service.ts';
import { type PsiAnswer, type PsiCall, toLighthouseError, toPsiBody } from './fake-psi.ts';

/** How the server treats one call. */
export type Fault =
  | PsiAnswer
  /** Never answers. */
  | 'hang'
  /** Closes the connection before the answer. */
  | 'drop'
  /** Closes the connection in the middle of the body. */
  | 'cut';

type Misbehaviour = (call: PsiCall, number: number) => Fault | undefined | Promise<Fault | undefined>;

export type FaultPsi = {
  /** For PSI_ENDPOINT. */
  readonly endpoint: string;
  readonly calls: Arrivals<PsiCall>;
  /** The largest number of calls in flight at the same time. */
  readonly most: number;
  /** How many calls were rejected because too many were in flight. */
  readonly throttled: number;
  /** @param fault returns the fault for a call; `undefined` means a normal answer */
  misbehave(fault: Misbehaviour): void;
  /**
   * From now on calls wait until this many are in flight and are then answered together. Calls beyond that are
   * rejected.
   */
  throttleAbove(calls: number): void;
};

const ofGoogle = (code: number, message: string, status: string, details: object[], reason: string): PsiAnswer => ({
  status: code,
  body: { error: { code, message, errors: [{ message, domain: 'global', reason }], status, details } },
});

const errorInfo = (reason: string, metadata: Record<string, string> = {}) => ({
  '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
  reason,
  domain: 'googleapis.com',
  metadata,
});

const toQuota = (limit: string, unit: string, value: string): PsiAnswer =>
  ofGoogle(
    429,
    `Quota exceeded for quota metric 'Queries' and limit '${limit}'.`,
    'RESOURCE_EXHAUSTED',
    [errorInfo('RATE_LIMIT_EXCEEDED', { quota_limit: limit, quota_limit_value: value, quota_unit: unit })],
    'rateLimitExceeded',
  );

const withHeaders = (answer: PsiAnswer, headers: Record<string, string>): PsiAnswer => ({ ...answer, headers });

export const faults = {
  perMinute: toQuota('QueriesPerMinutePerProject', '1/min/{project}', '240'),
  perDay: (retryAfterSeconds: number) =>
    withHeaders(toQuota('defaultPerDayPerProject', '1/d/{project}', '25000'), {
      'retry-after': String(retryAfterSeconds),
    }),
  noQuota: toQuota('defaultPerDayPerProject', '1/d/{project}', '0'),
  overloaded: ofGoogle(
    500,
    'Unable to process request. Please wait a while and try again.',
    'INTERNAL',
    [],
    'internalError',
  ),
  wentWrong: toLighthouseError('Lighthouse returned error: Something went wrong.', 500),
  pageBlank: toLighthouseError('Lighthouse returned error: NO_FCP. The page did not paint any content. (NO_FCP)'),
  wrongKey: (key: string | undefined) =>
    ofGoogle(
      400,
      `API key not valid: ${key}. Please pass a valid API key.`,
      'INVALID_ARGUMENT',
      [errorInfo('API_KEY_INVALID')],
      'badRequest',
    ),
  html: (status: number): PsiAnswer => ({
    status,
    headers: { 'content-type': 'text/html' },
    body: '<!doctype html><h1>Sorry</h1>',
  }),
  brokenJson: { body: '{"lighthouseResult": {"audits": ' },
  /** A normal result whose page answered with this status. */
  errorPage: (call: PsiCall, status: number): PsiAnswer => ({
    body: toPsiBody(call, {
      runWarnings: [`The page may not be loading as expected. (Status code: ${status})`],
    }),
  }),
} as const;

function send(response: ServerResponse, fault: Exclude<Fault, 'hang'>): void {
  if (fault === 'drop') return void response.destroy();
  if (fault === 'cut') {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100000' });
    return void response.write('{"lighthouseResult": {', () => response.destroy());
  }
  const { status = 200, headers, body } = fault;
  response.writeHead(status, { 'content-type': 'application/json; charset=UTF-8', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

/** A normal answer. Each has its own `fetchTime`, as a real measurement has. */
const toSound = (call: PsiCall, number: number): PsiAnswer => ({
  body: toPsiBody(call, { fetchTime: new Date(Date.parse('2026-11-20T10:00:00Z') + number).toISOString() }),
});

export async function startFaultPsi(scope: Scope): Promise<FaultPsi> {
  const calls = createArrivals<PsiCall>();
  let faultOf: Misbehaviour = () => undefined;
  let limit = Number.POSITIVE_INFINITY;
  let running = 0;
  let most = 0;
  let throttled = 0;
  const group: (() => void)[] = [];

  /** Returns a fault if the call is rejected, and `undefined` once its group is complete. */
  async function enter(): Promise<Fault | undefined> {
    running += 1;
    most = Math.max(most, running);
    if (running > limit) {
      throttled += 1;
      return faults.overloaded;
    }
    if (!Number.isFinite(limit)) return undefined;
    const complete = Promise.withResolvers<void>();
    group.push(complete.resolve);
    if (group.length === limit) {
      // A client that sends more than the limit has done so by now. Its extra calls must arrive while these are in
      // flight.
      for (let round = 0; round < 50; round++) await new Promise(setImmediate);
      for (const answer of group.splice(0)) answer();
    }
    await complete.promise;
    return undefined;
  }

  const { url } = await startLocalServer(scope, async (request, response) => {
    const abandoned = Promise.withResolvers<void>();
    response.once('close', () => response.writableFinished || abandoned.resolve());
    const { searchParams } = new URL(request.url ?? '', 'http://fault');
    const call = { params: searchParams, headers: request.headers, abandoned: abandoned.promise };
    calls.add(call);
    const number = calls.all.length;
    const fault = (await enter()) ?? (await faultOf(call, number)) ?? toSound(call, number);
    if (fault === 'hang') await call.abandoned;
    running -= 1;
    if (fault !== 'hang') send(response, fault);
  });
  return {
    endpoint: `${url}/pagespeedonline/v5/runPagespeed`,
    calls,
    get most() {
      return most;
    },
    get throttled() {
      return throttled;
    },
    misbehave: next => {
      faultOf = next;
    },
    throttleAbove: next => {
      limit = next;
    },
  };
}
