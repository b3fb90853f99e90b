/** The command with stored results: labels, baselines, histories. The remote analyser is a fake. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { History } from '../../src/contract/stored/history.ts';
import { openResultStore } from '../../src/storage/results/open-store.ts';
import { createResultId } from '../../src/storage/results/result-id.ts';
import type { Entry, NewEntry } from '../../src/storage/results/store.ts';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { buildHistory } from '../support/builders/history.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startLocalServer } from '../support/sites/local-server.ts';
import { startService } from '../support/start-service.ts';
import { runCli } from './run-cli.ts';

const scope = { after };
const fake = await startFakePsi(scope);
const folder = makeScratchFolder(scope);
const service = await startService(scope, { PSI_ENDPOINT: fake.endpoint, DATA_DIR: folder });
const page = 'http://localhost/one';
const where = ['--server', service.url];
const measure = [page, '--psi', '--quiet', ...where];

const first = await runCli(scope, [...measure, '--label', 'build 1', '--json']);
const measured = JSON.parse(first.stdout) as { id: string; label: string };
const store = await openResultStore({ dataDir: folder });
after(() => store.close());
const kept = (await store.get(measured.id)) as Entry;

/** Another run of the same page, measured alike, with every value a tenth or a few times of what it was. */
let lastMs = kept.measuredAtMs;
const toNextMs = (): number => {
  lastMs += 1;
  return lastMs;
};
const copy = (label: string | null, factor: number, given: Partial<NewEntry> = {}): NewEntry => ({
  ...kept,
  full: null,
  id: createResultId(),
  label,
  measuredAtMs: toNextMs(),
  metrics: Object.fromEntries(
    Object.entries(kept.metrics).map(([name, value]) => [name, value === null ? null : value * factor]),
  ) as Entry['metrics'],
  scores: { ...kept.scores, performance: Math.min(100, Math.round((kept.scores.performance ?? 0) / factor)) },
  ...given,
});
async function keep(entries: readonly NewEntry[]): Promise<void> {
  for (const entry of entries) assert.deepEqual(await store.keep(entry), { kept: true });
}

test('--label is sent to the service with every request', async () => {
  assert.deepEqual([first.code, measured.label, kept.label], [0, 'build 1', 'build 1']);
});

test('a stored result has its URL on the service', async t => {
  const { stdout } = await runCli(t, measure);
  const [, address = ''] = /\n {2}stored: (.*)\n/.exec(stdout) ?? [];
  assert.ok(address.startsWith(`${service.url}/r/`), address);
  assert.equal((await fetch(address)).status, 200);
});

test('--baseline is undecided with one run, gives the reason, and does not fail', async t => {
  const { code, stdout } = await runCli(t, [...measure, '--baseline', 'build 1', '--no-color']);
  assert.equal(code, 0);
  assert.match(
    stdout,
    /\? undecided {2}http:\/\/localhost\/one \(mobile, psi\) against build 1\n {2}Undecided: one run cannot separate a change from noise/,
  );
});

test('--strict fails on an undecided comparison', async t => {
  const { code, stdout } = await runCli(t, [...measure, '--baseline', 'build 1', '--strict', '--no-color']);
  assert.equal(code, 1);
  assert.match(stdout, /\? undecided/);
});

test('--baseline exits with 1 if the page got worse beyond the noise of earlier runs', async t => {
  const groups = Array.from({ length: 30 }, () => createResultId());
  await keep(
    groups.flatMap(groupId =>
      [1, 1.001, 0.999, 1, 1].map(factor => copy(null, factor, { groupId, kind: 'run' as const })),
    ),
  );
  await keep(Array.from({ length: 5 }, () => copy('fast', 0.2)));
  const worse = await runCli(t, [...measure, '--baseline', 'fast', '--no-color']);
  assert.deepEqual([worse.code, worse.stderr], [1, '']);
  assert.match(worse.stdout, /✗ worse .* against fast\n {2}The page got worse: /);
  await keep(Array.from({ length: 5 }, () => copy('slow', 5)));
  const better = await runCli(t, [...measure, '--baseline', 'slow', '--no-color']);
  assert.equal(better.code, 0);
  assert.match(better.stdout, /✓ better /);
  const json = await runCli(t, [...measure, '--baseline', 'fast', '--json']);
  assert.equal(json.code, 1);
  assert.equal(typeof JSON.parse(json.stdout).id, 'string');
  assert.match(json.stderr, /✗ worse/);
});

