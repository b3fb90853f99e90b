/** The command against a running service, whose remote analyser is a fake: shapes, order, failures, keys, files. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { startFakePsi, toLighthouseError, toPsiBody } from '../support/analysers/fake-psi.ts';
import { createArrivals } from '../support/arrivals.ts';
import { startLocalServer } from '../support/sites/local-server.ts';
import { readAll } from '../support/start-process.ts';
import { startService } from '../support/start-service.ts';
import { runCli, startCli } from './run-cli.ts';

const scope = { after };
const fake = await startFakePsi(scope);
fake.answerWith(async call => {
  const url = call.params.get('url') ?? '';
  if (url.includes('never')) await call.abandoned;
  return url.includes('broken')
    ? toLighthouseError('Lighthouse returned error: ERRORED_DOCUMENT_REQUEST. (Status code: 404)')
    : { body: toPsiBody(call) };
});
const service = await startService(scope, { PSI_ENDPOINT: fake.endpoint });
const remote = ['--psi', '--server', service.url, '--quiet'];
/** The start of every colour's escape sequence. */
const escapeCode = '\u001b';
const folder = mkdtempSync(join(tmpdir(), 'rangelight cli '));
after(() => rmSync(folder, { recursive: true }));

test('one result is the body that the service sends', async t => {
  const { code, stdout, stderr } = await runCli(t, ['http://localhost/one', ...remote, '--json']);
  const response = await fetch(`${service.url}/psi?strategy=mobile&url=http%3A%2F%2Flocalhost%2Fone`);
  const [{ cache: _, ...shown }, { cache: __, ...sent }] = [
    JSON.parse(stdout),
    (await response.json()) as { cache: 0 },
  ];
  assert.deepEqual([code, stderr], [0, '']);
  assert.deepEqual(shown, sent);
});

test('an option that only the service can check is an invalid one', async t => {
  const { code, stderr } = await runCli(t, ['localhost/one', ...remote, '--label', 'x'.repeat(101)]);
  assert.equal(code, 2, stderr);
});

test('several results are an array in the requested order, and a failure loses no other', async t => {
  const list = join(folder, 'pages.txt');
  writeFileSync(list, '# a list\r\nlocalhost/three\r\n\r\n  http://localhost/four  ');
  const args = ['localhost/one', '-', '--file', list, ...remote, '--json'];
  const { code, stdout } = await runCli(t, args, { input: 'localhost/broken\nlocalhost/one\n' });
  const bodies = JSON.parse(stdout);
  assert.equal(code, 3);
  assert.deepEqual(
    bodies.map((body: { url: string; error?: { code: string } }) => [body.url, body.error?.code]),
    [
      ['http://localhost/one', undefined],
      ['http://localhost/broken', 'page_error'],
      ['http://localhost/one', undefined],
      ['http://localhost/three', undefined],
      ['http://localhost/four', undefined],
    ],
  );
});

test('NDJSON has a line for each result, with its index', async t => {
  const args = ['localhost/one', 'localhost/broken', ...remote, '--strategy', 'both', '--ndjson'];
  const { code, stdout } = await runCli(t, args);
  const entries = stdout
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line));
  assert.equal(code, 3);
  assert.deepEqual(
    entries
      .toSorted((a, b) => a.index - b.index)
      .map(({ index, url, strategy, error }) => [index, url, strategy ?? error.code]),
    [
      [0, 'http://localhost/one', 'mobile'],
      [1, 'http://localhost/one', 'desktop'],
      [2, 'http://localhost/broken', 'page_error'],
      [3, 'http://localhost/broken', 'page_error'],
    ],
  );
});

test('a table has a row for each page, an error for each failure, and no colors in a pipe', async t => {
  const args = ['localhost/one', 'localhost/broken', '--psi', '--server', service.url];
  const plain = await runCli(t, args, { environment: { COLUMNS: '140' } });
  assert.equal(plain.code, 3);
  assert.match(plain.stdout, /^ {2}2 results · mobile · 127\.0\.0\.1:\d+\n/);
  assert.match(plain.stdout, /http:\/\/localhost\/one +● 100/);
  assert.match(plain.stdout, /http:\/\/localhost\/broken +✗ page_error: .*404/);
  assert.match(plain.stdout, /\n✗ http:\/\/localhost\/broken \(mobile, .*\)\n {2}Page returned an error/);
  assert.match(plain.stderr, /\[2\/2\] http:\/\/localhost\/broken \(mobile\): Failed/);
  assert.ok(!(plain.stdout + plain.stderr).includes(escapeCode));
  const forced = await runCli(t, args, { environment: { FORCE_COLOR: '1' } });
  assert.ok(forced.stdout.includes(`${escapeCode}[32m●`));
  const not = await runCli(t, [...args, '--no-color'], { environment: { FORCE_COLOR: '1' } });
  assert.ok(!not.stdout.includes(escapeCode));
});

