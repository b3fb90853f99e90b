/** The service measures its own page: one instance audits, the other serves the page. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Result } from '../../src/contract/result/result.ts';
import { toDetailTables } from '../../src/presentation/findings/audit-details.ts';
import { toOtherAudits } from '../../src/presentation/full-result/other-audits.ts';
import type { Whole } from '../../src/presentation/full-result/read.ts';
import { numberRequests } from '../../src/presentation/full-result/requests.ts';
import { toScripts } from '../../src/presentation/full-result/treemap.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { sharedPool } from '../support/audits/shared-pool.ts';
import { startService } from '../support/start-service.ts';

const measured = await startService({ after });
const measuring = await startService({ after }, {}, undefined, { pool: sharedPool() });

const audit = async (strategy: string, categories: string): Promise<Result> => {
  const target = withQuery('/lighthouse', { url: `${measured.url}/`, strategy, categories });
  const { status, body } = await ask<Result>(measuring, target);
  assert.equal(status, 200);
  return body;
};

/** Audits that a page on loopback cannot pass. */
const notOurs = new Set(['is-on-https', 'redirects-http', 'uses-http2', 'modern-http-insight']);
const faultsOf = ({ failed_audits: failed }: Result) =>
  failed.filter(({ id, categories }) => !categories.includes('performance') && !notOurs.has(id)).map(({ id }) => id);

/** A warning that a busy machine disturbed the run is not about the page. */
const isOfPage = (warning: string) => !/^This run (was|may have been) disturbed:/.test(warning);

const all = 'performance,accessibility,best-practices,seo';
const onMobile = await audit('mobile', all);

test('accessibility, best practices and SEO of the page are 100 on mobile and desktop, without a failed audit', async () => {
  const onDesktop = await audit('desktop', 'accessibility,best-practices,seo');
  for (const result of [onMobile, onDesktop]) {
    const { performance: _, ...scores } = result.scores;
    assert.deepEqual(scores, { accessibility: 100, 'best-practices': 100, seo: 100 }, result.strategy);
    assert.deepEqual(faultsOf(result), [], result.strategy);
    assert.deepEqual(result.warnings.filter(isOfPage), [], result.strategy);
  }
});

/** Figures that do not depend on the machine: the size of the page, and what blocks the first paint. */
test('the page is small, and its first paint waits for one stylesheet', () => {
  const { audits } = onMobile.lighthouse_result as {
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
  const [style, ...others] = (audits['render-blocking-insight']?.details?.items ?? []).map(({ url }) => `${url}`);
  assert.match(style ?? '', /\/style\.css$/);
  assert.deepEqual(others, []);
});

/** The page draws a real result of this version of Lighthouse: no view may be empty. */
test('a real result fills the views of the page', () => {
  const whole = onMobile.lighthouse_result as Whole;
  const [tree] = toDetailTables(onMobile, 'network-dependency-tree-insight');
  const asked = tree?.rows.map(([cell]) => [cell?.depth ?? 0, cell?.address?.replace(/.*\//, '')]);
  assert.deepEqual(
    asked?.filter(([, name]) => name === '' || name === 'style.css'),
    [
      [0, ''],
      [1, 'style.css'],
    ],
    JSON.stringify(asked),
  );
  const [document] = tree?.rows ?? [];
  assert.equal(numberRequests(whole).get(document?.[0]?.address ?? ''), 1);
  assert.deepEqual(
    document?.slice(1).every(({ text }) => text !== ''),
    true,
  );
  const scripts = toScripts(whole).map(({ name }) => name);
  assert.ok(scripts.includes('page.js'), scripts.join());
  for (const others of toOtherAudits(whole, ['performance', 'accessibility', 'best-practices', 'seo']))
    assert.ok(others.audits.length > 5, others.category);
});
