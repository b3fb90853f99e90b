/** The service measures its own page: one instance audits, the other one is the page. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Report } from '../../src/report/report.ts';
import { ask, withQuery } from '../ask.ts';
import { startService } from '../start-service.ts';

const measured = await startService({ after });
const measuring = await startService({ after });

const audit = async (strategy: string, categories: string): Promise<Report> => {
  const target = withQuery('/lighthouse', { url: `${measured.url}/`, strategy, categories });
  const { status, body } = await ask<Report>(measuring, target);
  assert.equal(status, 200);
  return body;
};

/** What a page on loopback cannot have: the rest has to be without a fault. */
const notOurs = new Set(['is-on-https', 'redirects-http', 'uses-http2', 'modern-http-insight']);
const faultsOf = ({ failed_audits: failed }: Report) => failed.map(({ id }) => id).filter(id => !notOurs.has(id));

for (const strategy of ['mobile', 'desktop'])
  test(`accessibility, best practices and SEO of the page are 100 on ${strategy}, without a failed audit`, async () => {
    const report = await audit(strategy, 'accessibility,best-practices,seo');
    assert.deepEqual(report.scores, { accessibility: 100, 'best-practices': 100, seo: 100 });
    assert.deepEqual(faultsOf(report), []);
    assert.deepEqual(report.warnings, []);
  });

/**
 * A busy machine only ever makes a page slower: the best of a few runs is the nearest to what the page is. So the
 * first run that shows it is enough, and a page that has become slow fails in all of them.
 */
test('performance of the page is at least 98 on mobile', async () => {
  const scores: (number | null | undefined)[] = [];
  while (scores.length < 3 && (scores.at(-1) ?? 0) < 98)
    scores.push((await audit('mobile', 'performance')).scores.performance);
  assert.ok((scores.at(-1) ?? 0) >= 98, `${scores}`);
});

/** What does not depend on the machine: how much there is to load, and what the first paint waits for. */
test('the page needs little, and its first paint waits for one style sheet', async () => {
  const { lighthouse_result: full } = await audit('mobile', 'performance');
  const { audits } = full as {
    audits: Record<string, { numericValue?: number; details?: { items?: Record<string, unknown>[] } }>;
  };
  const requests = audits['network-requests']?.details?.items ?? [];
  const of = (type: string) => requests.filter(({ resourceType }) => resourceType === type);
  assert.deepEqual(
    [of('Document').length, of('Stylesheet').length, of('Image').length, of('Font').length],
    [1, 1, 0, 0],
  );
  assert.ok(requests.every(({ url }) => `${url}`.startsWith(measured.url) || `${url}`.startsWith('data:')));
  const bytes = audits['total-byte-weight']?.numericValue ?? Number.NaN;
  assert.ok(bytes > 0 && bytes < 100_000, `${bytes} bytes`);
  assert.equal(audits['cumulative-layout-shift']?.numericValue, 0);
  const blocking = (audits['render-blocking-insight']?.details?.items ?? []).map(({ url }) => `${url}`);
  assert.ok(
    blocking.every(url => url.endsWith('/style.css')),
    blocking.join(),
  );
});
