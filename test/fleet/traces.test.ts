/** A trace continues on the machine that audits the page, through the fleet's queue and for jobs, too. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ask, withQuery } from '../support/asking/ask.ts';
import { createSimulatedPool } from '../support/audits/simulated-pool.ts';
import { startService } from '../support/start-service.ts';
import { sendTracesTo, startCollector, type TracedSpan } from '../support/surroundings/otlp-collector.ts';
import { startOwnPostgres } from '../support/surroundings/own-postgres.ts';

const postgres = await startOwnPostgres({ after });
const collector = await startCollector({ after });
const DATABASE_URL = await postgres.createDatabase();
const environment = { ...sendTracesTo(collector), DATABASE_URL, TARGETS: 'any' };
const pool = createSimulatedPool({ durationMs: 1 });
const api = await startService({ after }, { ...environment, ROLE: 'api' });
await startService({ after }, { ...environment, ROLE: 'worker' }, undefined, { pool });

const target = (name: string) =>
  withQuery('/lighthouse', { url: `http://page.test/${name}`, categories: 'performance', strategy: 'mobile' });

async function spansOf(traceId: string, names: readonly string[]): Promise<readonly TracedSpan[]> {
  return Promise.all(names.map(name => collector.find(name, span => span.traceId === traceId)));
}

test('the audit on another machine is part of the trace of its request', async () => {
  const traceId = 'c'.repeat(32);
  const headers = { traceparent: `00-${traceId}-${'d'.repeat(16)}-01`, tracestate: 'vendor=1' };
  const { status, text } = await ask(api, target('a'), { headers });
  assert.equal(status, 200, text);
  const [request, wait, audit] = await spansOf(traceId, ['GET /lighthouse', 'wait for a slot', 'audit']);
  assert.ok(request && wait && audit);
  assert.deepEqual(
    [request, wait, audit].map(({ resource }) => resource['rangelight.role']),
    ['api', 'api', 'worker'],
  );
  assert.notEqual(audit.resource['service.instance.id'], request.resource['service.instance.id']);
  assert.deepEqual([wait.parentSpanId, audit.parentSpanId], [request.spanId, request.spanId]);
});

test('the audit of a job is part of the trace of its request', async () => {
  const traceId = 'e'.repeat(32);
  const headers = { traceparent: `00-${traceId}-${'f'.repeat(16)}-01`, prefer: 'respond-async' };
  assert.equal((await ask(api, target('b'), { headers })).status, 202);
  const [request, page, audit] = await spansOf(traceId, ['GET /lighthouse', 'page of a job', 'audit']);
  assert.ok(request && page && audit);
  assert.equal(audit.resource['rangelight.role'], 'worker');
  assert.deepEqual([page.parentSpanId, audit.parentSpanId], [request.spanId, page.spanId]);
});

test('a request without a client trace starts a new one', async () => {
  assert.equal((await ask(api, target('c'))).status, 200);
  const audit = await collector.find('audit', ({ facts }) => facts['rangelight.target'] === 'http://page.test/c');
  const request = await collector.find('GET /lighthouse', span => span.traceId === audit.traceId);
  assert.equal(audit.parentSpanId, request.spanId);
});