test('a single failure says what happened and what to do', async t => {
  const { code, stdout } = await runCli(t, ['localhost/broken', ...remote]);
  assert.equal(code, 3);
  assert.match(
    stdout,
    /✗ http:\/\/localhost\/broken \(mobile, PageSpeed Insights server\)\n {2}Page returned an error \(page_error\): [\s\S]*\n {2}Open/,
  );
});

test('assertions decide the exit code, and a failed analysis takes precedence', async t => {
  const run = (...args: string[]) => runCli(t, [...args, ...remote]);
  const held = await run('localhost/one', '--assert', 'performance>=90', '--assert', 'seo>=80');
  assert.equal(held.code, 0);
  assert.match(held.stdout, /\n2 assertions passed \(--all lists them\)\.\n$/);
  const missed = await run('localhost/one', '--assert', 'performance>=90', '--assert', 'seo>80');
  assert.equal(missed.code, 1);
  assert.match(missed.stdout, /✗ fails +seo>80 +80 /);
  assert.match(missed.stdout, /1 of 2 assertions failed, 1 passed/);
  const both = await run('localhost/broken', '--assert', 'performance>=0');
  assert.equal(both.code, 3);
  assert.match(both.stdout, /✗ no value +performance>=0 +– +http/);
});

test('with JSON, assertions are printed on standard error', async t => {
  const { code, stdout, stderr } = await runCli(t, ['localhost/one', ...remote, '--json', '--assert', 'seo>80']);
  assert.equal(code, 1);
  assert.equal(JSON.parse(stdout).scores.seo, 80);
  assert.match(stderr, /✗ fails +seo>80/);
});

test('a key is sent as the service expects, also from the environment, and is never printed', async t => {
  const key = 'a-key-of-this-service';
  const guarded = await startService(t, { PSI_ENDPOINT: fake.endpoint, API_KEYS: key });
  const args = ['localhost/one', '--psi', '--server', guarded.url];
  const without = await runCli(t, args);
  assert.equal(without.code, 3);
  assert.match(without.stdout, /\(unauthorized\)[\s\S]*RANGELIGHT_API_KEY/);
  for (const end of [
    await runCli(t, [...args, '--api-key', key]),
    await runCli(t, args, { environment: { RANGELIGHT_API_KEY: key } }),
  ]) {
    assert.equal(end.code, 0);
    assert.ok(!(end.stdout + end.stderr).includes(key));
  }
});

/** Checked without `assert.match`, whose failure would print the whole text. */
const isWholeResult = (text: string) =>
  /^(<!--[^>]*-->\s*)?<!doctype html>[\s\S]*localhost\/one[\s\S]*<\/html>\s*$/i.test(text);

test('reports are files: one by its name, several in a folder; existing ones are replaced, failed ones not created', async t => {
  const file = join(folder, 'report of one.html');
  writeFileSync(file, 'old');
  const one = await runCli(t, ['localhost/one', ...remote, '--html', file]);
  assert.equal(one.code, 0);
  assert.ok(isWholeResult(readFileSync(file, 'utf8')));

  const reports = join(folder, 'reports');
  const pages = ['localhost/a?x=1', 'localhost/a/x/1', 'localhost/broken'];
  const several = await runCli(t, [...pages, ...remote, '--html', reports]);
  assert.equal(several.code, 3);
  const names = ['index.html', 'localhost-a-x-1-mobile-2.html', 'localhost-a-x-1-mobile.html'];
  assert.deepEqual(readdirSync(reports).toSorted(), names);
  assert.match(several.stderr, /^Written: 2 reports and .*reports\/index\.html\n$/);
  const index = readFileSync(join(reports, 'index.html'), 'utf8');
  for (const name of names.slice(1)) assert.ok(index.includes(`href="./${name}"`), name);
  assert.match(index, /Not measured: 1[\s\S]*http:\/\/localhost\/broken[\s\S]*<code>page_error<\/code>/);
  // The index replaces one of an earlier run, but no other file of that name.
  assert.equal((await runCli(t, [...pages, ...remote, '--html', reports])).code, 3);
  writeFileSync(join(reports, 'index.html'), '<h1>My site</h1>');
  const refused = await runCli(t, [...pages, ...remote, '--html', reports]);
  assert.deepEqual([refused.code, refused.stdout], [2, '']);
  assert.match(refused.stderr, /its index\.html was not written by this command/);
  assert.equal(readFileSync(join(reports, 'index.html'), 'utf8'), '<h1>My site</h1>');

  const failed = join(folder, 'failed.html');
  assert.equal((await runCli(t, ['localhost/broken', ...remote, '--html', failed])).code, 3);
  assert.equal(existsSync(failed), false);

  const out = await runCli(t, ['localhost/one', ...remote, '--html', '-']);
  assert.ok(isWholeResult(out.stdout));
  assert.deepEqual(
    readdirSync(folder).filter(name => name.startsWith('.')),
    [],
  );
});

