/** Experiments over HTTP, with load times that the test chooses. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { AnalysisError } from '../../src/contract/errors.ts';
import type { ExperimentAnswer } from '../../src/contract/experiments/answer.ts';
import type { JobAnswer } from '../../src/contract/jobs/job.ts';
import { readExperiment } from '../../src/jobs/to-experiment-answer.ts';
import { sayFailed } from '../../src/presentation/experiment-words.ts';
import { createSqliteDatabase } from '../../src/storage/results/sqlite/database.ts';
import { ask } from '../support/asking/ask.ts';
import { sendRaw } from '../support/asking/raw-request.ts';
import { createSimulatedPool } from '../support/audits/simulated-pool.ts';
import { createTimedPool, isBlocking } from '../support/audits/timed-pool.ts';
import { captureLog } from '../support/captured-log.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startService } from '../support/start-service.ts';
import { askForJob, followToEnd } from './jobs.ts';

const page = 'http://127.0.0.1:4321/page';
const canary = 'canary-5f0c6a';

const post = (service: { url: string }, body: unknown, headers: Record<string, string> = {}) =>
  ask<ExperimentAnswer>(service, '/experiments', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

test('a variant that is slower in each pair is worse after nine pairs, and its answer is stored', async t => {
  const { pool, loads } = createTimedPool(audit => 2000 + (isBlocking(audit) ? 400 : 0));
  const service = await startService(t, { DATA_DIR: makeScratchFolder(t), TARGETS: 'any' }, undefined, { pool });
  const { status, body: asked } = await post(service, { url: page, variants: [{ block: ['ads.example'] }] });
  assert.equal(status, 202);
  assert.equal(asked.plan.loads.first, 27);
  assert.match(asked.plan.sentence, /^With 9 pairs, about 3 minutes,/);
  await followToEnd(service, asked.id);
  const { body: answer } = await ask<ExperimentAnswer>(service, `/experiments/${asked.id}`);
  const [variant = assert.fail()] = answer.variants;
  assert.deepEqual([answer.state, variant.status, variant.pairs.length], ['succeeded', 'worse', 9]);
  assert.ok((variant.interval?.low ?? 0) > 300 && (variant.interval?.high ?? 0) < 500);
  assert.equal(answer.control.differs, false);
  assert.deepEqual(variant.notes, [
    'ads.example matched nothing in any load, or the browser refused it: this change had no effect.',
  ]);
  assert.equal(loads.length, 27);
  const { body: job } = await ask<JobAnswer>(service, `/jobs/${asked.id}`);
  assert.deepEqual([job.kind, job.progress.total, job.progress.done], ['experiment', 27, 27]);
  await ask(service, `/jobs/${asked.id}`, { method: 'DELETE' });
  const { body: stored } = await ask<ExperimentAnswer>(service, `/experiments/${asked.id}`);
  assert.deepEqual({ ...stored, ended_at: null }, { ...answer, ended_at: null });
  const report = await fetch(`${service.url}/experiments/${asked.id}/report`);
  assert.equal(report.headers.get('content-type'), 'text/html; charset=utf-8');
  assert.match(await report.text(), /Worse<\/p><p>Largest Contentful Paint is/);
  assert.equal((await fetch(`${service.url}/experiments/other/report`)).status, 404);
});

test('however often an experiment is read, its other measures are computed once for the loads that ended', async t => {
  const { pool } = createTimedPool(audit => 2000 + (isBlocking(audit) ? 400 : 0));
  const folder = makeScratchFolder(t);
  const service = await startService(t, { DATA_DIR: folder, TARGETS: 'any' }, undefined, { pool });
  const { body: asked } = await post(service, { url: page, variants: [{ block: ['ads.example'] }] });
  await followToEnd(service, asked.id);
  const database = createSqliteDatabase({ path: join(folder, 'results.sqlite'), busyTimeoutMs: 5000 });
  t.after(() => database.close());
  const read = async () => (await readExperiment(database, asked.id))?.variants[0]?.other_measures;
  const first = (await read()) ?? assert.fail();
  assert.ok(first.length > 0);
  assert.equal(await read(), first, 'the same array');
});

test('a stored experiment is also a stored result: with its answer and its report, and without parts of a load', async t => {
  const { pool } = createTimedPool(() => 2000);
  const service = await startService(t, { DATA_DIR: makeScratchFolder(t), TARGETS: 'any' }, undefined, { pool });
  const { body: asked } = await post(service, { url: page, variants: [{ block: ['ads.example'] }] });
  await followToEnd(service, asked.id);
  const { body: answer } = await ask<ExperimentAnswer>(service, `/experiments/${asked.id}`);
  const stored = await ask<ExperimentAnswer>(service, `/results/${asked.id}`);
  assert.deepEqual({ ...stored.body, ended_at: null }, { ...answer, ended_at: null });
  const report = await fetch(`${service.url}/results/${asked.id}/report`);
  assert.equal(report.status, 200);
  assert.match(await report.text(), /Experiment on/);
  const refused = async (path: string) => {
    const { status, body } = await ask(service, path);
    return `${status} ${JSON.stringify(body)}`;
  };
  assert.match(await refused(`/results/${asked.id}/screenshot`), /^404 .*An experiment has no screenshot/);
  assert.match(await refused(`/results/${asked.id}/what-if`), /^409 .*not_simulated/);
  const sides = new URLSearchParams({ before: asked.id, after: 'a label' });
  assert.match(await refused(`/compare-results?${sides}`), /^422 .*"query","before".*it is an experiment/);
});

test('an experiment of a command leaves the jobs of the store alone, and only its answer is stored', async t => {
  const environment = { DATA_DIR: makeScratchFolder(t), TARGETS: 'any' };
  const heldPool = createSimulatedPool();
  const earlier = await startService(t, environment, undefined, { pool: heldPool });
  const { body: interrupted } = await askForJob(earlier, { url: 'http://127.0.0.1:4321/other', strategy: 'mobile' });
  await heldPool.audits.waitFor(1);
  await earlier.close(0);
  const { pool, loads } = createTimedPool(() => 2000);
  const command = await startService(t, environment, undefined, { pool, isAlone: true });
  const { body: asked } = await post(command, { url: page, variants: [{ headers: { 'x-key': canary } }] });
  await followToEnd(command, asked.id);
  await command.close(0);
  assert.deepEqual(new Set(loads.map(({ url }) => url)), new Set([page]));
  const database = new DatabaseSync(join(environment.DATA_DIR, 'results.sqlite'));
  t.after(() => database.close());
  const idsIn = (table: string) =>
    database
      .prepare(`SELECT id FROM ${table}`)
      .all()
      .map(({ id }) => id);
  assert.deepEqual([idsIn('jobs'), idsIn('results')], [[interrupted.id], [asked.id]]);
  assert.deepEqual(database.prepare('SELECT * FROM job_secrets').all(), []);
});

test('every arm is intercepted in the same way, and its loads are not in the history of the page', async t => {
  const { pool, loads } = createTimedPool(() => 2000);
  const service = await startService(t, { DATA_DIR: makeScratchFolder(t), TARGETS: 'any' }, undefined, { pool });
  const replace = [{ url: 'http://127.0.0.1:4321/a.js', body: '' }];
  const { body: asked } = await post(service, { url: page, variants: [{ replace }, { block: ['b.js'] }] });
  await followToEnd(service, asked.id);
  const { body: answer } = await ask<ExperimentAnswer>(service, `/experiments/${asked.id}`);
  assert.deepEqual(
    answer.variants.map(({ status }) => status),
    ['no_difference', 'no_difference'],
  );
  const interceptions = new Set(loads.map(({ variant }) => JSON.stringify(variant?.intercept)));
  assert.equal(interceptions.size, 1);
  const unchanged = loads.filter(({ variant }) => variant?.replace.length === 0 && variant.block.length === 0);
  assert.equal(unchanged.length, 18);
  const { body: results } = await ask<{ results: unknown[] }>(service, '/results');
  assert.deepEqual(results.results, []);
});

test('an experiment whose page fails ends early, and names the failure', async t => {
  const message = 'The page returned status 401 instead of its content.';
  const { pool, loads } = createTimedPool(audit => {
    if (!isBlocking(audit)) throw new AnalysisError('page_error', message, { source: 'lighthouse' });
    return 2000;
  });
  const service = await startService(t, { TARGETS: 'any' }, undefined, { pool });
  const { body: asked } = await post(service, { url: page, variants: [{ block: ['b.js'] }] });
  await followToEnd(service, asked.id);
  const { body: answer } = await ask<ExperimentAnswer>(service, `/experiments/${asked.id}`);
  assert.deepEqual(answer.progress, { loads: 9, failed: 6, failure: message });
  assert.equal(sayFailed(answer), `6 of 9 loads failed. The first one: ${message}`);
  assert.deepEqual([loads.length, answer.variants[0]?.judged_pairs], [9, 0]);
});

test('a failed experiment has its error before and after its job is removed', async t => {
  const message = 'The page returned status 500 instead of its content.';
  const { pool } = createTimedPool(() => {
    throw new AnalysisError('page_error', message, { source: 'lighthouse' });
  });
  const service = await startService(t, { DATA_DIR: makeScratchFolder(t), TARGETS: 'any' }, undefined, { pool });
  const { body: asked } = await post(service, { url: page, variants: [{ block: ['b.js'] }] });
  await followToEnd(service, asked.id);
  const read = async () => (await ask<ExperimentAnswer>(service, `/experiments/${asked.id}`)).body;
  const before = await read();
  assert.deepEqual([before.state, before.error?.detail], ['failed', message]);
  await ask(service, `/jobs/${asked.id}`, { method: 'DELETE' });
  assert.deepEqual({ ...(await read()), ended_at: null }, { ...before, ended_at: null });
});

test('the largest experiment is stored, even if none of its changes match', async t => {
  const { pool } = createTimedPool(() => 2000);
  const service = await startService(t, { DATA_DIR: makeScratchFolder(t), TARGETS: 'any' }, undefined, { pool });
  const toPattern = (variant: number, at: number) => `a.test/${'x'.repeat(85)}/${variant}-${at}`;
  const variants = Array.from({ length: 5 }, (_, variant) => ({
    block: Array.from({ length: 45 }, (__, at) => toPattern(variant, at)),
  }));
  const { status, body: asked } = await post(service, { url: page, variants });
  assert.equal(status, 202, JSON.stringify(asked));
  await followToEnd(service, asked.id);
  await ask(service, `/jobs/${asked.id}`, { method: 'DELETE' });
  assert.equal((await ask(service, `/experiments/${asked.id}`)).status, 200);
});

test('a variant that fails more often than the page has a note, and no verdict', async t => {
  let blocked = 0;
  const { pool } = createTimedPool(audit => {
    if (!isBlocking(audit)) return 2000;
    blocked += 1;
    if (blocked % 3 === 0)
      throw new AnalysisError('page_error', 'The page returned status 503.', { source: 'lighthouse' });
    return 1500;
  });
  const service = await startService(t, { TARGETS: 'any' }, undefined, { pool });
  const { body: asked } = await post(service, { url: page, variants: [{ block: ['b.js'] }] });
  await followToEnd(service, asked.id);
  const { body: answer } = await ask<ExperimentAnswer>(service, `/experiments/${asked.id}`);
  const [variant] = answer.variants;
  assert.equal(variant?.status, 'undecided');
  assert.match(
    variant?.notes.join(' ') ?? '',
    /Failed loads: \d+ of 1\d\. The page itself fails less often, so there is no/,
  );
});

test('an experiment whose only variant always fails ends early', async t => {
  const { pool, loads } = createTimedPool(audit => {
    if (!isBlocking(audit)) return 2000;
    throw new AnalysisError('page_blank', 'The page painted nothing.', { source: 'lighthouse' });
  });
  const service = await startService(t, { TARGETS: 'any' }, undefined, { pool });
  const { body: asked } = await post(service, { url: page, variants: [{ block: ['b.js'] }] });
  await followToEnd(service, asked.id);
  const { body: answer } = await ask<ExperimentAnswer>(service, `/experiments/${asked.id}`);
  assert.deepEqual([loads.length, answer.variants[0]?.notes.at(-1)?.slice(0, 20)], [9, 'Failed loads: 3 of 3']);
});

test('a variant whose loads end at another page has no verdict, unless it has that page as its URL', async t => {
  const login = 'http://127.0.0.1:4321/login';
  const isOther = (audit: Parameters<typeof isBlocking>[0]) => isBlocking(audit) || audit.url.endsWith('preview');
  const { pool } = createTimedPool(
    audit => (isOther(audit) ? 900 : 2000),
    () => 0,
    audit => (isOther(audit) ? `${login}?from=${audit.url}` : audit.url),
  );
  const service = await startService(t, { TARGETS: 'any' }, undefined, { pool });
  const variants = [{ block: ['b.js'] }, { url: 'http://127.0.0.1:4321/preview' }];
  const { body: asked } = await post(service, { url: page, variants });
  await followToEnd(service, asked.id);
  const { body: answer } = await ask<ExperimentAnswer>(service, `/experiments/${asked.id}`);
  const [first, second] = answer.variants;
  assert.deepEqual([first?.status, second?.status], ['undecided', 'better']);
  assert.equal(
    first?.notes.at(-1),
    `9 of 9 loads ended at ${login}. That is another page, so there is no verdict: set the page to compare as the \`url\` of the variant.`,
  );
  assert.deepEqual(second?.notes, [`9 of 9 loads ended at ${login}.`]);
});

test('headers that a redirect to another origin loses are named', async t => {
  const { pool } = createTimedPool(
    () => 2000,
    () => 0,
    () => 'https://www.harbour.example/',
  );
  const service = await startService(t, { TARGETS: 'any' }, undefined, { pool });
  const { body: asked } = await post(service, { url: page, variants: [{ headers: { 'x-part': '1' } }] });
  await followToEnd(service, asked.id);
  const { body: answer } = await ask<ExperimentAnswer>(service, `/experiments/${asked.id}`);
  assert.deepEqual(answer.variants[0]?.notes, [
    'Its headers were sent to http://127.0.0.1:4321 only, and the page redirects to https://www.harbour.example. The page did not receive them, so there is no verdict: set the URL after the redirect.',
  ]);
  assert.equal(answer.variants[0]?.status, 'undecided');
});

test('loads with a late paint count as disturbed, and are reported for the variant and the page', async t => {
  let ofPage = 0;
  const { pool } = createTimedPool(
    () => 2000,
    audit => {
      if (isBlocking(audit)) return 1200;
      ofPage += 1;
      return ofPage === 1 ? 1200 : 900;
    },
  );
  const service = await startService(t, { TARGETS: 'any' }, undefined, { pool });
  const { body: asked } = await post(service, { url: page, variants: [{ block: ['b.js'] }] });
  await followToEnd(service, asked.id);
  const { body: answer } = await ask<ExperimentAnswer>(service, `/experiments/${asked.id}`);
  assert.deepEqual([answer.variants[0]?.disturbed_loads, answer.control.disturbed_loads], [9, 1]);
  const report = await (await fetch(`${service.url}/experiments/${asked.id}/report`)).text();
  for (const loads of ['9 of its loads were', '1 load of the page was'])
    assert.ok(report.includes(`${loads} disturbed:`));
});

test('throttling is applied for every recipe, and the answer has the reason', async t => {
  const { pool } = createTimedPool(() => 2000);
  const service = await startService(t, { TARGETS: 'any' }, undefined, { pool });
  const describe = async (variant: unknown) => {
    const { body } = await post(service, { url: page, variants: [variant] });
    await ask(service, `/jobs/${body.id}`, { method: 'DELETE' });
    return `${body.throttling_method}: ${body.throttling_reason}`;
  };
  const toRecipe = (name: string) => describe({ recipes: [{ name, url: 'a.js' }] });
  assert.match(await toRecipe('font-display'), /^devtools: The recipe font-display changes when text is painted\. /);
  assert.match(await toRecipe('single-point-of-failure'), /^devtools: .* holds requests until they fail\. /);
  assert.match(await toRecipe('defer'), /^devtools: The recipe defer can change the order of requests\. /);
  assert.match(await describe({ block: ['a.js'] }), /^simulate: .*, and the variants do not change the order/);
  assert.match(await describe({ headers: { 'x-a': '1' } }), /^simulate: .* If a variant changes hints or priorities, /);
});

test('headers and bodies of a variant are in no log, answer or file', async t => {
  const folder = makeScratchFolder(t);
  const { log, text } = captureLog();
  const { pool, loads } = createTimedPool(() => 2000);
  const service = await startService(t, { DATA_DIR: folder, TARGETS: 'any' }, undefined, {
    pool,
    log,
  });
  const variant = {
    headers: { authorization: `Bearer ${canary}` },
    replace: [{ url: 'http://127.0.0.1:4321/a.js', body: `// ${canary}` }],
    recipes: [{ name: 'find-and-replace', find: canary, replace: canary }],
  };
  const asked = await post(service, { url: page, variants: [variant] }, { 'idempotency-key': '"one"' });
  assert.deepEqual(asked.body.variants[0]?.headers, ['authorization']);
  assert.equal(asked.body.throttling_method, 'devtools');
  await followToEnd(service, asked.body.id);
  assert.ok(loads.some(load => load.variant?.headers.authorization === `Bearer ${canary}`));
  for (const path of [`/experiments/${asked.body.id}`, `/jobs/${asked.body.id}`, '/jobs', '/results?kind=experiment'])
    assert.ok(!JSON.stringify(await ask(service, path)).includes(canary), path);
  assert.ok(!JSON.stringify(asked.body).includes(canary));
  assert.ok(!text().includes(canary));
  const filesWithSecret = () =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile() && readFileSync(join(entry.parentPath, entry.name)).includes(canary))
      .map(({ name }) => name);
  assert.deepEqual(filesWithSecret(), []);
  await service.close(0);
  assert.deepEqual(filesWithSecret(), []);
  const database = new DatabaseSync(join(folder, 'results.sqlite'));
  t.after(() => database.close());
  for (const table of ['jobs', 'job_pages', 'job_events', 'job_secrets', 'deliveries', 'results'])
    assert.ok(!JSON.stringify(database.prepare(`SELECT * FROM ${table}`).all()).includes(canary), table);
});

const toPreload = (url: string, value: string | null) => ({ recipes: [{ name: 'preload', url, value }] });

const refused: [words: string, variant: unknown, field: string, fault: RegExp][] = [
  ['a pattern that matches everything', { block: ['*://*/*'] }, 'block.0', /matches every URL/],
  ['a pattern that matches the page', { block: ['127.0.0.1'] }, 'block.0', /matches the page itself/],
  ['a replaced document', { replace: [{ url: page, body: '' }] }, 'replace.0.url', /cannot be replaced/],
  ['two replacements in one', { replace: [{ url: 'http://a.test/' }] }, 'replace.0', /exactly one/],
  [
    'a body above 1 MB',
    { replace: [{ url: 'http://a.test/', body: 'x'.repeat(1024 * 1024 + 1) }] },
    'replace.0.body',
    /larger than 1 MB/,
  ],
  ['a header with a line break', { headers: { a: 'b\r\nc: d' } }, 'headers.a', /one line of ASCII/],
  ['a header of the browser', { headers: { Host: 'a.test' } }, 'headers.Host', /cannot be changed/],
  ['a header that differs in case alone', { headers: { 'x-a': '1', 'X-A': '2' } }, 'headers.X-A', /already set/],
  ['a header that is none', { headers: { 'a b': 'c' } }, 'headers.a b', /not the name of a header/],
  ['an empty variant', { block: [] }, '', /changes nothing/],
  [
    'a variant equal to the page',
    { url: page, strategy: 'mobile', throttling: { rtt_ms: 150 } },
    '',
    /changes nothing/,
  ],
  ['a network that the simulation ignores', { throttling: { rtt_ms: 1 } }, 'throttling', /of at least 11680/],
  ['bytes without a duration', { throttling: { rtt_ms: 0, throughput_kbps: 10_000 } }, 'throttling', /at least 11680/],
  ['a network as text', { throttling: { rtt_ms: 'slow' } }, 'throttling.rtt_ms', /a valid number/],
  ['a negative network', { throttling: { rtt_ms: -1 } }, 'throttling.rtt_ms', /greater than or equal to 0/],
  ['a misspelled field', { blok: ['a.js'] }, 'blok', /Did you mean `block`/],
  ['a recipe without its text', { recipes: [{ name: 'find-and-replace' }] }, 'recipes.0', /needs `find`/],
  [
    'a type that browsers do not preload',
    toPreload('https://a.test/a.mp4', 'video'),
    'recipes.0',
    /must be one of: fetch,/,
  ],
  ['a preload without a known type', toPreload('https://a.test/a', null), 'recipes.0', /set `value` to one of: fetch,/],
  [
    'a font-display in place of stylesheets',
    { recipes: [{ name: 'font-display', url: 'optional' }] },
    'recipes.0',
    /set `value` to optional instead/,
  ],
  ['a list in place of headers', { headers: ['a'] }, 'headers', /valid dictionary/],
];

