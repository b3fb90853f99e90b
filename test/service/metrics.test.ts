/** Values of `/metrics` after known requests. The documents, the dashboard and the alerts name existing metrics. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { startSite } from '../../demo/site.ts';
import { toReadings } from '../../src/telemetry/readings.ts';
import { projectRoot } from '../contract/source-files.ts';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { withQuery } from '../support/asking/ask.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startService } from '../support/start-service.ts';
import { until } from '../support/until.ts';

const readText = async (service: { url: string }, headers: Record<string, string> = {}) =>
  (await fetch(`${service.url}/metrics`, { headers })).text();

/** The value of a series, by its name in Prometheus's format. */
const readValue = (text: string, series: string): number | undefined => {
  const line = text.split('\n').find(each => each.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.split(' ').at(-1));
};

const site = await startSite();
after(() => site.close());
const fake = await startFakePsi({ after });
const service = await startService({ after }, { PSI_ENDPOINT: fake.endpoint, DATA_DIR: makeScratchFolder({ after }) });
const ask = async (path: string) => {
  const response = await fetch(service.url + path);
  await response.text();
  return response.status;
};

test('metrics count requests, audits, cache answers and pages of the PSI server', async () => {
  const page = { url: 'https://example.com/secret/path?token=1', strategy: 'mobile' };
  assert.equal(await ask(withQuery('/psi', page)), 200);
  assert.equal(await ask(withQuery('/psi', page)), 200);
  assert.equal(await ask(withQuery('/lighthouse', { url: `${site.url}/good.html`, categories: 'seo' })), 200);
  assert.equal(await ask(withQuery('/lighthouse', { url: `${site.url}/missing.html` })), 502);
  assert.equal(await ask('/nowhere/secret'), 404);
  const text = await readText(service);
  const counted: Record<string, number> = {
    'http_request_duration_seconds_count{method="GET",route="/psi",status="200"}': 2,
    'http_request_duration_seconds_count{method="GET",route="/lighthouse",status="502"}': 1,
    'http_request_duration_seconds_count{method="GET",route="none",status="404"}': 1,
    'cache_answers_total{status="miss"}': 1,
    'cache_answers_total{status="hit"}': 1,
    'remote_page_duration_seconds_count{outcome="ok"}': 1,
    'audit_duration_seconds_count{outcome="ok"}': 1,
    'audit_duration_seconds_count{outcome="page_error"}': 1,
    audit_wait_seconds_count: 2,
    browser_starts_total: 2,
    audits_available: 1,
    audits_running: 0,
    audit_slots: 1,
    cache_entries: 1,
    results_writable: 1,
  };
  const found = Object.keys(counted).map(series => [series, readValue(text, `rangelight_${series}`)]);
  assert.deepEqual(Object.fromEntries(found), counted);
  assert.doesNotMatch(text, /secret|example\.com|127\.0\.0\.1|token/);
});

test('input of clients creates no series of metrics', async () => {
  const seriesOf = async () => (await readText(service)).split('\n').filter(line => /^rangelight/.test(line)).length;
  await ask('/nowhere/0');
  const before = await seriesOf();
  for (let at = 1; at < 20; at += 1) {
    assert.equal(await ask(`/nowhere/${at}`), 404);
    assert.equal(await ask(withQuery('/psi', { url: `https://example.com/${at}`, strategy: 'mobile' })), 200);
  }
  assert.equal(await seriesOf(), before);
});

test('a client that disconnects is counted as a disconnect', async () => {
  const disconnect = new AbortController();
  const release = fake.hold();
  const calls = fake.calls.all.length;
  const path = withQuery('/psi', { url: 'https://example.com/slow', strategy: 'mobile' });
  const asked = assert.rejects(fetch(service.url + path, { signal: disconnect.signal }));
  await fake.calls.waitFor(calls + 1);
  disconnect.abort();
  await asked;
  const series = 'rangelight_http_request_duration_seconds_count{method="GET",route="/psi",status="499"}';
  // The server notices a disconnect some time after the client disconnected.
  await until(async () => readValue(await readText(service), series) !== undefined);
  release();
});

test('with keys, metrics require one', async t => {
  const key = 'a-key-of-the-service-0123456789';
  const locked = await startService(t, { PSI_ENDPOINT: fake.endpoint, API_KEYS: key });
  assert.equal((await fetch(`${locked.url}/metrics`)).status, 401);
  assert.match(await readText(locked, { authorization: `Bearer ${key}` }), /^rangelight_audit_slots 1$/m);
});

const namesIn = (text: string): Set<string> => {
  const names = [...text.matchAll(/\b((?:rangelight|nodejs|process)_[a-z\d_]+)/g)].map(([, name = '']) => name);
  return new Set(names.map(name => name.replace(/_(bucket|count|sum)$/, '')));
};

/** The names of further metrics, which need a database; their values are never read here. */
const fleetNames = toReadings({
  local: {} as never,
  cache: {} as never,
  store: undefined,
  hasSlots: false,
  fleet: { status: () => assert.fail(), connections: () => assert.fail() },
}).flatMap(({ name }) => (/^(fleet|database)_/.test(name) ? [`rangelight_${name}`] : []));

test("the documents, the dashboard and the alerts name existing metrics, and the documents exactly the service's own", async () => {
  const types = [...(await readText(service)).matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name);
  const ours = [...types.filter(name => name.startsWith('rangelight_')), ...fleetNames];
  const known = new Set([...types, ...fleetNames]);
  assert.ok(types.length > 15 && fleetNames.length > 5);
  const read = (path: string) => readFileSync(`${projectRoot}${path}`, 'utf8');
  for (const path of ['deploy/grafana-dashboard.json', 'deploy/alerts.yaml']) {
    const named = [...namesIn(read(path))];
    assert.ok(named.length > 5, path);
    assert.deepEqual(
      named.filter(name => !known.has(name)),
      [],
      path,
    );
  }
  const [, section = ''] = read('docs/operations.md').split(/^## Metrics and alerts$/m);
  const table = (section.split(/^## /m)[0] ?? '').split('| Alert |')[0] ?? '';
  const documented = [...table.matchAll(/`([a-z\d_]+[a-z\d])`(?=[^|]*\|[^|]*\|$)/gm)].map(
    ([, name]) => `rangelight_${name}`,
  );
  assert.deepEqual(documented.toSorted(), ours.toSorted());
});

test('the document lists every alert with advice', () => {
  const read = (path: string) => readFileSync(`${projectRoot}${path}`, 'utf8');
  const alerts = [...read('deploy/alerts.yaml').matchAll(/alert: (\w+)/g)].map(([, name = '']) => name);
  const rows = [...read('docs/operations.md').matchAll(/^\| `(Rangelight\w+)` \| [^|]+ \| [^|]+ \|$/gm)];
  assert.deepEqual(
    rows.map(([, name]) => name),
    alerts,
  );
});
