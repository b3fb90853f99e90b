/** Reports of several runs: see reports.test.ts. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { withQuery } from '../support/asking/ask.ts';
import { startPages } from '../support/sites/pages.ts';
import { startService } from '../support/start-service.ts';
import { assertIsReport } from './report-answer.ts';

const fake = await startFakePsi({ after });
const service = await startService({ after }, { PSI_ENDPOINT: fake.endpoint, TARGETS: 'any' });

type Query = Parameters<typeof withQuery>[1];
const get = (path: string, query: Query, init: RequestInit = {}) =>
  fetch(`${service.url}${withQuery(path, query)}`, init);

test('runs of a report are made as requested', async t => {
  const pages = await startPages(t);
  const response = await get('/lighthouse/report', { url: `${pages.url}/good?runs`, categories: 'seo', runs: 2 });
  assertIsReport(response);
  const loads = pages.requests.all.filter(path => path === '/good?runs');
  assert.ok(loads.length >= 2, pages.requests.all.join());
});
