/** Stored results as a client sees them: ids, links, lists, files, removal. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { Ajv } from 'ajv';
import harSchemas from 'har-schema';
import type { Static } from 'typebox';
import type { CompareResult } from '../../src/contract/analysis/answers.ts';
import type { Health } from '../../src/contract/health.ts';
import type { Problem } from '../../src/contract/problem.ts';
import type { Result } from '../../src/contract/result/result.ts';
import type { KeptPage } from '../../src/contract/stored/kept.ts';
import { toShown } from '../../src/presentation/undisturbed.ts';
import { startFakePsi, toLighthouseError, toPsiBody } from '../support/analysers/fake-psi.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { sharedPool } from '../support/audits/shared-pool.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startPages } from '../support/sites/pages.ts';
import { startService } from '../support/start-service.ts';

type Compared = Static<typeof CompareResult>;
type Kept<T> = T & {
  id: string;
  links: { self: string; report: string; screenshot: string; trace: string; network_log: string };
};

const pages = await startPages({ after });
const fake = await startFakePsi({ after });
const folder = makeScratchFolder({ after });
const settings = { DATA_DIR: folder, PSI_ENDPOINT: fake.endpoint };
const service = await startService({ after }, settings, undefined, { pool: sharedPool() });
const page = `${pages.url}/good`;
const remotePage = 'https://example.com/';

const list = async (query: Record<string, string>) => (await ask<KeptPage>(service, withQuery('/results', query))).body;
const psi = (query: Record<string, string> = {}) =>
  ask<Kept<Result>>(service, withQuery('/psi', { url: remotePage, strategy: 'mobile', ...query }));

const local = await ask<Kept<Result>>(
  service,
  withQuery('/lighthouse', { url: page, categories: 'performance', runs: '2', label: ' build 1 ' }),
);

test('an answer links to its stored result, which is identical', async () => {
  const { body } = local;
  assert.equal(local.status, 200);
  assert.match(body.id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.deepEqual([body.label, body.links.self], ['build 1', `/results/${body.id}`]);
  assert.doesNotMatch(body.warnings.join(), /kept/);
  const { lighthouse_result: full, ...summary } = body;
  const found = await ask<Result>(service, body.links.self);
  assert.deepEqual([found.status, found.body], [200, summary]);
  const detailed = await ask<Result>(service, `${body.links.self}?detailed=true`);
  assert.deepEqual(detailed.body, { ...summary, lighthouse_result: full });
});

test('each of several runs is stored and linked to the result', async () => {
  const { id, runs } = local.body;
  const { results } = await list({ group: id });
  assert.deepEqual(new Set(results.map(entry => entry.id)), new Set(runs?.ids));
  assert.deepEqual(results.map(({ kind, group, label }) => [kind, group, label]).toSorted(), [
    ['result', id, 'build 1'],
    ['run', id, 'build 1'],
  ]);
  for (const { links, metrics } of results) {
    const { body } = await ask<Result>(service, links.self);
    assert.equal(toShown(body, 'first_contentful_paint').value, metrics.first_contentful_paint);
  }
  assert.deepEqual(
    (await list({ url: page })).results.map(entry => entry.id),
    [id],
    'a list has no single runs',
  );
});

test('a stored result contains how and by whom the page was measured, and the outcome', async () => {
  const { id, fetched_at: fetchedAt, lighthouse_version: version } = local.body;
  const [entry] = (await list({ group: id, kind: 'result' })).results;
  assert.ok(entry);
  const { analyser, ...facts } = entry;
  assert.deepEqual([analyser.kind, analyser.host, analyser.lighthouse_version], ['local', null, version]);
  assert.match(analyser.browser_version ?? '', /^\d+\.\d+/);
  assert.match(analyser.machine_id ?? '', /^[0-9a-f]{16}$/);
  assert.deepEqual(
    [facts.url, facts.source, facts.strategy, facts.profile, facts.label, facts.fetched_at],
    [page, 'lighthouse', 'mobile', 'lighthouse', 'build 1', fetchedAt],
  );
  assert.deepEqual([facts.scores.performance, facts.scores.seo], [toShown(local.body, 'performance').value, null]);
  const remote = (await psi({ label: 'who' })).body;
  const [other] = (await list({ label: 'who' })).results;
  assert.deepEqual(other?.analyser, {
    kind: 'custom',
    host: new URL(fake.endpoint).host,
    lighthouse_version: remote.lighthouse_version,
    browser_version: '146.0.0.0',
    machine_id: null,
  });
});

test('the report, screenshot, trace and network log belong to the same result', async () => {
  const { links, fetched_at: fetchedAt } = local.body;
  const count = pages.requests.all.length;
  const report = await fetch(service.url + links.report);
  assert.deepEqual([report.status, report.headers.get('content-type')], [200, 'text/html; charset=utf-8']);
  assert.ok((await report.text()).includes(fetchedAt));
  const screenshot = await fetch(service.url + links.screenshot);
  assert.deepEqual([screenshot.status, screenshot.headers.get('content-type')], [200, 'image/jpeg']);
  assert.deepEqual([...new Uint8Array(await screenshot.arrayBuffer()).subarray(0, 2)], [0xff, 0xd8]);
  const trace = await fetch(service.url + (links.trace ?? ''));
  assert.deepEqual([trace.status, trace.headers.get('content-type')], [200, 'application/gzip']);
  const { traceEvents } = JSON.parse(gunzipSync(await trace.arrayBuffer()).toString());
  assert.ok(traceEvents.length > 100);
  const log = await fetch(service.url + links.network_log);
  assert.deepEqual([log.status, log.headers.get('content-type')], [200, 'application/gzip']);
  assert.match(
    log.headers.get('content-disposition') ?? '',
    /^attachment; filename="[\w.-]+-network-log-mobile\.json\.gz"$/,
  );
  const messages = JSON.parse(gunzipSync(await log.arrayBuffer()).toString()) as { method: string }[];
  assert.ok(messages.some(({ method }) => method === 'Network.requestWillBeSent'));
  assert.equal(pages.requests.all.length, count, 'the page was not asked for again');
});

test('the network log is a valid HAR file as well, without what proves who a user is', async () => {
  const response = await fetch(`${service.url}${local.body.links.self}/har`);
  assert.deepEqual([response.status, response.headers.get('content-type')], [200, 'application/json']);
  assert.match(response.headers.get('content-disposition') ?? '', /^attachment; filename="[\w.-]+\.har"$/);
  const text = await response.text();
  // The schemas are of an older draft, of which they use nothing that changed.
  const formats = {
    ipv4: /^[\d.]+$/,
    ipv6: /:/,
    uri: URL.canParse,
    'date-time': (text: string) => !Number.isNaN(Date.parse(text)),
  };
  const schemas = Object.values(harSchemas).map(({ $schema: _, ...schema }) => schema);
  const validate = new Ajv({ schemas, strict: false, formats }).getSchema('har.json#');
  const har = JSON.parse(text);
  assert.ok(validate?.(har), JSON.stringify(validate?.errors));
  assert.ok(har.log.entries.some(({ request }: { request: { url: string } }) => request.url === local.body.url));
  assert.doesNotMatch(text, /"(?:set-)?cookie"/i);
});

test('a cached result is the stored one, and a label belongs to one build', async () => {
  const first = await psi({ label: 'one' });
  const again = await psi({ label: 'one' });
  const other = await psi({ label: 'two' });
  assert.deepEqual(
    [first.body.cache?.status, again.body.cache?.status, other.body.cache?.status],
    ['miss', 'hit', 'miss'],
  );
  assert.equal(again.body.id, first.body.id);
  assert.notEqual(other.body.id, first.body.id);
  const { cache: _, ...summary } = first.body;
  assert.deepEqual((await ask<Result>(service, first.body.links.self)).body, summary);
  assert.deepEqual(
    (await list({ label: 'two' })).results.map(({ id }) => id),
    [other.body.id],
  );
  assert.equal((await fetch(service.url + first.body.links.report)).status, 200);
});

test('a failure of the page is stored as a failure, and other failures are not stored', async () => {
  const url = 'https://broken.example.com/';
  const failed = 'Lighthouse returned error: ERRORED_DOCUMENT_REQUEST. (Status code: 503)';
  fake.answerWith(async () => toLighthouseError(failed));
  const { body: bad } = await ask<Problem>(service, withQuery('/psi', { url, strategy: 'mobile', label: 'bad' }));
  fake.answerWith(async () => ({ status: 403, body: {} }));
  const { body: refused } = await ask<Problem>(service, withQuery('/psi', { url, strategy: 'mobile' }));
  fake.answerWith(async call => ({ body: toPsiBody(call) }));
  const { results } = await list({ url });
  assert.deepEqual(
    results.map(({ kind, error_code: code, page_status: status, label }) => [kind, code, status, label]),
    [['failure', 'page_error', 503, 'bad']],
  );
  const ownPage = `${pages.url}/503`;
  await ask(service, withQuery('/lighthouse', { url: ownPage }));
  assert.deepEqual(
    (await list({ url: ownPage })).results.map(({ kind, source, page_status: status }) => [kind, source, status]),
    [['failure', 'lighthouse', 503]],
  );
  const [{ links }] = results as [(typeof results)[0]];
  assert.deepEqual([bad.links, bad.id, refused.id], [links, links.self.replace('/results/', ''), undefined]);
  const { body } = await ask<{ error: Problem; url: string }>(service, links.self);
  assert.deepEqual([body.url, body.error.code, body.error.page_status], [url, 'page_error', 503]);
  assert.equal((await ask<Problem>(service, `${links.self}/report`)).body.code, 'result_not_found');
});

test('a comparison is stored with both of its results, and each result alone', async () => {
  const { body } = await ask<Kept<Compared>>(service, withQuery('/compare', { url: page, label: 'side by side' }));
  const found = await ask<Kept<Compared>>(service, body.links.self);
  assert.deepEqual(found.body, body);
  for (const side of [body.psi, body.lighthouse] as Kept<Result>[])
    assert.equal((await ask<Result>(service, side.links.self)).body.source, side.source);
  const report = await fetch(service.url + body.links.report);
  assert.equal(report.status, 200);
  assert.ok((await report.text()).includes(body.id));
  assert.deepEqual(
    (await list({ label: 'side by side', source: 'compare' })).results.map(({ id }) => id),
    [body.id],
  );
});

test('a list continues where it ended, and its limits apply', async () => {
  const { results: all } = await list({ limit: '1000' });
  const walked: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const next: KeptPage = await list({ limit: '2', ...(cursor === '' ? {} : { cursor }) });
    assert.ok(next.results.length <= 2);
    walked.push(...next.results.map(({ id }) => id));
    cursor = next.next;
  }
  assert.deepEqual(
    walked,
    all.map(({ id }) => id),
  );
  const times = all.map(({ fetched_at: at }) => at);
  assert.deepEqual(times, times.toSorted().toReversed());
  const [newest = ''] = times;
  const idsOf = ({ results }: KeptPage) => results.map(({ id }) => id);
  const older = all.filter(({ fetched_at: at }) => at < newest).map(({ id }) => id);
  assert.ok(older.length > 0);
  assert.deepEqual(idsOf(await list({ until: newest })), older);
  assert.equal((await list({ since: newest })).results[0]?.fetched_at, newest);
  assert.deepEqual((await list({ since: '2100-01-01' })).results, []);
  const remote = all.filter(({ url }) => url === remotePage).map(({ id }) => id);
  assert.ok(remote.length > 0 && remote.length < all.length);
  assert.deepEqual(idsOf(await list({ host: 'EXAMPLE.com' })), remote);
});

test('a list is also CSV, with a link to the next page', async () => {
  const { results: all } = await list({ limit: '1000' });
  const read = async (query: string) => {
    const answer = await fetch(`${service.url}/results${query}`);
    assert.deepEqual(
      [answer.status, answer.headers.get('content-type')],
      [200, 'text/csv; charset=utf-8; header=present'],
    );
    const [heading = '', ...lines] = (await answer.text()).trimEnd().split('\r\n');
    const at = heading.split(',').indexOf('id');
    return { ids: lines.map(line => line.split(',')[at]), link: answer.headers.get('link') };
  };
  const whole = await read('?format=csv&limit=1000');
  assert.deepEqual(whole, { ids: all.map(({ id }) => id), link: null });
  const first = await read('?format=csv&limit=2');
  const [, next = ''] = /^<(.*)>; rel="next"$/.exec(first.link ?? '') ?? [];
  const second = await read(next);
  assert.deepEqual(
    [...first.ids, ...second.ids],
    all.slice(0, 4).map(({ id }) => id),
  );
});

test('all faults of a query are reported together', async () => {
  const wrong = { since: 'yesterday', limit: '0', source: 'both', cursor: 'x', label: 'a\nb' };
  const { status, body } = await ask<{ detail: { loc: string[]; type: string }[] }>(
    service,
    withQuery('/results', wrong),
  );
  assert.equal(status, 422);
  assert.deepEqual(
    body.detail.map(({ loc, type }) => [loc[1], type]),
    [
      ['source', 'literal_error'],
      ['label', 'value_error'],
      ['since', 'datetime_parsing'],
      ['limit', 'greater_than_equal'],
    ],
  );
  const cursor = await ask<{ detail: { loc: string[] }[] }>(service, withQuery('/results', { cursor: 'x' }));
  assert.deepEqual([cursor.status, cursor.body.detail[0]?.loc], [422, ['query', 'cursor']]);
  const long = await ask<{ detail: { type: string }[] }>(
    service,
    withQuery('/psi', { url: page, label: 'é'.repeat(101) }),
  );
  assert.deepEqual([long.status, long.body.detail[0]?.type], [422, 'string_too_long']);
  for (const path of ['x', '%00', '01a201e3-ac0c-7234-9a1b-bd2e414329fe', '..%2f..%2fetc'])
    for (const part of ['', '/report', '/screenshot', '/trace', '/network-log', '/har']) {
      const found = await ask<Problem>(service, `/results/${path}${part}`);
      assert.deepEqual([found.status, found.body.code], [404, 'result_not_found'], path + part);
    }
});

test('one result or all of a page can be removed, independently of the cache', async () => {
  const { body: kept } = await psi({ label: 'forget' });
  const forgotten = await ask(service, kept.links.self, { method: 'DELETE' });
  assert.deepEqual([forgotten.status, forgotten.body], [200, { removed: 1 }]);
  assert.equal((await ask(service, kept.links.self)).status, 404);
  assert.equal((await ask(service, kept.links.self, { method: 'DELETE' })).status, 404);
  assert.equal((await psi({ label: 'forget' })).body.cache?.status, 'hit');
  const { results } = await list({ url: remotePage, limit: '1000' });
  const all = await ask(service, withQuery('/results', { url: remotePage }), { method: 'DELETE' });
  assert.deepEqual([all.status, all.body], [200, { removed: results.length }]);
  assert.deepEqual((await list({ url: remotePage })).results, []);
  const left = (await list({})).results.length;
  assert.ok((await ask<{ cleared: number }>(service, '/cache/clear', { method: 'POST' })).body.cleared > 0);
  assert.equal((await list({})).results.length, left);
});

test('keys and headers of a request are not stored', async t => {
  const secret = 'a-secret-key-of-a-client';
  const own = makeScratchFolder(t);
  const guarded = await startService(t, { ...settings, DATA_DIR: own, API_KEYS: secret, PSI_API_KEY: `${secret}-psi` });
  const headers = { authorization: `Bearer ${secret}`, cookie: `session=${secret}` };
  const { body } = await ask<Kept<Result>>(guarded, withQuery('/psi', { url: remotePage, strategy: 'mobile' }), {
    headers,
  });
  assert.equal((await ask(guarded, body.links.self)).status, 401);
  const { text } = await ask(guarded, `${body.links.self}?detailed=true`, { headers });
  assert.ok(!text.includes(secret));
  // Everything is written by then.
  await guarded.close(0);
  const files = readdirSync(own, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile());
  const contents = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name)));
  assert.ok(
    contents.some(bytes => bytes.includes(remotePage)),
    'the files have the URL of the page',
  );
  for (const [at, bytes] of contents.entries()) assert.ok(!bytes.includes(secret), files[at]?.name);
});

test('the cache and the results outlive the service', async t => {
  const own = makeScratchFolder(t);
  const before = await startService(t, { ...settings, DATA_DIR: own });
  const asked = withQuery('/psi', { url: remotePage, strategy: 'mobile', detailed: 'true' });
  const { body: first } = await ask<Kept<Result>>(before, asked);
  await before.close(0);
  const calls = fake.calls.all.length;
  const later = await startService(t, { ...settings, DATA_DIR: own });
  const { body: second } = await ask<Kept<Result>>(later, asked);
  assert.deepEqual([second.cache?.status, fake.calls.all.length], ['hit', calls]);
  assert.deepEqual({ ...second, cache: undefined }, { ...first, cache: undefined });
  assert.equal((await ask<Result>(later, first.links.self)).body.fetched_at, first.fetched_at);
  assert.equal((await ask<{ cleared: number }>(later, '/cache/clear', { method: 'POST' })).body.cleared, 1);
  assert.equal((await ask<Kept<Result>>(later, asked)).body.cache?.status, 'miss');
});

test('a service without a store measures as before, and reports its absence when asked', async t => {
  const without = await startService(t, { ...settings, DATA_DIR: 'none' });
  const { body } = await ask<Result>(without, withQuery('/psi', { url: remotePage, strategy: 'mobile', label: 'x' }));
  assert.deepEqual(
    [body.id, body.links, body.label, body.scores.performance !== undefined],
    [undefined, undefined, undefined, true],
  );
  for (const path of ['/results', '/results/01a201e3-ac0c-7234-9a1b-bd2e414329fe']) {
    const found = await ask<Problem>(without, path);
    assert.deepEqual([found.status, found.body.code], [404, 'results_not_kept']);
  }
  assert.equal((await ask<Health>(without, '/health')).body.results.store, 'none');
});
