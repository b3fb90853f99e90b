import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { AnalysisError } from '../../contract/errors.ts';
import { createRateLimit, toClient } from './rate-limit.ts';

const setClock = (t: TestContext) => t.mock.timers.enable({ apis: ['Date', 'setTimeout'], now: 1_000_000 });

/** Returns 0 if the request is admitted, otherwise its `Retry-After` in seconds. */
const askFor = async (limit: ReturnType<typeof createRateLimit>, pages: number, address = '192.0.2.1') => {
  try {
    await limit.take(address, pages);
    return 0;
  } catch (error) {
    assert.ok(error instanceof AnalysisError && error.code === 'rate_limited');
    return error.retryAfterSeconds;
  }
};

test('a client is accepted once Retry-After has passed, and not a millisecond earlier', async t => {
  setClock(t);
  const limit = createRateLimit(2);
  assert.deepEqual([await askFor(limit, 1), await askFor(limit, 1)], [0, 0]);
  t.mock.timers.tick(18_500);
  assert.equal(await askFor(limit, 1), 42, 'the 41.5 s that are left, as whole seconds');
  t.mock.timers.tick(41_499);
  assert.equal(await askFor(limit, 1), 1);
  t.mock.timers.tick(1);
  assert.equal(await askFor(limit, 2), 0);
});

test('rejected requests cost nothing and do not delay the next minute', async t => {
  setClock(t);
  const limit = createRateLimit(10);
  assert.equal(await askFor(limit, 7), 0);
  for (let count = 0; count < 50; count++) assert.equal(await askFor(limit, 4), 60);
  assert.equal(await askFor(limit, 3), 0);
  t.mock.timers.tick(60_000);
  assert.equal(await askFor(limit, 10), 0);
});

test('a debt is repaid at the rate of the limit', async t => {
  setClock(t);
  const limit = createRateLimit(60);
  assert.equal(await askFor(limit, 100), 0);
  assert.equal(await askFor(limit, 1), 100);
  t.mock.timers.tick(99_999);
  assert.equal(await askFor(limit, 1), 1);
  t.mock.timers.tick(1);
  assert.equal(await askFor(limit, 100), 0);
});

test('what belongs to the first request of a period is accepted, and repaid like it', async t => {
  setClock(t);
  const limit = createRateLimit(60);
  const isFirst = await limit.take('192.0.2.1', 1);
  assert.equal(isFirst, true);
  assert.equal(await limit.take('192.0.2.1', 119, isFirst), true);
  assert.equal(await askFor(limit, 1), 120);
  t.mock.timers.tick(120_000);
  assert.equal(await askFor(limit, 1), 0);
});

test('of two large concurrent batches, only one uses the unused minute', async t => {
  setClock(t);
  const limit = createRateLimit(10);
  assert.deepEqual(await Promise.all([askFor(limit, 100), askFor(limit, 100)]), [0, 600]);
});

test('a clock that is set back or forward makes no client wait longer than a minute', async t => {
  t.mock.timers.enable({ apis: ['Date'], now: 10_000_000 });
  const limit = createRateLimit(1);
  assert.equal(await askFor(limit, 1), 0);
  t.mock.timers.setTime(10_000_000 - 3_600_000);
  assert.equal(await askFor(limit, 1), 60);
  t.mock.timers.setTime(10_000_000 + 3_600_000);
  assert.equal(await askFor(limit, 1), 0);
});

test('each client has its own minute, and without a limit nothing is rejected', async t => {
  setClock(t);
  const limit = createRateLimit(1);
  for (const address of ['192.0.2.1', '192.0.2.2', '2001:db8::1', '2001:db8:0:1::1'])
    assert.deepEqual([await askFor(limit, 1, address), await askFor(limit, 1, address)], [0, 60], address);
  const none = createRateLimit(0);
  for (let count = 0; count < 100; count++) assert.equal(await askFor(none, 1000), 0);
});

test('the number of remembered clients is bounded: the least recently seen one is forgotten', async t => {
  setClock(t);
  const limit = createRateLimit(1, undefined, 3);
  for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) await askFor(limit, 1, address);
  assert.equal(await askFor(limit, 1, '192.0.2.1'), 60, 'seen again');
  await askFor(limit, 1, '192.0.2.4');
  assert.equal(await askFor(limit, 1, '192.0.2.1'), 60);
  assert.equal(await askFor(limit, 1, '192.0.2.2'), 0);
});

test('a client is an IPv4 address in any spelling, or a /64 of IPv6', () => {
  const rows: readonly (readonly [string, string])[] = [
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::ffff:c000:201', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::', '2001:db8:1:2::/64'],
    ['::1', '::/64'],
    ['nonsense', 'nonsense'],
    ['x'.repeat(5000), 'x'.repeat(100)],
  ];
  for (const [address, client] of rows) assert.equal(toClient(address), client, address);
});

test('refunded pages cause no wait, however many there were', async t => {
  setClock(t);
  const limit = createRateLimit(60);
  assert.equal(await askFor(limit, 10_000), 0);
  await limit.giveBack('192.0.2.1', 10_000);
  assert.deepEqual([await askFor(limit, 60), await askFor(limit, 1)], [0, 60]);
});

test('after a refund, Retry-After is computed for the rest', async t => {
  setClock(t);
  const limit = createRateLimit(60);
  assert.equal(await askFor(limit, 10_000), 0);
  await limit.giveBack('192.0.2.1', 9_880);
  assert.equal(await askFor(limit, 1), 120);
  t.mock.timers.tick(120_000);
  assert.equal(await askFor(limit, 1), 0);
});
