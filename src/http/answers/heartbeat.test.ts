import assert from 'node:assert/strict';
import { test } from 'node:test';
import { heartbeatMs, withHeartbeats } from './heartbeat.ts';

test('a heartbeat is sent for every 15 s without a part, and none earlier', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { promise: part, resolve } = Promise.withResolvers<string>();
  async function* toParts() {
    yield await part;
    yield 'end';
  }
  const parts = withHeartbeats(toParts());
  const taken: string[] = [];
  const take = async () => {
    const { done, value } = await parts.next();
    if (!done) taken.push(String(value));
  };
  assert.equal(heartbeatMs, 15_000);
  for (let count = 1; count <= 3; count += 1) {
    const next = take();
    t.mock.timers.tick(heartbeatMs - 1);
    await new Promise(setImmediate);
    assert.equal(taken.length, count - 1);
    t.mock.timers.tick(1);
    await next;
  }
  resolve('begin');
  await take();
  await take();
  await take();
  assert.deepEqual(taken, [' ', ' ', ' ', 'begin', 'end']);
});

test('an error of the parts is passed on, and a reader that stops ends them', async () => {
  let isEnded = false;
  async function* toParts() {
    try {
      yield 'begin';
      throw new RangeError('broken');
    } finally {
      isEnded = true;
    }
  }
  const broken = withHeartbeats(toParts());
  assert.equal((await broken.next()).value, 'begin');
  await assert.rejects(broken.next(), RangeError);
  isEnded = false;
  for await (const part of withHeartbeats(toParts())) {
    assert.equal(part, 'begin');
    break;
  }
  assert.ok(isEnded);
});
