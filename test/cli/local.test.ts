/** The command with a service of its own: real audits, and nothing is left of them. */
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { descendantsOf, isAlive, isBrowser, isWorker, whyNoProcessTree } from '../leak/process-tree.ts';
import { startPages } from '../pages.ts';
import { endOf, runCli, startCli } from './run-cli.ts';

const pages = await startPages({ after });
/** Where this command's temporary files go, and nobody else's; the unprivileged user of an audit may pass through. */
const temporary = mkdtempSync(join(tmpdir(), 'cli-'));
chmodSync(temporary, 0o755);
after(() => rmSync(temporary, { recursive: true }));
const environment = { TMPDIR: temporary };

test('pages are measured with Lighthouse here, the good ones beside those that fail, and nothing is left', async t => {
  const args = [`${pages.url}/good`, `${pages.url}/404`, '--categories', 'seo', '--json'];
  const { code, stdout, stderr } = await runCli(t, args, { environment });
  const [good, missing] = JSON.parse(stdout);
  assert.deepEqual([code, good.source, good.scores, missing.error.code], [3, 'lighthouse', { seo: 100 }, 'page_error']);
  assert.ok(good.lighthouse_result);
  assert.match(stderr, /good \(mobile\): Gathering/);
  assert.deepEqual(readdirSync(temporary), []);
});

test('a comparison shows both sides, and an assertion names one or holds on both', async t => {
  const file = join(temporary, 'compared.html');
  const args = [`${pages.url}/good`, '--compare', '--runs', '2', '--quiet', '--html', file];
  const asserted = ['--assert', 'lighthouse.seo>=100', '--assert', 'accessibility>100'];
  const { code, stdout } = await runCli(t, [...args, ...asserted], { environment });
  assert.equal(code, 1);
  assert.match(stdout, / remote +local +difference +points +local runs\n/);
  assert.match(stdout, /SEO +● 100 +● 100 +0 +100–100\n/);
  assert.match(stdout, /Largest Contentful Paint +\S+ [\d.]+/);
  assert.deepEqual(
    [...stdout.matchAll(/^ {2}([✓✗]) .*(?:seo|accessibility)[<>=\d]+ +\S+ +(psi|lighthouse) /gm)].map(
      ([, ...found]) => found,
    ),
    [
      ['✓', 'lighthouse'],
      ['✗', 'psi'],
      ['✗', 'lighthouse'],
    ],
  );
  assert.match(readFileSync(file, 'utf8'), /^<!doctype html>[\s\S]*good/i);
  rmSync(file);
  assert.deepEqual(readdirSync(temporary), []);
});

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)
  test(`${signal} in the middle of an audit ends with ${code}, its browser and its folders`, async t => {
    const child = startCli(t, [`${pages.url}/never?${signal}`], { environment });
    const ended = endOf(child);
    await pages.requests.waitFor(1, request => request === `/never?${signal}`);
    const started = whyNoProcessTree ? [] : descendantsOf(child.pid ?? 0);
    if (!whyNoProcessTree) assert.ok(started.some(isWorker) && started.some(isBrowser));
    child.kill(signal);
    const { code: ownCode, stdout } = await ended;
    assert.deepEqual([ownCode, stdout], [code, '']);
    assert.deepEqual(started.filter(isAlive), []);
    assert.deepEqual(readdirSync(temporary), []);
  });
