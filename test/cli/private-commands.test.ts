/** Commands that load a page several times bring an access to each load. Their service is one of a command's own. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createTimedPool } from '../support/audits/timed-pool.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { type Scope, startService } from '../support/start-service.ts';
import { runCli } from './run-cli.ts';

const page = 'http://127.0.0.1:4321/page';
const session = 'session-Sentinel-21';
const expect = { selector: '#account' };

/** Starts a service whose store was sealed by another one. */
async function startOwn(scope: Scope) {
  const folder = makeScratchFolder(scope);
  const { pool, loads } = createTimedPool(() => 2000);
  const start = (ACCESS_KEY: string, isAlone: boolean) =>
    startService(scope, { DATA_DIR: folder, TARGETS: 'any', ACCESS_KEY }, undefined, { isAlone, pool });
  const key = randomBytes(32).toString('base64');
  const kept = await start(key, false);
  const put = await fetch(`${kept.url}/access/shopper`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ origins: [new URL(page).origin], cookies: [{ name: 'sid', value: session }] }),
  });
  assert.equal(put.status, 200);
  await kept.close(0);
  const { url, close } = await start(randomBytes(32).toString('base64'), true);
  return { folder, loads, url, reopen: () => close(0).then(() => start(key, false)) };
}

test('compare-builds and experiment bring an access to each load, whatever key the store has', async t => {
  const { folder, loads, url, reopen } = await startOwn(t);
  const state = join(folder, 'state.json');
  const cookies = [{ name: 'sid', value: session, domain: '127.0.0.1', path: '/' }];
  writeFileSync(state, JSON.stringify({ cookies, origins: [] }));
  const how = ['--state', state, '--expect-selector', expect.selector, '--server', url, '--quiet'];
  for (const args of [
    ['compare-builds', page, `${page}?build=2`],
    ['experiment', page, '--block', 'ads.example'],
  ]) {
    const before = loads.length;
    const { code, stdout, stderr } = await runCli(t, [...args, ...how]);
    assert.equal(code, 0, stderr);
    const asked = loads.slice(before).map(({ access }) => access);
    assert.ok(asked.length > 5);
    for (const access of asked) assert.deepEqual(access, { state: { cookies, origins: [] }, expect });
    assert.ok(!(stdout + stderr).includes(session));
  }
  await reopen();
});
