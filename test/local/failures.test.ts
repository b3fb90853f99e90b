/** Contract section 4: pages that cannot be measured fail with the same code on both backends, by real audits. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Health } from '../../src/contract/health.ts';
import type { Problem } from '../../src/contract/problem.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { captureLog } from '../support/captured-log.ts';
import { findClosedPort } from '../support/sites/local-server.ts';
import { startPages } from '../support/sites/pages.ts';
import { startService } from '../support/start-service.ts';
import { readUntil } from '../support/until.ts';
import { createBothFail } from './both-fail.ts';

const pages = await startPages({ after });
const { log, lines } = captureLog();
const service = await startService({ after }, {}, undefined, { log });

const assertBothFail = createBothFail(service);

test('a page that refuses the connection is page_unreachable', async () => {
  await assertBothFail(await findClosedPort(), 'page_unreachable');
});

test('a page that answers 404 is page_error', async () => {
  await assertBothFail(`${pages.url}/404`, 'page_error', 404);
});

test('a single failure is a Problem', async () => {
  const { status, headers, body } = await ask<Problem>(
    service,
    withQuery('/lighthouse', { url: await findClosedPort() }),
  );
  assert.deepEqual([status, headers.get('content-type')], [502, 'application/problem+json']);
  const { detail, ...others } = body;
  assert.deepEqual(others, {
    type: 'urn:rangelight:page_unreachable',
    title: 'Page unreachable',
    status: 502,
    code: 'page_unreachable',
    retryable: true,
    source: 'lighthouse',
    lighthouse_code: 'FAILED_DOCUMENT_REQUEST',
  });
  assert.match(detail, /ERR_CONNECTION_REFUSED/);
});

test("a redirect does not lead an audit to the service's own port", async () => {
  const url = `${pages.url}/redirect-to?url=${encodeURIComponent(`${service.url}/docs`)}`;
  const { status, body } = await ask<Problem>(service, withQuery('/lighthouse', { url, categories: 'seo' }));
  assert.deepEqual([status, body.code], [403, 'target_forbidden']);
  await ask(service, '/health');
  const routes = new Set(lines.map(({ route }) => route));
  assert.deepEqual([routes.has('/health'), routes.has('/docs')], [true, false]);
});

test('failures are not cached, and every slot is free again', async () => {
  const read = () => ask<Health>(service, '/health');
  const { body } = await readUntil(read, ({ body }) => body.lighthouse.running === 0);
  assert.deepEqual([body.cache.entries, body.lighthouse.queued], [0, 0]);
});
