/** RATE_LIMIT: one suite for one instance and for two that share a database. */
import assert from 'node:assert/strict';
import { after, type TestContext, test } from 'node:test';
import { AnalysisError } from '../../src/contract/errors.ts';
import { createRateLimit, type RateLimit } from '../../src/http/access/rate-limit.ts';
import { startOwnPostgres } from '../support/surroundings/own-postgres.ts';
import { openInstances } from './open-shared.ts';

const postgres = await startOwnPostgres({ after });
type Open = (t: TestContext, pagesPerMinute: number) => Promise<readonly [RateLimit, RateLimit]>;

/** Returns 0 if the pages are admitted, otherwise the seconds to wait. */
const askFor = (limit: RateLimit, pages: number, address = '192.0.2.1'): Promise<number> =>
  limit.take(address, pages).then(
    () => 0,
    error => (error instanceof AnalysisError && error.retryAfterSeconds) || Number.NaN,
  );

function testPages(kind: string, open: Open): void {
  test(`${kind}: pages count on any instance, and a rejected request costs nothing`, async t => {
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
    const [one, two] = await open(t, 10);
    assert.equal(await askFor(one, 7), 0);
    for (let count = 0; count < 10; count += 1) assert.equal(await askFor(two, 4), 60);
    assert.equal(await askFor(two, 3), 0);
    assert.equal(await askFor(one, 1), 60);
    assert.equal(await askFor(one, 10, '192.0.2.2'), 0, 'another client');
    t.mock.timers.tick(60_000);
    assert.equal(await askFor(two, 10), 0);
  });

  test(`${kind}: a debt is repaid at the rate of the limit`, async t => {
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
    const [one, two] = await open(t, 60);
    assert.equal(await askFor(one, 100), 0);
    assert.equal(await askFor(two, 1), 100);
    t.mock.timers.tick(99_999);
    assert.equal(await askFor(two, 1), 1);
    t.mock.timers.tick(1);
    assert.equal(await askFor(two, 100), 0);
  });

  test(`${kind}: refunded pages can be requested immediately, on any instance`, async t => {
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
    const [one, two] = await open(t, 10);
    const address = '192.0.2.1';
    for (let time = 0; time < 3; time += 1) {
      assert.equal(await askFor(one, 100), 0);
      assert.equal(await askFor(two, 1), 600);
      await one.giveBack(address, 100);
    }
    assert.equal(await askFor(two, 100), 0);
    // The rest of a partly refused batch counts as if it was requested in a usual minute.
    await two.giveBack(address, 94);
    assert.equal(await askFor(one, 4), 0);
    assert.equal(await askFor(one, 1), 60);
    t.mock.timers.tick(60_000);
    assert.equal(await askFor(two, 10), 0);
  });

  test(`${kind}: of two large concurrent batches, only one uses the unused minute`, async t => {
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() });
    const [one, two] = await open(t, 10);
    const asked = await Promise.all([askFor(one, 100), askFor(two, 100)]);
    assert.deepEqual(
      asked.toSorted((a, b) => a - b),
      [0, 600],
    );
  });
}

testPages('one instance', async (_t, pages) => {
  const limit = createRateLimit(pages);
  return [limit, limit];
});

const openTwo = async (t: TestContext, pages: number) => {
  const [one, two] = await openInstances(t, await postgres.createDatabase(), 2);
  assert.ok(one && two);
  const create = ({ createPageLimiter }: typeof one) => createRateLimit(pages, createPageLimiter(pages));
  return { instances: [one, two] as const, limits: [create(one), create(two)] as const };
};

testPages('two instances', async (t, pages) => (await openTwo(t, pages)).limits);

test('while the database is down each instance counts on its own, and together again afterwards', async t => {
  const { instances, limits } = await openTwo(t, 2);
  const [one, two] = limits;
  assert.equal(await askFor(one, 2), 0);
  await postgres.stop();
  assert.equal(await askFor(one, 2), 0);
  assert.ok((await askFor(one, 1)) > 0);
  assert.equal(await askFor(two, 2), 0);
  await postgres.start();
  await Promise.all(instances.map(instance => instance.whenThere()));
  assert.ok((await askFor(two, 1)) > 0, 'what was counted before is known still');
});
