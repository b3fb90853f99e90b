/** Some pages of `npm run bench:odd-pages`, which tries all of them and plain Lighthouse: those that are quick to tell. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { marker } from '../../bench/odd-pages/answers.ts';
import { pages } from '../../bench/odd-pages/pages.ts';
import { type Page, startSite } from '../../bench/odd-pages/site.ts';
import type { Problem } from '../../src/contract/problem.ts';
import type { Result } from '../../src/contract/result/result.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { toPatientAudits } from '../support/audits/quick-audits.ts';
import { startService } from '../support/start-service.ts';

const chosen = new Set([
  ...['script: Content-Length twice, equal', 'script: a PHP warning among the headers', 'a line without a colon'],
  ...[
    'script: a name with a space',
    'a name in brackets',
    'script: an empty name',
    'script: status run into its reason',
  ],
  ...['404, chunked and empty', '500, closed without a body', '404, length 0, with Refresh', '999, empty'],
  ...['999 Request denied', '099 Low', 'bücher.localhost', 'a.b.localhost', 'starts to leave, then stop()'],
  ...['myshop: by 302', 'myshop: by script, without content', 'leaves 1 s after the load'],
  ...['a|b', 'a fetch of 120 MB', 'a service worker that answers 500'],
]);

const site = await startSite(pages);
after(() => site.close());
const service = await startService({ after }, { LIGHTHOUSE_QUEUE: '100' }, undefined, { audits: toPatientAudits() });

async function measure(page: Page): Promise<void> {
  const url = site.urlOf(page);
  const categories = 'performance,seo';
  const { status, body, text } = await ask<Result & Problem>(service, withQuery('/lighthouse', { url, categories }));
  const expected: readonly string[] = [page.expected].flat();
  assert.ok(expected.includes(status === 200 ? 'measured' : body.code), text.slice(0, 500));
  if (page.pageStatus !== undefined) assert.equal(body.page_status, page.pageStatus);
  if (page.isRetryable !== undefined) assert.equal(body.retryable, page.isRetryable);
  if (page.isMarked && status === 200) assert.ok(text.includes(marker), 'measured without its script');
  if (page.says) assert.match([body.detail, ...(body.warnings ?? [])].join('\n'), page.says);
  if (status === 200) assert.equal(typeof body.scores.performance, 'number');
}

for (const page of pages.filter(({ name }) => chosen.has(name)))
  test(`${page.name}: ${[page.expected].flat().join(' or ')}`, () => measure(page));

test('all of these pages exist', () => {
  const names = new Set(pages.map(({ name }) => name));
  assert.deepEqual(
    [...chosen].filter(name => !names.has(name)),
    [],
  );
});
