/** More of the command with a service of its own: see local.test.ts. */
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { descendantsOf, isAlive, isBrowser, isWorker, whyNoProcessTree } from '../leak/process-tree.ts';
import { startPages } from '../support/sites/pages.ts';
import { endOf, runCliProcess, startCli } from './run-cli.ts';

const pages = await startPages({ after });
/** Only this command's temporary files are here; the unprivileged user of an audit can read it. */
const temporary = mkdtempSync(join(tmpdir(), 'cli-'));
chmodSync(temporary, 0o755);
after(() => rmSync(temporary, { recursive: true }));
const environment = { TMPDIR: temporary, COLUMNS: '140' };

test('a comparison shows both sides, and an assertion names one or applies to both', async t => {
  const file = join(temporary, 'compared.html');
  const args = [`${pages.url}/good`, '--compare', '--runs', '2', '--quiet', '--html', file];
  const asserted = ['--assert', 'lighthouse.seo>=100', '--assert', 'accessibility>100'];
  const { code, stdout } = await runCliProcess(t, [...args, ...asserted], { environment });
  assert.equal(code, 1);
  assert.match(stdout, / PSI settings +Local +difference +points +local: 2 runs\n/);
  assert.match(stdout, /SEO +● 100 +● 100 +0 +100\n/);
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

test('SIGTERM during an audit exits with 143, and ends its browser and removes its folders', async t => {
  const child = startCli(t, [`${pages.url}/never?SIGTERM`], { environment });
  const ended = endOf(child);
  await pages.requests.waitFor(1, request => request === '/never?SIGTERM');
  const started = whyNoProcessTree ? [] : descendantsOf(child.pid ?? 0);
  if (!whyNoProcessTree) assert.ok(started.some(isWorker) && started.some(isBrowser));
  child.kill('SIGTERM');
  const { code: ownCode, stdout, stderr } = await ended;
  assert.deepEqual([ownCode, stdout, stderr], [143, '', 'Nothing was measured.\n']);
  assert.deepEqual(started.filter(isAlive), []);
  assert.deepEqual(readdirSync(temporary), []);
});
