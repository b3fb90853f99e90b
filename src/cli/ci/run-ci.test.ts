/** The command against a service that replies as each test says, without any audit. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { buildResultsComparison } from '../../../test/support/builders/results-comparison.ts';
import { makeScratchFolder } from '../../../test/support/scratch-folder.ts';
import { runCommand } from '../run-command.ts';

type Reply = readonly [status: number, body: unknown];
type Replies = Readonly<Record<string, (query: URLSearchParams) => Reply>>;

const result = (query: URLSearchParams, fields: object = {}) => ({
  id: '019358d0-0000-7000-8000-000000000001',
  url: query.get('url'),
  final_url: query.get('url'),
  source: 'lighthouse',
  strategy: query.get('strategy'),
  scores: { performance: 90 },
  metrics: {},
  warnings: [],
  ...fields,
});

/** A page with a baseline, and nothing changed. */
const calm: Replies = {
  '/health': () => [200, { lighthouse: { version: '13.0.0' } }],
  '/results': () => [200, { results: [{ label: 'main@0a0b0c0-1', profile: null, analyser: {} }], next: null }],
  '/lighthouse': query => [200, result(query)],
  '/compare-results': () => [200, buildResultsComparison()],
};

const problem = (status: number, code: string): Reply => [
  status,
  { type: 'about:blank', title: 'Title', status, detail: `The detail of ${code}.`, code, retryable: false },
];

const collect = () => {
  const chunks: string[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(String(chunk));
      done();
    },
  });
  return { stream, textOf: () => chunks.join('') };
};

/** Runs `rangelight ci` in a folder without git, against a service with these replies. */
async function ci(
  t: { after(done: () => void): void },
  replies: Replies,
  {
    config = {},
    lighthouserc = undefined as object | undefined,
    env = {},
    signal = new AbortController().signal,
    folder = makeScratchFolder(t),
  } = {},
) {
  const posted: string[] = [];
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    if (request.method === 'POST') posted.push(`${pathname} ${await text(request)}`);
    const [status, body] = { ...calm, ...replies }[pathname]?.(searchParams) ?? problem(404, 'result_not_found');
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
  t.after(() => void server.close());
  const path = join(folder, 'rangelight.config.json');
  const service = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const pages = { urls: ['https://example.com/a', 'https://example.com/b'], strategies: ['mobile'] };
  writeFileSync(path, JSON.stringify(lighthouserc ?? { ...pages, service, ...config }));
  const [stdout, stderr] = [collect(), collect()];
  const around = { env, stdin: new PassThrough(), stdout: stdout.stream, stderr: stderr.stream, signal };
  const code = await runCommand(['ci', '--config', path, '--server', service], around).catch(() => 'aborted');
  return { code, stdout: stdout.textOf(), stderr: stderr.textOf(), posted };
}

test('a run with a service notes its branch and commit once for each site, with a link to the commit', async t => {
  const env = {
    ...{ GITHUB_REF_TYPE: 'branch', GITHUB_REF_NAME: 'main', GITHUB_SHA: '1a2b3c4d5e6f' },
    ...{ GITHUB_SERVER_URL: 'https://github.com', GITHUB_REPOSITORY: 'o/r' },
  };
  const urls = ['https://example.com/a', 'https://example.com/b', 'https://shop.example/'];
  const { stderr, posted } = await ci(t, { '/notes': () => [201, { id: '1' }] }, { env, config: { urls } });
  assert.doesNotMatch(stderr, /took no note/);
  assert.deepEqual(
    posted.map(call => [call.split(' ')[0], JSON.parse(call.slice(call.indexOf(' ')))]),
    ['https://example.com', 'https://shop.example'].map(site => [
      '/notes',
      { text: 'main at 1a2b3c4d', link: 'https://github.com/o/r/commit/1a2b3c4d5e6f', site },
    ]),
  );
});

test('a service that takes no note fails no run, and the reason is said once', async t => {
  const noted = await ci(t, { '/notes': () => [201, { id: '1' }] });
  const { code, stderr } = await ci(t, { '/notes': () => problem(503, 'results_unavailable') });
  assert.equal(code, noted.code);
  assert.equal(stderr.match(/Note: the service took no note of this commit: /g)?.length, 1);
});

test('a run of an unknown branch says that the baseline stays', async t => {
  const note =
    /^Note: The branch is unknown, so every run is compared with the first one\. Set BRANCH_NAME, and each run of main /m;
  assert.match((await ci(t, {})).stderr, note);
  assert.doesNotMatch((await ci(t, {}, { env: { BRANCH_NAME: 'main' } })).stderr, note);
  assert.doesNotMatch((await ci(t, {}, { config: { label: 'v2', baseline: { label: 'v1' } } })).stderr, note);
});