test('a missing baseline, or a service without a store, exits with 2 before measuring', async t => {
  const calls = fake.calls.all.length;
  const unknown = await runCli(t, [...measure, '--baseline', 'never', '--no-color']);
  assert.deepEqual([unknown.code, unknown.stdout], [2, '']);
  assert.match(unknown.stderr, /--baseline never: no stored result has this label or id\./);
  const without = await startService(t, { PSI_ENDPOINT: fake.endpoint });
  const args = [page, '--psi', '--quiet', '--server', without.url, '--baseline', 'build 1', '--no-color'];
  const { code, stdout, stderr } = await runCli(t, args);
  assert.deepEqual([code, stdout], [2, '']);
  assert.match(stderr, /--baseline build 1: this service stores no results\./);
  assert.equal(fake.calls.all.length, calls);
  const byId = await runCli(t, [...measure, '--baseline', measured.id, '--no-color']);
  assert.equal(byId.code, 0);
});

test('--junit and --markdown write assertions and baselines as files', async t => {
  const [junit, markdown] = ['checks.xml', 'checks.md'].map(name => join(makeScratchFolder(t), name)) as [
    string,
    string,
  ];
  const asserted = ['--assert', 'performance>=0', '--assert', 'LCP<=0.1s', '--baseline', 'build 1'];
  const { code } = await runCli(t, [...measure, ...asserted, '--junit', junit, '--markdown', markdown]);
  assert.equal(code, 1);
  const xml = await readFile(junit, 'utf8');
  assert.match(xml, /^<\?xml[\s\S]*<testsuite[\s\S]*LCP&lt;=0\.1s[\s\S]*<failure/);
  assert.match(await readFile(markdown, 'utf8'), /localhost\/one[\s\S]*LCP/);
});

test('a file that cannot be written exits with 3 after the table', async t => {
  const { code, stdout, stderr } = await runCli(t, [...measure, '--junit', makeScratchFolder(t)]);
  assert.equal(code, 3);
  assert.match(stdout, /localhost\/one/);
  assert.match(stderr, /^\S+ cannot be written: EISDIR[^\n]*$/m);
});

test('history names what caused its newest change, if the results on both sides show it', async t => {
  const cause = 'heavy.js was added (90 kB, 360 ms of CPU time) and costs 11 points.';
  for (const [status, isNamed] of [
    ['worse', true],
    ['undecided', false],
  ] as const) {
    const verdict = { status, explanation: `${cause} The page got worse: performance score 92 → 74 (−18).` };
    const { url } = await startLocalServer(t, ({ url: asked }, response) => {
      const body = asked?.startsWith('/history') ? buildHistory('performance') : { verdict };
      response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    });
    const { code, stdout } = await runCli(t, ['history', 'https://harbour.example/', '--server', url]);
    assert.equal(code, 0);
    assert.equal(stdout.includes(`  ${cause}\n`), isNamed, stdout);
    assert.ok(!stdout.includes('The page got worse'), stdout);
  }
});

