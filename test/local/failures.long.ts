/** Contract section 4: more pages that cannot be measured, on both backends: see failures.test.ts. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Failure } from '../../src/contract/answers.ts';
import type { Problem } from '../../src/contract/problem.ts';
import { ask, withQuery } from '../support/ask.ts';
import { startPages } from '../support/pages.ts';
import { startService } from '../support/start-service.ts';

type BothFailed = Problem & { psi: Failure; lighthouse: Failure; comparison: null };

const pages = await startPages({ after });
const service = await startService({ after });

/** Both backends on one page; what each of them said. */
async function assertBothFail(url: string, code: Problem['code'], pageStatus?: number): Promise<BothFailed> {
  const { status, body } = await ask<BothFailed>(service, withQuery('/compare', { url, categories: 'seo' }));
  assert.equal(status, 502, JSON.stringify(body).slice(0, 500));
  assert.deepEqual([body.code, body.source, body.comparison], [code, 'psi', null]);
  for (const source of ['psi', 'lighthouse'] as const) {
    const { error } = body[source];
    assert.deepEqual([error.code, error.source, error.page_status], [code, source, pageStatus], error.detail);
    assert.match(error.detail, /^[A-Z].*\.$/);
  }
  return body;
}

test('a page that answers 503 is page_error and has no score', async () => {
  const body = await assertBothFail(`${pages.url}/503`, 'page_error', 503);
  assert.ok(!('scores' in body.psi) && !('scores' in body.lighthouse));
});

test('a 404 of JSON is page_error too', async () => {
  await assertBothFail(`${pages.url}/json-404`, 'page_error', 404);
});

test('JSON is page_not_html', async () => {
  await assertBothFail(`${pages.url}/json`, 'page_not_html');
});

test('a download is page_not_html', async () => {
  await assertBothFail(`${pages.url}/download`, 'page_not_html');
});