test('a page that the service cannot compare ends the run with 3; a refused comparison does not', async t => {
  for (const [status, code] of [
    [429, 'rate_limited'],
    [503, 'results_unavailable'],
    [404, 'result_not_found'],
  ] as const) {
    const end = await ci(t, { '/compare-results': () => problem(status, code) });
    assert.equal(end.code, 3, code);
    assert.match(end.stderr, /^https:\/\/example\.com\/a \(mobile\) cannot be compared: .*The detail of /ms);
  }
  const detail = [{ loc: ['query', 'url'], msg: 'The sides have different pages', type: 'value_error' }];
  const refused = await ci(t, { '/compare-results': () => [422, { detail }] });
  assert.equal(refused.code, 0);
  assert.match(refused.stdout, /^not compared: .*\n.*different pages/m);
});

test('a result that was not stored is neither compared nor a baseline', async t => {
  const unstored: Replies = {
    '/lighthouse': query => [200, result(query, { id: undefined, warnings: ['The disk is full.'] })],
  };
  for (const replies of [unstored, { ...unstored, '/results': (): Reply => [200, { results: [], next: null }] }]) {
    const { code, stderr } = await ci(t, replies);
    assert.equal(code, 3);
    assert.match(stderr, /^The result of https:\/\/example\.com\/a \(mobile\) was not stored\. The disk is full\.$/m);
  }
});

test('an unchanged page whose accessibility got worse passes, and is named', async t => {
  const body = buildResultsComparison();
  const explanation = 'No meaningful difference in performance. Worse: accessibility score 98 → 70 (−28).';
  const accessibility = { ...body.scores.performance, status: 'worse' };
  const verdict = { ...body.verdict, status: 'no_difference', explanation };
  const changed = { ...body, differences: [], verdict, scores: { ...body.scores, accessibility } };
  const { code, stdout, stderr } = await ci(
    t,
    { '/compare-results': () => [200, changed] },
    { env: { GITHUB_ACTIONS: 'true' } },
  );
  assert.equal(code, 0);
  assert.match(stdout, /^Passed: the performance of no page got worse \(other scores of 2 results did\)\.$/m);
  assert.ok(stdout.includes(`  ${explanation}`), stdout);
  assert.match(stdout, /^::warning title=no difference%3A .*accessibility score 98/m);
  assert.match(stderr, /^1 of 2 · no difference: https:\/\/\S+ \(mobile\)$/m);
});

test('the terminal names a redirect next to every verdict', async t => {
  const { stdout } = await ci(t, {
    '/lighthouse': query => [200, result(query, { final_url: 'https://example.com/login' })],
  });
  const said = 'redirected to https://example.com/login: a sign-in page was measured instead of the requested page';
  assert.ok(stdout.includes(`\n  warning: ${said}\n`), stdout);
});

