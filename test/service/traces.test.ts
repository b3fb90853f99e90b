/** Traces of requests, as an OpenTelemetry collector receives them. The audits are simulated, the traces real. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import pino from 'pino';
import type { JobFacts } from '../../src/contract/jobs/job.ts';
import { startFakePsi, toLighthouseError } from '../support/analysers/fake-psi.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { createSimulatedPool } from '../support/audits/simulated-pool.ts';
import { type Scope, type StartedService, startService } from '../support/start-service.ts';
import { startCollector, type TracedSpan, toTraceVariables } from '../support/surroundings/otlp-collector.ts';

const collector = await startCollector({ after });
const fake = await startFakePsi({ after });
const pool = createSimulatedPool({ durationMs: 1 });

/**
 * Starts a service with these variables, also in the environment of this process for as long as the start takes:
 * OpenTelemetry's packages read them there, at the start. Other tests share the process.
 */
async function startTraced(
  scope: Scope,
  variables: Record<string, string>,
  overrides: Parameters<typeof startService>[3] = {},
): Promise<StartedService> {
  const before = Object.keys(variables).map(name => [name, process.env[name]] as const);
  Object.assign(process.env, variables);
  try {
    return await startService(scope, { ...variables, PSI_ENDPOINT: fake.endpoint }, undefined, overrides);
  } finally {
    for (const [name, value] of before)
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  }
}

const service = await startTraced({ after }, { ...toTraceVariables(collector), TARGETS: 'any' }, { pool });

const [server, client, internal] = [2, 3, 1];
const failed = 2;
const secret = 'do-not-tell';
let traces = 0;

/** Trace context and headers of a traced client. */
function begin() {
  traces += 1;
  const traceId = String(traces).padStart(32, 'a');
  const spanId = String(traces).padStart(16, 'b');
  return { traceId, spanId, headers: { traceparent: `00-${traceId}-${spanId}-01` } };
}

const isIn =
  ({ traceId }: { traceId: string }) =>
  (span: TracedSpan) =>
    span.traceId === traceId;

test("a request continues its client's trace, and a remote call is part of it", async () => {
  const trace = begin();
  const target = withQuery('/psi', { url: `https://example.com/page?token=${secret}#x`, strategy: 'mobile' });
  assert.equal((await ask(service, target, { headers: trace.headers })).status, 200);
  const request = await collector.find('GET /psi', isIn(trace));
  assert.deepEqual([request.parentSpanId, request.kind], [trace.spanId, server]);
  assert.deepEqual(request.facts, {
    'http.request.method': 'GET',
    'http.route': '/psi',
    'http.response.status_code': 200,
  });
  const { 'service.name': name, 'service.version': version, 'rangelight.role': role } = request.resource;
  assert.deepEqual([name, typeof version, role], ['rangelight', 'string', 'all']);
  const call = await collector.find('remote analysis', isIn(trace));
  assert.deepEqual([call.parentSpanId, call.kind], [request.spanId, client]);
  assert.deepEqual(call.facts, {
    'rangelight.target': 'https://example.com/page',
    'rangelight.strategy': 'mobile',
    'server.address': new URL(fake.endpoint).host,
  });
});

test('no trace context is sent to the PSI server, and no page query to the collector', () => {
  const [call] = fake.calls.all;
  assert.ok(call);
  assert.deepEqual(
    Object.keys(call.headers).filter(name => /^(trace|baggage|b3|uber|x-b3|x-cloud)/.test(name)),
    [],
  );
  assert.ok(collector.posts.all.length > 0);
  assert.ok(collector.posts.all.every(({ body, path }) => path === '/v1/traces' && !body.includes(secret)));
});

test('an audit has a span for the wait for its slot and one for the audit itself', async () => {
  const trace = begin();
  const target = withQuery('/lighthouse', { url: 'http://page.test/local', categories: 'performance' });
  assert.equal((await ask(service, target, { headers: trace.headers })).status, 200);
  const request = await collector.find('GET /lighthouse', isIn(trace));
  for (const name of ['wait for a slot', 'audit']) {
    const span = await collector.find(name, isIn(trace));
    assert.deepEqual(
      [span.parentSpanId, span.kind, span.facts['rangelight.target']],
      [request.spanId, internal, 'http://page.test/local'],
    );
  }
});

test('each page of a batch is in the trace of its request', async () => {
  const trace = begin();
  const urls = Array.from({ length: 12 }, (_, at) => `https://example.com/batch-${at}`);
  const { status } = await ask(service, '/psi', {
    method: 'POST',
    headers: { ...trace.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ urls, strategy: 'mobile' }),
  });
  assert.equal(status, 200);
  const request = await collector.find('POST /psi', isIn(trace));
  const calls = await collector.spans.waitFor(
    urls.length,
    each => each.name === 'remote analysis' && isIn(trace)(each),
  );
  assert.ok(calls.every(({ parentSpanId }) => parentSpanId === request.spanId));
});