type Faults = { detail: { loc: (string | number)[]; msg: string }[] };

test('invalid variants are rejected with the position of each fault', async t => {
  const { pool, loads } = createTimedPool(() => 2000);
  const service = await startService(t, { TARGETS: 'any' }, undefined, { pool });
  for (const [words, variant, field, fault] of refused) {
    const { status, body } = await post(service, { url: page, variants: [variant] });
    const { detail } = body as unknown as Faults;
    assert.equal(status, 422, words);
    const place = ['body', 'variants', '0', ...(field === '' ? [] : field.split('.'))].join('.');
    assert.ok(
      detail.some(({ loc, msg }) => loc.join('.') === place && fault.test(msg)),
      `${words}: ${JSON.stringify(detail)}`,
    );
  }
  const named = await post(service, {
    url: page,
    variants: [{ block: ['a.js'] }, { name: 'variant 1', block: ['b'] }],
  });
  assert.match(JSON.stringify(named.body), /"variants",1,"name".*another variant has this name/);
  const block = Array.from({ length: 50 }, (_, at) => `https://a.test/${'x'.repeat(600)}/${at}.js`);
  const wide = await post(service, { url: page, variants: [{ block }] });
  assert.match(JSON.stringify(wide.body), /\["body","variants"\],"msg":"[^"]*the variants are larger than 24 KB/);
  const many = await post(service, { url: page, variants: Array.from({ length: 1000 }, () => ({ block: ['a.js'] })) });
  assert.equal(many.status, 422);
  // Only announced: the service answers, and closes the connection, before a body of this size is sent.
  const large = await sendRaw(service, {
    method: 'POST',
    target: '/experiments',
    headers: ['Content-Type: application/json', `Content-Length: ${9 * 1024 * 1024}`],
  });
  assert.equal(large.status, 413);
  assert.equal(loads.length, 0);
});

