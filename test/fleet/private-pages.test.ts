/** Audits with an access in the queue of a fleet: sealed, and only for machines that have the key. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { AnalysisError } from '../../src/contract/errors.ts';
import { createVault } from '../../src/storage/access/vault.ts';
import { startOwnPostgres } from '../support/surroundings/own-postgres.ts';
import { readUntil } from '../support/until.ts';
import { openInstance, readUrl, toRequest } from './fleet.ts';

const postgres = await startOwnPostgres({ after });
const [key, former] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
const secret = 'hunter2-Sentinel12';
const request = { ...toRequest('https://shop.example/account'), access: { headers: { 'x-token': secret } } };
const signal = () => AbortSignal.timeout(60_000);

test('only a machine with the key runs an audit with an access, whose row is sealed', async t => {
  const url = await postgres.createDatabase();
  const without = await openInstance(t, url, { role: 'worker' });
  const other = await openInstance(t, url, { role: 'worker', vault: createVault([former]) });
  const api = await openInstance(t, url, { role: 'api', vault: createVault([key]) });
  const asked = api.analyser.audit(request, readUrl, signal(), { client: 'me' });
  const plain = without.pool.audits.waitFor(1);
  const visitor = api.ask('https://page.test/plain');
  const [running] = await Promise.race([plain, other.pool.audits.waitFor(1)]);
  assert.equal(running?.request.url, 'https://page.test/plain', 'an audit without an access does not wait behind it');
  const readRows = async () => JSON.stringify(await postgres.query(url, 'SELECT * FROM rangelight_fleet.audits'));
  const rows = await readUntil(readRows, rows => rows.includes('shop.example'));
  assert.ok(!rows.includes(secret));
  const owner = await openInstance(t, url, { role: 'worker', vault: createVault([former, key]) });
  const [audit] = await owner.pool.audits.waitFor(1);
  assert.deepEqual(audit?.request.access, request.access);
  audit?.finish();
  running?.finish();
  await visitor;
  assert.equal((await asked).value.url, request.url);
  const taken = [...without.pool.audits.all, ...other.pool.audits.all];
  assert.ok(taken.every(({ request: { access } }) => access === undefined));
});

test('an audit with an access ends if no machine has its key, and others go on', async t => {
  const url = await postgres.createDatabase();
  const worker = await openInstance(t, url, { role: 'worker' });
  const patience = { databaseMs: 15_000, workersMs: 500 };
  const api = await openInstance(t, url, { role: 'api', vault: createVault([key]), patience });
  const plain = api.ask('https://page.test/plain');
  const [running] = await worker.pool.audits.waitFor(1);
  await assert.rejects(
    api.analyser.audit(request, readUrl, signal()),
    (error: unknown) => error instanceof AnalysisError && error.code === 'queue_unavailable',
  );
  running?.finish();
  await plain;
});

test('without the key, an instance measures a private page itself', async t => {
  const url = await postgres.createDatabase();
  const one = await openInstance(t, url);
  const other = await openInstance(t, url, { vault: createVault([key]) });
  const asked = one.analyser.audit(request, readUrl, signal());
  const [audit] = await one.pool.audits.waitFor(1);
  assert.deepEqual(await postgres.query(url, 'SELECT * FROM rangelight_fleet.audits'), []);
  audit?.finish();
  await asked;
  assert.equal(other.pool.audits.all.length, 0);
});