test('a job stays in the trace of the request that created it', async () => {
  const trace = begin();
  const target = withQuery('/psi', { url: 'https://example.com/job', strategy: 'mobile' });
  const headers = { ...trace.headers, prefer: 'respond-async' };
  const { status } = await ask<JobFacts>(service, target, { headers });
  assert.equal(status, 202);
  const page = await collector.find('page of a job', isIn(trace));
  const request = await collector.find('GET /psi', isIn(trace));
  const call = await collector.find('remote analysis', isIn(trace));
  assert.deepEqual([page.parentSpanId, call.parentSpanId], [request.spanId, page.spanId]);
});

test('a failure has its code, and only a fault of the service marks the request as an error', async () => {
  const trace = begin();
  fake.answerWith(() => toLighthouseError('Lighthouse returned error: NOT_HTML. The page provided is not HTML.'));
  const target = withQuery('/psi', { url: 'https://example.com/file', strategy: 'mobile' });
  assert.equal((await ask(service, target, { headers: trace.headers })).status, 502);
  const request = await collector.find('GET /psi', isIn(trace));
  assert.deepEqual([request.status?.code, request.facts['error.type']], [failed, 'page_not_html']);
  const refused = begin();
  assert.equal((await ask(service, '/psi?url=nonsense', { headers: refused.headers })).status, 422);
  const refusal = await collector.find('GET /psi', isIn(refused));
  assert.deepEqual([refusal.status?.code ?? 0, refusal.facts['error.type']], [0, undefined]);
});

test('probes and metrics have no spans; a path without a route has one without its path', async () => {
  const trace = begin();
  for (const path of ['/health', '/health/ready', '/metrics', `/${secret}`])
    await (await fetch(service.url + path, { headers: trace.headers })).text();
  const span = await collector.find('GET', isIn(trace));
  assert.equal(span.facts['http.response.status_code'], 404);
  assert.deepEqual(
    collector.spans.all.filter(isIn(trace)).map(({ name }) => name),
    ['GET'],
  );
});

test("a client's decision not to sample its trace is respected", async () => {
  const trace = begin();
  const target = withQuery('/psi', { url: 'https://example.com/unsampled', strategy: 'mobile' });
  await ask(service, target, { headers: { traceparent: `00-${trace.traceId}-${trace.spanId}-00` } });
  const next = begin();
  await ask(service, target, { headers: next.headers });
  await collector.find('GET /psi', isIn(next));
  assert.deepEqual(collector.spans.all.filter(isIn(trace)), []);
});

test('the default protocol is protobuf, and the last spans are sent when the service stops', async t => {
  const other = await startCollector(t);
  const { OTEL_EXPORTER_OTLP_ENDPOINT } = toTraceVariables(other);
  const stopping = await startTraced(t, { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_BSP_SCHEDULE_DELAY: '600000' });
  await (await fetch(`${stopping.url}/openapi.json`)).text();
  await stopping.close(0);
  const [post] = other.posts.all;
  assert.deepEqual([post?.type, post?.path], ['application/x-protobuf', '/v1/traces']);
  assert.ok(post?.body.includes('GET /openapi.json'));
});

test('an unreachable collector causes one log line, and delays neither requests nor the stop', async t => {
  const gone = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
    OTEL_BSP_SCHEDULE_DELAY: '1',
    OTEL_EXPORTER_OTLP_TIMEOUT: '200',
  };
  const lines: string[] = [];
  const warned = Promise.withResolvers<void>();
  const log = pino(
    { level: 'warn' },
    {
      write(line: string) {
        lines.push(line);
        if (line.includes('traces cannot be sent')) warned.resolve();
      },
    },
  );
  const alone = await startTraced(t, gone, { log });
  assert.equal((await fetch(`${alone.url}/openapi.json`)).status, 200);
  await warned.promise;
  await (await fetch(`${alone.url}/openapi.json`)).text();
  await alone.close(0);
  assert.equal(lines.filter(line => line.includes('traces cannot be sent')).length, 1);
});

test('an unsupported trace protocol is reported, and does not stop the service', async t => {
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  const plain = await startTraced(t, toTraceVariables(collector, 'grpc'), { log });
  assert.equal((await fetch(`${plain.url}/health`)).status, 200);
  assert.match(lines.join(), /traces are off: only OTLP as http\/protobuf or http\/json can be sent/);
});
