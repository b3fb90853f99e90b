/** Cases that only several instances have: lost notices, other instances' memories, the database away. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Client } from 'pg';
import { AnalysisError } from '../../src/contract/errors.ts';
import { startOwnPostgres } from '../support/surroundings/own-postgres.ts';
import { type Instance, openInstances } from './open-shared.ts';
import { ask, createRun, instantly, nameOf, storedName } from './runs.ts';

const postgres = await startOwnPostgres({ after });
type Settings = Parameters<typeof openInstances>[3];

async function openTwo(scope: Parameters<typeof openInstances>[0], settings: Settings = {}) {
  const url = await postgres.createDatabase();
  const [one, two] = await openInstances(scope, url, 2, settings);
  assert.ok(one && two);
  return { url, one, two };
}

const namesInDatabase = (url: string) => postgres.query(url, 'SELECT name FROM rangelight_fleet.cached_values');

test('a hundred equal requests to three instances are one call', async t => {
  const instances = await openInstances(t, await postgres.createDatabase(), 3);
  const run = createRun();
  const answers = Array.from({ length: 100 }, (_, index) => ask(instances[index % 3] as Instance, run));
  await run.whenBegun();
  run.finish('shared');
  const results = await Promise.all(answers);
  assert.deepEqual([run.count, new Set(results.map(nameOf)).size], [1, 1]);
});

test('if every notice is lost, polling ends the wait and empties the memory after a clear', async t => {
  const { one, two } = await openTwo(t, { hears: false });
  const run = createRun();
  const first = ask(one, run);
  await run.whenBegun();
  const second = ask(two, run);
  run.finish('shared');
  assert.deepEqual([nameOf(await first), nameOf(await second), run.count], ['shared', 'shared', 1]);
  assert.equal(await storedName(two), 'shared');
  await one.cache.clear();
  await two.look();
  assert.equal(two.cache.status().entries, 0);
  assert.equal(await storedName(two), undefined);
});

test('a value that one instance computes during a clear on another is stored neither in memory nor in the database', async t => {
  const { url, one, two } = await openTwo(t);
  const run = createRun();
  const answer = ask(two, run);
  await run.whenBegun();
  await one.cache.clear();
  run.finish('old');
  await answer;
  assert.deepEqual(await namesInDatabase(url), []);
  assert.deepEqual([one.cache.status().entries, two.cache.status().entries], [0, 0]);
});

test('a forced request on one instance replaces the value in the memory of the others', async t => {
  for (const hears of [true, false]) {
    const { one, two } = await openTwo(t, { hears });
    await ask(one, instantly('old'));
    assert.equal(await storedName(two), 'old');
    // The next result needs a later timestamp, because the timestamp decides which is newer.
    const before = Date.now();
    while (Date.now() === before);
    await ask(one, instantly('new'), { fresh: true });
    await two.look();
    assert.equal(await storedName(two), 'new');
  }
});

test('a value that expired in memory is not requested again if another instance has a newer one', async t => {
  let nowMs = Date.now();
  const { one, two } = await openTwo(t, { now: () => nowMs, staleMs: 600_000, hears: false });
  await ask(one, instantly('old'));
  assert.equal(await storedName(two), 'old');
  nowMs += 60_000;
  assert.equal((await ask(one, instantly('new'))).status, 'miss');
  const found = await ask(two, createRun());
  assert.deepEqual([found.status, nameOf(found)], ['hit', 'new']);
});

test('a value dated in the future by a clock that was ahead is not fresh for any instance', async t => {
  let nowMs = Date.now();
  const { one, two } = await openTwo(t, { now: () => nowMs, staleMs: 600_000 });
  await ask(one, instantly('ahead'));
  nowMs -= 120_000;
  assert.equal((await ask(two, instantly('now'))).status, 'miss');
});

test('an instance that removes an expired value leaves a newer one of another instance', async t => {
  let nowMs = Date.now();
  const { url, one, two } = await openTwo(t, { now: () => nowMs, hears: false });
  await ask(one, instantly('old'));
  assert.equal(await storedName(two), 'old');
  nowMs += 60_000;
  await ask(one, instantly('new'));
  assert.equal(await storedName(two), 'new');
  assert.equal((await namesInDatabase(url)).length, 1);
});

test('a hit in memory takes no statement', async t => {
  const { one } = await openTwo(t);
  await ask(one, instantly('first'));
  const before = one.statements();
  for (let asked = 0; asked < 1000; asked += 1) assert.equal((await ask(one, createRun())).status, 'hit');
  // A heartbeat may have come in between.
  assert.ok(one.statements() - before < 10, String(one.statements() - before));
});

test('stored results are returned while the database is down, new ones are produced, and all are shared again afterwards', async t => {
  const { one, two } = await openTwo(t);
  await ask(one, instantly('first'));
  await postgres.stop();
  assert.equal((await ask(one, createRun())).status, 'hit');
  const alone = await ask(two, instantly('second'));
  assert.deepEqual([alone.status, nameOf(alone)], ['miss', 'second']);
  assert.equal((await ask(two, createRun())).status, 'hit');
  await assert.rejects(one.cache.clear());
  await postgres.start();
  await Promise.all([one.whenThere(), two.whenThere()]);
  const run = createRun();
  const answers = [ask(one, run, { key: 'b' }), ask(two, run, { key: 'b' })];
  await run.whenBegun();
  run.finish('shared');
  await Promise.all(answers);
  assert.equal(run.count, 1);
});

test('an instance that missed a clear empties its memory when the database is back', async t => {
  const { url, one } = await openTwo(t);
  await ask(one, instantly('first'));
  await postgres.stop();
  await one.look();
  assert.equal((await ask(one, createRun())).status, 'hit');
  await postgres.start();
  await postgres.query(url, 'UPDATE rangelight_fleet.cache_state SET generation = generation + 1');
  await postgres.query(url, 'DELETE FROM rangelight_fleet.cached_values');
  await one.whenThere();
  assert.equal(await storedName(one), undefined);
});

test('an instance that waits for another makes its own call when the database is gone', async t => {
  const { one, two } = await openTwo(t);
  const [led, own] = [createRun(), createRun()];
  const first = ask(one, led);
  await led.whenBegun();
  const second = ask(two, own);
  await ask(two, instantly('other'), { key: 'other' });
  await postgres.stop();
  await own.whenBegun();
  own.finish('own');
  led.finish('led');
  assert.deepEqual([nameOf(await first), nameOf(await second)], ['led', 'own']);
  await postgres.start();
});

test('a request continues for the other instance when its own clients are gone, and ends with the last', async t => {
  const { one, two } = await openTwo(t);
  const run = createRun();
  const clients = [new AbortController(), new AbortController()] as const;
  const first = ask(one, run, { signal: clients[0].signal });
  await run.whenBegun();
  const second = ask(two, run, { signal: clients[1].signal });
  await ask(two, instantly('other'), { key: 'other' });
  clients[0].abort();
  await assert.rejects(first, { name: 'AbortError' });
  await one.look();
  const late = ask(one, run);
  await ask(one, instantly('third'), { key: 'third' });
  clients[1].abort();
  await assert.rejects(second, { name: 'AbortError' });
  run.finish('shared');
  assert.deepEqual([nameOf(await late), run.count], ['shared', 1]);
});

test('a closing instance hands over its requests', async t => {
  const { one, two } = await openTwo(t);
  const [led, taken] = [createRun(), createRun()];
  const first = ask(one, led);
  await led.whenBegun();
  const second = ask(two, taken);
  await ask(two, instantly('other'), { key: 'other' });
  await one.close();
  await taken.whenBegun();
  taken.finish('taken over');
  led.finish('late');
  assert.deepEqual([nameOf(await first), nameOf(await second)], ['late', 'taken over']);
  assert.equal(await storedName(two), 'taken over');
});

test('an expired result that another instance stored covers a failure of the analyser', async t => {
  let nowMs = Date.now();
  const { one, two } = await openTwo(t, { now: () => nowMs, staleMs: 600_000 });
  await ask(one, instantly('old'));
  nowMs += 60_000;
  const failure = new AnalysisError('psi_unavailable', 'It is down.');
  const covered = await ask(two, { produce: () => Promise.reject(failure) });
  assert.deepEqual([covered.status, nameOf(covered), covered.failure], ['stale', 'old', failure]);
});

test('locked tables are only waited for briefly', async t => {
  const { url, one } = await openTwo(t);
  const other = new Client({ connectionString: url });
  await other.connect();
  await other.query('BEGIN; LOCK TABLE rangelight_fleet.requests IN ACCESS EXCLUSIVE MODE');
  assert.equal(nameOf(await ask(one, instantly('alone'))), 'alone');
  await other.query('ROLLBACK');
  await other.end();
  await one.whenThere();
  assert.equal((await ask(one, instantly('b'), { key: 'b' })).status, 'miss');
});

test('a miss takes few statements', async t => {
  const { one, two } = await openTwo(t);
  const before = one.statements();
  await ask(one, instantly('first'));
  const after = one.statements();
  t.diagnostic(`a miss: ${after - before} statements, the transaction at its end being one`);
  assert.ok(after - before < 10);
  const found = two.statements();
  await storedName(two);
  t.diagnostic(`a hit in the database: ${two.statements() - found}`);
});
