/** The cache of instances on one database: clears, newer values, and an unavailable database. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Client } from 'pg';
import { AnalysisError } from '../../src/contract/errors.ts';
import { startOwnPostgres } from '../support/surroundings/own-postgres.ts';
import { until } from '../support/until.ts';
import { openInstances } from './open-shared.ts';
import { ask, createRun, instantly, nameOf, storedName } from './runs.ts';

const postgres = await startOwnPostgres({ after });
type Settings = Parameters<typeof openInstances>[3];

async function openTwo(scope: Parameters<typeof openInstances>[0], settings: Settings = {}) {
  const url = await postgres.createDatabase();
  const [one, two] = await openInstances(scope, url, 2, settings);
  assert.ok(one && two);
  return { url, one, two };
}

const namesInDatabase = (url: string) => postgres.query(url, 'SELECT name FROM rangelight.cached_values');
const untilStored = (url: string, count = 1) => until(async () => (await namesInDatabase(url)).length === count);

test('a value that one instance has stored is found by the other', async t => {
  const { url, one, two } = await openTwo(t);
  assert.equal((await ask(one, instantly('first'))).status, 'miss');
  await untilStored(url);
  const found = await ask(two, instantly('second'));
  assert.deepEqual([found.status, nameOf(found)], ['hit', 'first']);
});

test('a hundred equal requests to three instances are one call of each', async t => {
  const instances = await openInstances(t, await postgres.createDatabase(), 3);
  const run = createRun();
  const answers = instances.flatMap(instance => Array.from({ length: 34 }, () => ask(instance, run)));
  await run.whenBegun(3);
  run.finish('own');
  const results = await Promise.all(answers);
  assert.deepEqual([run.count, new Set(results.map(nameOf)).size], [3, 1]);
});

test('clearing empties all instances within a second, and returns the number of results', async t => {
  const { url, one, two } = await openTwo(t);
  for (const key of ['a', 'b', 'c']) await ask(one, instantly(key), { key });
  await untilStored(url, 3);
  for (const key of ['a', 'b']) assert.equal(await storedName(two, key), key);
  assert.equal(await two.cache.clear(), 3);
  await until(() => one.cache.status().entries === 0);
  assert.equal(await one.cache.clear(), 0);
  assert.deepEqual([await storedName(one, 'a'), await storedName(two, 'a')], [undefined, undefined]);
});

test('a value that one instance computes during a clear on another is stored neither in memory nor in the database', async t => {
  const { url, one, two } = await openTwo(t);
  const run = createRun();
  const answer = ask(two, run);
  await run.whenBegun();
  await one.cache.clear();
  run.finish('old');
  assert.equal(nameOf(await answer), 'old');
  await until(() => two.cache.status().entries === 0);
  // A write of the other instance would have happened before its next one.
  await ask(two, instantly('other'), { key: 'other' });
  await untilStored(url);
  assert.deepEqual(
    [await storedName(one), await storedName(two), await storedName(two, 'other')],
    [undefined, undefined, 'other'],
  );
});

test('a request after a clear joins no earlier one, and its result stays', async t => {
  const { url, one, two } = await openTwo(t);
  const [before, after] = [createRun(), createRun()];
  const early = ask(two, before);
  await before.whenBegun();
  await one.cache.clear();
  const late = ask(one, after);
  await after.whenBegun();
  after.finish('new');
  assert.equal((await late).status, 'miss');
  await untilStored(url);
  before.finish('old');
  assert.equal(nameOf(await early), 'old');
  await until(async () => (await storedName(two)) === 'new');
  assert.equal(await storedName(one), 'new');
});

test('a forced request on one instance replaces the value in the memory of the others', async t => {
  const { url, one, two } = await openTwo(t);
  await ask(one, instantly('old'));
  await untilStored(url);
  assert.equal(await storedName(two), 'old');
  // The next result needs a later timestamp, because the timestamp decides which is newer.
  const before = Date.now();
  while (Date.now() === before);
  await ask(one, instantly('new'), { fresh: true });
  await until(async () => (await storedName(two)) === 'new');
});

test('a value that expired in memory is not requested again if another instance has a newer one', async t => {
  let nowMs = Date.now();
  const { url, one, two } = await openTwo(t, { now: () => nowMs, staleMs: 600_000 });
  await ask(one, instantly('old'));
  await untilStored(url);
  assert.equal(await storedName(two), 'old');
  nowMs += 60_000;
  assert.equal((await ask(one, instantly('new'))).status, 'miss');
  await until(async () => (await storedName(two)) === 'new');
});

test('a value dated in the future by a clock that was ahead is not fresh for any instance', async t => {
  let nowMs = Date.now();
  const { url, one, two } = await openTwo(t, { now: () => nowMs, staleMs: 600_000 });
  await ask(one, instantly('ahead'));
  await untilStored(url);
  nowMs -= 120_000;
  assert.equal((await ask(two, instantly('now'))).status, 'miss');
});

test('an instance that removes an expired value leaves a newer one of another instance', async t => {
  let nowMs = Date.now();
  const { url, one, two } = await openTwo(t, { now: () => nowMs });
  await ask(one, instantly('old'));
  await untilStored(url);
  assert.equal(await storedName(two), 'old');
  nowMs += 60_000;
  await ask(one, instantly('new'));
  await until(async () => (await storedName(two)) === 'new');
  assert.equal((await namesInDatabase(url)).length, 1);
});

test('a hit in memory reads nothing from the database', async t => {
  const { one } = await openTwo(t);
  await ask(one, instantly('first'));
  const before = one.reads();
  for (let asked = 0; asked < 1000; asked += 1) assert.equal((await ask(one, createRun())).status, 'hit');
  assert.equal(one.reads(), before);
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
  let page = 0;
  await until(async () => {
    page += 1;
    await ask(one, instantly('again'), { key: `${page}` });
    return (await storedName(two, `${page}`)) === 'again';
  });
});

test('an instance that missed a clear empties its memory when the database is back', async t => {
  const { url, one, two } = await openTwo(t);
  await two.cache.clear();
  await ask(one, instantly('first'));
  await postgres.stop();
  await one.availability.beat();
  assert.equal((await ask(one, createRun())).status, 'hit');
  await postgres.start();
  await postgres.query(url, "UPDATE rangelight.store_state SET value = value + 1 WHERE name = 'cache_generation'");
  await postgres.query(url, 'DELETE FROM rangelight.cached_values');
  await until(async () => (await storedName(one)) === undefined);
});

test('an expired result that another instance stored covers a failure of the analyser', async t => {
  let nowMs = Date.now();
  const { url, one, two } = await openTwo(t, { now: () => nowMs, staleMs: 600_000 });
  await ask(one, instantly('old'));
  await untilStored(url);
  nowMs += 60_000;
  const failure = new AnalysisError('psi_unavailable', 'It is down.');
  const covered = await ask(two, { produce: () => Promise.reject(failure) });
  assert.deepEqual([covered.status, nameOf(covered), covered.failure], ['stale', 'old', failure]);
});

test('locked tables are only waited for briefly', async t => {
  const { url, one } = await openTwo(t);
  const other = new Client({ connectionString: url });
  await other.connect();
  await other.query('BEGIN; LOCK TABLE rangelight.cached_values IN ACCESS EXCLUSIVE MODE');
  assert.equal(nameOf(await ask(one, instantly('alone'))), 'alone');
  await other.query('ROLLBACK');
  await other.end();
  await one.whenThere();
  assert.equal((await ask(one, instantly('b'), { key: 'b' })).status, 'miss');
});
