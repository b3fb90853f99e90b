/** Contract section 4: more pages that cannot be measured, on both backends: see failures.test.ts. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startPages } from '../support/sites/pages.ts';
import { startService } from '../support/start-service.ts';
import { createBothFail } from './both-fail.ts';

const pages = await startPages({ after });
const service = await startService({ after });

const assertBothFail = createBothFail(service);

test('a page that answers 503 is page_error and has no score', async () => {
  const body = await assertBothFail(`${pages.url}/503`, 'page_error', 503);
  assert.ok(!('scores' in body.psi) && !('scores' in body.lighthouse));
});

test('a 404 with JSON is page_error too', async () => {
  await assertBothFail(`${pages.url}/json-404`, 'page_error', 404);
});

test('JSON is page_not_html', async () => {
  await assertBothFail(`${pages.url}/json`, 'page_not_html');
});

test('a download is page_not_html', async () => {
  await assertBothFail(`${pages.url}/download`, 'page_not_html');
});

test('a PDF is page_not_html', async () => {
  const body = await assertBothFail(`${pages.url}/pdf`, 'page_not_html');
  assert.match(body.lighthouse.error.detail, /application\/pdf/);
});

test('an endless redirect is too_many_redirects', async () => {
  await assertBothFail(`${pages.url}/redirect-loop`, 'too_many_redirects');
});