test('Ctrl-C loses no finished result: as JSON, as a table, as files', async t => {
  const pages = ['localhost/never', 'localhost/first', 'localhost/broken', 'localhost/never/2'];
  const interrupt = async (...args: readonly string[]) => {
    const child = startCli(t, [...pages, '--psi', '--server', service.url, ...args]);
    const told = createArrivals<string>();
    createInterface(child.stderr ?? assert.fail()).on('line', line => told.add(line));
    const ended = Promise.all([readAll(child.stdout), once(child, 'close')]);
    await told.waitFor(2, line => /: (Done|Failed), /.test(line));
    child.kill('SIGINT');
    const [stdout, [code]] = await ended;
    assert.deepEqual([code, told.all.includes('Cancelled: 2 of 4 results.')], [130, true]);
    return stdout;
  };
  const all = JSON.parse(await interrupt('--json'));
  assert.deepEqual(
    all.map(({ url, error }: { url: string; error?: { code: string } }) => [url, error?.code]),
    [
      ['http://localhost/first', undefined],
      ['http://localhost/broken', 'page_error'],
    ],
  );
  const reports = join(folder, 'early');
  const table = await interrupt('--html', reports);
  assert.ok(table.includes('localhost/first') && table.includes('localhost/broken') && !table.includes('never'));
  assert.deepEqual(readdirSync(reports).toSorted(), ['index.html', 'localhost-first-mobile.html']);
  assert.match(readFileSync(join(reports, 'index.html'), 'utf8'), /cancelled: 2 of 4 results/);
});

test('text of a page or a server cannot control the terminal', async t => {
  const hostile = '\u001b]0;owned\u0007\u009b2J\u001b[31mred\u202e\r\nnext\b';
  const { url } = await startLocalServer(t, async (request, response) => {
    const asked = new URL(request.url ?? '', 'http://here');
    const answer = await fetch(`${service.url}${asked.pathname}${asked.search}`);
    const report = (await answer.json()) as Record<string, unknown>;
    const audits = [{ id: 'document-title', title: hostile, display_value: hostile, categories: ['seo'], savings: {} }];
    const problem = { type: 'x', title: hostile, status: 502, detail: hostile, code: hostile, retryable: false };
    const body = asked.search.includes('broken')
      ? problem
      : {
          ...report,
          url: hostile,
          final_url: hostile,
          lighthouse_version: hostile,
          warnings: [hostile],
          failed_audits: audits,
        };
    response.writeHead('title' in body ? 502 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const pages = ['http://localhost/one', 'http://localhost/broken'];
  for (const args of [pages, ...pages.map(page => [page]), [...pages, '--json'], [...pages, '--ndjson']]) {
    const { stdout, stderr } = await runCli(t, [...args, '--psi', '--server', url, '--assert', 'seo>=0']);
    assert.match(stdout, /red|owned/);
    assert.doesNotMatch((stdout + stderr).replaceAll('\n', ''), /[\p{Cc}\u202e]/u, args.join(' '));
  }
});

test('assertions on requests and audits request the full result; a warning does not fail, an assertion without a matching page does', async t => {
  const file = join(folder, 'assertions.txt');
  writeFileSync(file, '# what a page may weigh\n\nwarn total-count<=0\nwarn not-an-audit<=0\n');
  const run = (...args: string[]) => runCli(t, ['http://localhost/one', ...remote, ...args]);
  const warned = await run('--assert-file', file);
  assert.equal(warned.code, 0, warned.stdout);
  assert.match(warned.stdout, /! no value +warn total-count<=0 +–/);
  assert.match(warned.stdout, /\n2 warnings\.\n$/);
  const failed = await run('--assert', 'not-an-audit<=0', '--assert', '/two* performance>=0');
  assert.equal(failed.code, 1);
  assert.match(failed.stdout, /✗ no value +not-an-audit<=0 +– +http/);
  assert.match(failed.stdout, /✗ no page +\/two\* performance>=0 +no page matches/);
  assert.match(failed.stdout, /There is no audit not-an-audit in the result\.\n2 of 2 assertions failed/);
  const missing = await run('--assert-file', join(folder, 'nowhere.txt'));
  assert.equal(missing.code, 2);
  assert.match(missing.stderr, /--assert-file cannot be read/);
  const both = await runCli(t, ['http://localhost/one', '--compare', '--assert', 'script-size<=1KB']);
  assert.equal(both.code, 2);
  assert.match(both.stderr, /measure one side/);
});