test('throttling is completed by that of the page, and a field that equals the page is no change', async t => {
  const { pool } = createTimedPool(() => 2000);
  const service = await startService(t, { TARGETS: 'any' }, undefined, { pool });
  const variants = [
    { throttling: { cpu_slowdown_multiplier: 1.2 } },
    { url: page, block: ['a.js'], throttling: { throughput_kbps: 1638.4 } },
  ];
  const { status, body } = await post(service, { url: page, variants });
  await ask(service, `/jobs/${body.id}`, { method: 'DELETE' });
  assert.equal(status, 202, JSON.stringify(body));
  assert.deepEqual(
    body.variants.map(({ throttling }) => throttling),
    [{ rtt_ms: 150, throughput_kbps: 1638.4, cpu_slowdown_multiplier: 1.2 }, null],
  );
  assert.doesNotMatch(body.variants[1]?.prediction.reason ?? '', /Only the effect of blocked requests/);
  // With applied throttling, no product of round trip and throughput is too small.
  const applied = { url: page, throttling_method: 'devtools', variants: [{ throttling: { rtt_ms: 0 } }] };
  const { status: second, body: other } = await post(service, applied);
  await ask(service, `/jobs/${other.id}`, { method: 'DELETE' });
  assert.equal(second, 202);
});

