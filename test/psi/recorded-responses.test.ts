/**
 * Recorded answers of Google's PSI v5 through the real service. They are not part of this project; without them, the
 * tests are skipped.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import type { Comparison } from '../../src/contract/analysis/comparison.ts';
import type { Health } from '../../src/contract/health.ts';
import type { Result } from '../../src/contract/result/result.ts';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { startPages } from '../support/sites/pages.ts';
import { startService } from '../support/start-service.ts';

const fileOf = (name: string) => new URL(`../../../shared/data/psi-responses/${name}`, import.meta.url);

type Recorded = {
  lighthouseResult: {
    requestedUrl: string;
    fetchTime: string;
    lighthouseVersion: string;
    categories: Record<string, { score: number }>;
    audits: Record<string, { numericValue?: number }>;
  };
};

/**
 * Starts the service with a v5 server that answers with the recording. Without a recording, it skips the test and
 * returns undefined.
 */
async function replay(t: TestContext, name: string, status = 200) {
  if (!existsSync(fileOf(name))) {
    t.skip('skipped: there are no recorded responses next to this project');
    return undefined;
  }
  const text = readFileSync(fileOf(name), 'utf8');
  const fake = await startFakePsi(t);
  fake.answerWith(() => ({ status, body: text }));
  const service = await startService(t, { PSI_ENDPOINT: fake.endpoint });
  const get = <Body>(url: string, strategy: string, more: Record<string, boolean> = {}) =>
    ask<Body>(service, withQuery('/psi', { url, strategy, ...more }));
  return { text, get, service };
}

for (const [name, strategy] of [
  ['mobile-field-full.json', 'mobile'],
  ['desktop-basic.json', 'desktop'],
] as const)
  test(`the recorded ${name} becomes a valid report with field data`, async t => {
    const replayed = await replay(t, name);
    if (!replayed) return;
    const { lighthouseResult: recorded }: Recorded = JSON.parse(replayed.text);
    const { status, text, body } = await replayed.get<Result>(recorded.requestedUrl, strategy);
    assert.equal(status, 200);
    assert.ok(Buffer.byteLength(text) < 40 * 1024 && !text.includes('base64'));
    assert.deepEqual([body.fetched_at, body.lighthouse_version], [recorded.fetchTime, recorded.lighthouseVersion]);
    const percent = Object.entries(recorded.categories).map(([id, { score }]) => [id, Math.round(score * 100)]);
    assert.deepEqual(body.scores, Object.fromEntries(percent));
    assert.equal(
      body.metrics.largest_contentful_paint.value,
      recorded.audits['largest-contentful-paint']?.numericValue,
    );
    const { field } = body.core_web_vitals;
    assert.deepEqual([field?.scope, field?.collected_by, field?.assessment], ['url', 'psi', 'passed']);
    assert.ok((field?.largest_contentful_paint?.p75 ?? 0) > 0);
    assert.equal(field?.cumulative_layout_shift?.unit, 'unitless');
  });

for (const [name, strategy] of [
  ['mobile-field-full.json', 'mobile'],
  ['desktop-basic.json', 'desktop'],
] as const)
  test(`the recorded ${name} compared with a run of another page is first of all a different page`, async t => {
    const replayed = await replay(t, name);
    if (!replayed) return;
    const pages = await startPages(t);
    const target = withQuery('/compare', { url: `${pages.url}/faulty`, strategy });
    const { status, body } = await ask<{ psi: Result; comparison: Comparison }>(replayed.service, target);
    assert.equal(status, 200);
    const { causes, performance, explanation: verdict } = body.comparison;
    assert.deepEqual([causes[0]?.cause, causes[0]?.certainty], ['different_page', 'observed']);
    assert.ok(causes[0]?.evidence.some(({ fact }) => fact === 'final_url'));
    const names = causes.map(({ cause }) => cause);
    for (const cause of ['chrome_version', 'lighthouse_version', 'cached_answer'] as const)
      assert.ok(names.includes(cause), cause);
    assert.ok(Object.values(performance?.metrics ?? {}).every(({ points }) => points !== null));
    assert.match(verdict, /^The two sides did not load the same page: /);
    assert.ok(body.psi.core_web_vitals.field, 'field data stand apart');
  });

test('the recorded answer is the full audit data, unchanged', async t => {
  const replayed = await replay(t, 'desktop-basic.json');
  if (!replayed) return;
  const { lighthouseResult: recorded }: Recorded = JSON.parse(replayed.text);
  const { body } = await replayed.get<Result>(recorded.requestedUrl, 'desktop', { detailed: true });
  assert.deepEqual(body.lighthouse_result, recorded);
});

for (const name of ['desktop-basic.json', 'mobile-field-full.json'])
  test(`the recorded ${name} is stored in less than 120 KB, with all its data`, async t => {
    const replayed = await replay(t, name);
    if (!replayed) return;
    const { lighthouseResult: recorded }: Recorded = JSON.parse(replayed.text);
    await replayed.get<Result>(recorded.requestedUrl, 'mobile');
    const { cache } = (await ask<Health>(replayed.service, '/health')).body;
    assert.ok(cache.entries === 1 && cache.bytes < 120 * 1024, `${cache.bytes} bytes`);
    t.diagnostic(`${Math.round(replayed.text.length / 1024)} KB from the analyser, ${cache.bytes} bytes in the cache`);
  });