test('outputs that cannot be written cost neither the verdict nor the other outputs, and end the run with 3', async t => {
  const folder = makeScratchFolder(t);
  mkdirSync(join(folder, 'taken'));
  writeFileSync(join(folder, 'file'), '');
  const output = { json: 'taken', gitlab: 'file/below.json', markdown: 'all.md', results: 'taken' };
  const stored: Replies = { '/results/019358d0-0000-7000-8000-000000000001': query => [200, result(query)] };
  const { code, stdout, stderr } = await ci(t, stored, { folder, config: { output } });
  assert.equal(code, 3, stderr);
  assert.match(stdout, /^(?:Passed|Failed): /);
  assert.match(stderr, /^\S*taken cannot be written: EISDIR.*\n\S*taken cannot be written: EISDIR/m);
  assert.match(stderr, /^\S*below\.json cannot be written: /m);
  assert.match(readFileSync(join(folder, 'all.md'), 'utf8'), /^## Rangelight: /);
});

test('a run that is cancelled after its first page does not say that nothing was measured', async t => {
  const cancel = new AbortController();
  let asked = 0;
  const { code, stderr } = await ci(
    t,
    {
      '/lighthouse': query => {
        asked += 1;
        if (asked === 2) cancel.abort();
        return [200, result(query)];
      },
    },
    { signal: cancel.signal },
  );
  assert.equal(code, 'aborted');
  assert.match(stderr, /^1 of 2 · .*\nCancelled\.\n$/ms);
});

/** A page of three runs that ends on another URL, with these scores. */
const threeRuns = (scores: readonly number[]): Replies => {
  const ids = scores.map((_, at) => `019358d0-0000-7000-8000-00000000000${at + 1}`);
  const lhrOf = (at: number) => ({
    finalUrl: 'https://example.com/en/',
    audits: {},
    categories: { seo: { score: scores[at] } },
  });
  const replyOf = (at: number) => (query: URLSearchParams) =>
    [
      200,
      result(query, {
        id: ids[at],
        runs: { ids, completed: 3, requested: 3, scores: {}, metrics: {} },
        lighthouse_result: lhrOf(at),
      }),
    ] as const;
  return {
    ...Object.fromEntries(ids.map((id, at) => [`/results/${id}`, replyOf(at)])),
    '/lighthouse': replyOf(0),
    '/results': () => [200, { results: [], next: null }],
  };
};

test('assertions of a lighthouserc judge every run, on the final URL', async t => {
  const end = (method: string, matchingUrlPattern = '/en/$') =>
    ci(t, threeRuns([0.8, 0.95, 0.6]), {
      lighthouserc: {
        ci: {
          collect: { url: 'https://example.com/' },
          assert: {
            assertMatrix: [
              { matchingUrlPattern, assertions: { 'categories:seo': 'error' }, aggregationMethod: method },
            ],
          },
        },
      },
    });
  const best = await end('optimistic');
  assert.equal(best.code, 0, best.stderr);
  assert.match(best.stderr, /^Note: .*\/en\/\$ matches none of the pages, unless one is redirected\.$/m);
  const median = await end('median');
  assert.equal(median.code, 1);
  const missed = 'categories:seo minScore>=0.9, measured 0.8 (median of runs 1, 2, 3: 0.8, 0.95, 0.6)';
  assert.ok(median.stdout.includes(`\n  budget missed: ${missed}\n`), median.stdout);
  const none = await end('optimistic', '/fr/');
  assert.equal(none.code, 2);
  assert.match(none.stdout, /^Failed: 1 budget matches no page\.\n\nmatchingUrlPattern \/fr\/: no page matches$/m);
});

test('assertions on a page of which runs failed do not pass, and every output says how many runs are left', async t => {
  const runs = { completed: 1, requested: 3, failures: ['page_error', 'page_error'], scores: {}, metrics: {} };
  const lighthouse_result = { finalUrl: 'https://example.com/', audits: {}, categories: { seo: { score: 1 } } };
  const end = (level: string, completed = 1, matchingUrlPattern = '.*') =>
    ci(
      t,
      {
        '/lighthouse': query => [200, result(query, { runs: { ...runs, completed }, lighthouse_result })],
        '/results': () => [200, { results: [], next: null }],
      },
      {
        env: { GITHUB_ACTIONS: 'true' },
        lighthouserc: {
          ci: {
            collect: { url: 'https://example.com/', numberOfRuns: 3 },
            assert: { assertMatrix: [{ matchingUrlPattern, assertions: { 'categories:seo': level } }] },
          },
        },
      },
    );
  const { code, stdout, stderr } = await end('error');
  assert.equal(code, 1, stderr);
  assert.match(stdout, /^ {2}budget missed: all runs succeed, measured 1 of 3 runs \(page_error\)$/m);
  assert.match(stdout, /^::error title=Budget.*1 of 3 runs/m);
  assert.match(stderr, /^1 of 1 · .* · 1 missed budget$/m);
  const warned = await end('warn');
  assert.deepEqual([warned.code, /^ {2}warning: all runs.*1 of 3 runs/m.test(warned.stdout)], [0, true]);
  const enough = await end('error', 5);
  assert.deepEqual([enough.code, /^ {2}warning: all runs.*5 of 7 runs/m.test(enough.stdout)], [0, true]);
  assert.equal((await end('error', 1, '/fr/')).code, 2);
});

test('a dry run prints pages, settings and assertions with their lines, and measures nothing', async t => {
  const folder = makeScratchFolder(t);
  writeFileSync(
    join(folder, 'quality.yml'),
    `ci:
  collect:
    url: https://example.com/
    numberOfRuns: "5"
  assert:
    assertions:
      categories:seo: [warn, { minScore: 0.8 }]
      uses-text-compression: error
`,
  );
  const [stdout, stderr] = [collect(), collect()];
  const { signal } = new AbortController();
  const around = { env: {}, stdin: new PassThrough(), stdout: stdout.stream, stderr: stderr.stream, signal };
  const run = (...more: string[]) =>
    runCommand(['ci', '--dry-run', '--config', join(folder, 'quality.yml'), ...more], around);
  assert.equal(await run(), 0);
  const text = stdout.textOf().replaceAll(`${folder}/`, '');
  for (const line of [
    'https://example.com/ · quality.yml:3',
    'runs: 5 · quality.yml:4',
    'warn categories:seo minScore>=0.8 · optimistic · quality.yml:7',
  ])
    assert.ok(text.includes(`\n  ${line}\n`), text);
  assert.match(text, /\nNotes\n.*quality\.yml:8: uses-text-compression: Lighthouse has removed this audit/);
  assert.equal(await run('--json'), 0);
  const { pages, assertions, left_out: notes } = JSON.parse(stdout.textOf().slice(stdout.textOf().indexOf('\n{') + 1));
  assert.deepEqual([pages.length, assertions.length, notes.length], [1, 1, 2]);
});
