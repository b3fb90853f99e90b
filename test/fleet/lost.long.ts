/** Instances lost in the middle of their work. Each test takes the ten seconds until others notice the loss. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startOwnPostgres } from '../support/surroundings/own-postgres.ts';
import { openInstance } from './fleet.ts';
import { ask, startInstance } from './instances.ts';

const postgres = await startOwnPostgres({ after });
const page = 'http://page.test/';

describe('lost instances', { concurrency: true }, () => {
  test('a paused worker stops an audit that another one took over, and its late answer is discarded', async t => {
    const url = await postgres.createDatabase();
    const paused = await startInstance(t, url, 'worker', { AUDIT_MS: '3000' });
    const api = await startInstance(t, url, 'api');
    const asked = ask(api, page);
    await paused.audits.waitFor(1);
    paused.child.kill('SIGSTOP');
    const other = await startInstance(t, url, 'worker', { AUDIT_MS: '6000' });
    await other.audits.waitFor(1);
    paused.child.kill('SIGCONT');
    const { status, body } = await asked;
    assert.deepEqual([status, body.environment?.attempts], [200, 2], JSON.stringify(body));
    assert.deepEqual([paused.audits.all, other.audits.all], [[page], [page]]);
    assert.deepEqual(await postgres.query(url, 'SELECT * FROM rangelight_fleet.audits'), []);
    // It works like any other worker again.
    other.child.kill('SIGTERM');
    await other.exited;
    const { status: again } = await ask(api, `${page}again`);
    assert.equal(again, 200);
    assert.deepEqual(paused.audits.all, [page, `${page}again`]);
  });

  test('the audit of a killed instance ends on the machine that runs it', async t => {
    const url = await postgres.createDatabase();
    const worker = await startInstance(t, url, 'worker', { AUDIT_MS: '60000' });
    const api = await startInstance(t, url, 'api');
    const asked = ask(api, page).catch(() => 'cut off');
    await worker.audits.waitFor(1);
    api.child.kill('SIGKILL');
    assert.equal(await asked, 'cut off');
    await worker.aborted.waitFor(1);
    assert.deepEqual(await postgres.query(url, 'SELECT id FROM rangelight_fleet.audits'), []);
  });

  test('a page whose workers died twice is not given to a third one', async t => {
    const url = await postgres.createDatabase();
    const api = await openInstance(t, url, { role: 'api' });
    const asked = assert.rejects(api.ask(page), { code: 'lighthouse_unavailable', message: /Two workers stopped/ });
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      const worker = await startInstance(t, url, 'worker', { AUDIT_MS: '60000' });
      await worker.audits.waitFor(1);
      worker.child.kill('SIGKILL');
    }
    const third = await startInstance(t, url, 'worker', { AUDIT_MS: '100' });
    await asked;
    assert.deepEqual(third.audits.all, []);
  });
});