test('history draws the values, dates the change, and gives its size', async t => {
  const url = 'http://localhost/daily';
  const dayMs = 86_400_000;
  await keep(
    Array.from({ length: 30 }, (_, at) =>
      copy('v1', 1, {
        url,
        measuredAtMs: Date.parse('2026-11-01T12:00:00Z') + at * dayMs,
        scores: { ...kept.scores, performance: (at < 12 ? 95 : 80) + (at % 2) },
      }),
    ),
  );
  await keep([
    copy(null, 1, {
      url,
      kind: 'failure',
      errorCode: 'page_error',
      pageStatus: 503,
      label: 'v1',
      measuredAtMs: Date.parse('2026-11-20T18:00:00Z'),
    }),
  ]);
  const { code, stdout, stderr } = await runCli(t, ['history', 'localhost/daily', '--source', 'psi', ...where]);
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, /^http:\/\/localhost\/daily\n {2}Performance · mobile · PageSpeed Insights · 30 points\n/);
  assert.match(stdout, /\n {2}[▁▂▃▄▅▆▇█]{30} {2}80 to 81, median 80\.5 since the last change\n/);
  assert.match(stdout, /\n✗ Worse since 2026-11-13 12:00 UTC: 95\.5 → 80\.5 \(−15; between −16 and −14\)\n/);
  assert.match(stdout, /\nGap: page error 503 at 2026-11-20 18:00 UTC\n/);
  const json = await runCli(t, [
    'history',
    url,
    '--source=psi',
    '--metric',
    'LCP',
    '--label',
    'v1',
    '--json',
    ...where,
  ]);
  const body = JSON.parse(json.stdout) as History;
  assert.deepEqual([body.metric, body.points.length], ['largest_contentful_paint', 30]);
});

test('the history of a page without results says so, and does not fail', async t => {
  const { code, stdout } = await runCli(t, ['history', 'http://localhost/never', ...where]);
  assert.equal(code, 0);
  assert.match(stdout, /No result of this page is stored\./);
});

test('the history of a page under conditions is another one', async t => {
  const conditions = ['--conditions', 'block-3f2a9c1d07'];
  const { code, stdout } = await runCli(t, ['history', 'localhost/daily', '--source', 'psi', ...conditions, ...where]);
  assert.deepEqual([code, stdout.includes('No result of this page is stored.')], [0, true]);
});

test('show prints a stored result as it was printed after the measurement', async t => {
  const { code, stdout } = await runCli(t, ['show', measured.id, ...where]);
  assert.equal(code, 0);
  assert.match(stdout, /^http:\/\/localhost\/one\n/);
  assert.match(stdout, /Performance/);
  const all = await runCli(t, ['show', measured.id, '--all', ...where]);
  assert.match(all.stdout, /\nTo fix: 1\n[\s\S]* {4}document-title · up to 100 points of SEO\n/);
  assert.doesNotMatch(all.stdout, /does not contain the tables/);
  const json = await runCli(t, ['show', measured.id, '--json', ...where]);
  assert.equal(JSON.parse(json.stdout).id, measured.id);
});

test('a result that is not stored exits with 3, and an invalid option with 2, both with a sentence on standard error', async t => {
  for (const args of [
    ['show', createResultId()],
    ['show', '../psi?url=x'],
  ]) {
    const { code, stdout, stderr } = await runCli(t, [...args, ...where]);
    assert.deepEqual([code, stdout], [3, '']);
    assert.match(stderr, /result_not_found/);
  }
  const { code, stderr } = await runCli(t, ['history', page, '--since', 'yesterday', ...where]);
  assert.equal(code, 2);
  assert.match(stderr, /valid datetime/);
});

test('show prints a stored failure with its reason', async t => {
  const failure = copy(null, 1, {
    kind: 'failure',
    errorCode: 'page_error',
    pageStatus: 503,
    summary: JSON.stringify({
      url: page,
      source: 'psi',
      strategy: 'mobile',
      error: {
        type: 'urn:rangelight:page_error',
        title: 'Page returned an error',
        status: 502,
        retryable: true,
        code: 'page_error',
        detail: 'The page returned status 503\u001b[2J instead of its content.',
      },
    }),
  });
  await keep([failure]);
  const { code, stdout } = await runCli(t, ['show', failure.id, ...where]);
  assert.equal(code, 0);
  assert.match(stdout, /✗ http:\/\/localhost\/one \(mobile, .*\)\n.*\(page_error\).*status 503/);
  assert.doesNotMatch(stdout, /\[2J/);
});
