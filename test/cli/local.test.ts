/** The command with a service of its own: real audits, and nothing is left of them. */
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
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
const environment = { TMPDIR: temporary };

test('pages are measured locally, failures do not stop the others, and no file is left behind', async t => {
  const args = [`${pages.url}/good`, `${pages.url}/404`, '--categories', 'seo', '--json'];
  const { code, stdout, stderr } = await runCliProcess(t, args, { environment });
  const [good, missing] = JSON.parse(stdout);
  assert.deepEqual([code, good.source, good.scores, missing.error.code], [3, 'lighthouse', { seo: 100 }, 'page_error']);
  assert.ok(good.lighthouse_result);
  assert.match(
    stderr,
    /^\[\d\/2\] \S+ \(mobile\): (?:Done|Failed), \d+\s\w+\n\[\d\/2\] \S+ \(mobile\): (?:Done|Failed), \d+\s\w+\n$/,
  );
  assert.deepEqual(readdirSync(temporary), []);
});

test('SIGINT during an audit exits with 130, and ends its browser and removes its folders', async t => {
  const child = startCli(t, [`${pages.url}/never?SIGINT`], { environment });
  const ended = endOf(child);
  await pages.requests.waitFor(1, request => request === '/never?SIGINT');
  const started = whyNoProcessTree ? [] : descendantsOf(child.pid ?? 0);
  if (!whyNoProcessTree) assert.ok(started.some(isWorker) && started.some(isBrowser));
  child.kill('SIGINT');
  const { code: ownCode, stdout, stderr } = await ended;
  assert.deepEqual([ownCode, stdout, stderr], [130, '', 'Nothing was measured.\n']);
  assert.deepEqual(started.filter(isAlive), []);
  assert.deepEqual(readdirSync(temporary), []);
});