test('a difference that a few loads cause has no verdict, and the note explains it', async t => {
  let blocked = 0;
  const { pool } = createTimedPool(audit => {
    if (!isBlocking(audit)) return 2000;
    blocked += 1;
    return blocked === 5 ? 7000 : 2012;
  });
  const service = await startService(t, { TARGETS: 'any' }, undefined, { pool });
  const { body: asked } = await post(service, { url: page, variants: [{ block: ['b.js'] }] });
  await followToEnd(service, asked.id);
  const [variant] = (await ask<ExperimentAnswer>(service, `/experiments/${asked.id}`)).body.variants;
  assert.equal(variant?.status, 'undecided');
  assert.ok((variant?.interval?.low ?? 0) > 0 && (variant?.difference ?? 0) > (variant?.min_effect ?? Infinity));
  assert.match(
    variant?.notes.at(-1) ?? '',
    /^Half of the pairs differ by less than the smallest difference that matters/,
  );
});

test('a variant with a forbidden target is rejected before anything is measured', async t => {
  const { pool, loads } = createTimedPool(() => 2000);
  const service = await startService(t, { TARGETS: 'public' }, undefined, { pool });
  const body = { url: 'https://example.com/', variants: [{ url: 'http://127.0.0.1/' }] };
  assert.equal((await post(service, body)).status, 422);
  assert.equal((await post(service, { url: page, variants: [{ block: ['a.js'] }] })).status, 403);
  assert.equal(loads.length, 0);
});
