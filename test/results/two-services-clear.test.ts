/** Two services on one data folder: clearing the cache of one clears it for the other. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import type { Result } from '../../src/contract/result/result.ts';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { type StartedService, startService } from '../support/start-service.ts';
import { readUntil, until } from '../support/until.ts';

async function startTwo(t: TestContext) {
  const fake = await startFakePsi(t);
  const settings = { DATA_DIR: makeScratchFolder(t), PSI_ENDPOINT: fake.endpoint };
  return { fake, settings, one: await startService(t, settings), two: await startService(t, settings) };
}

const measure = async (service: StartedService) => {
  const query = { url: 'https://example.com/', strategy: 'mobile' };
  return (await ask<Result>(service, withQuery('/psi', query))).body.cache?.status;
};
const clear = async (service: StartedService) =>
  (await ask<{ cleared: number }>(service, '/cache/clear', { method: 'POST' })).body.cleared;
const countIn = async (service: StartedService) =>
  (await ask<{ cache: { entries: number } }>(service, '/health')).body.cache.entries;

test('a clear on one service empties the memory of the other', async t => {
  const { settings, one, two } = await startTwo(t);
  const database = new DatabaseSync(join(settings.DATA_DIR, 'results.sqlite'), { readOnly: true, timeout: 10_000 });
  t.after(() => database.close());
  // The answer comes before its result is written to the folder's cache.
  const isWritten = () => until(() => database.prepare('SELECT name FROM cached_values').all().length === 1);
  assert.equal(await measure(one), 'miss');
  await isWritten();
  assert.equal(await measure(two), 'hit');
  assert.equal(await clear(one), 1);
  await readUntil(
    () => countIn(two),
    count => count === 0,
  );
  assert.equal(await measure(two), 'miss');
  await isWritten();
  assert.equal(await measure(one), 'hit', 'what is measured after the clear is shared again');
});

test('a measurement that started before a clear on another service is not stored', async t => {
  const { fake, settings, one, two } = await startTwo(t);
  const release = fake.hold();
  const asked = measure(two);
  await fake.calls.waitFor(1);
  await clear(one);
  release();
  assert.equal(await asked, 'miss');
  await readUntil(
    () => countIn(two),
    count => count === 0,
  );
  const later = await startService(t, settings);
  assert.equal(await measure(later), 'miss');
  assert.equal(fake.calls.all.length, 2);
});
