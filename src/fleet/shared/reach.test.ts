import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoreFaultError } from '../../results/fault.ts';
import { createReach, DatabaseAwayError } from './reach.ts';

const away = () => Promise.reject(new StoreFaultError('unavailable', 'It is away.'));
const fine = async () => 7;
const never = () => new Promise<never>(() => {});

test('a failed probe makes it away, and then nothing is asked until a probe succeeds', async () => {
  const reach = createReach();
  const changes: boolean[] = [];
  reach.onChange(isThere => changes.push(isThere));
  assert.equal(await reach.ask(fine), 7);
  await assert.rejects(reach.probe(away), DatabaseAwayError);
  await assert.rejects(
    reach.ask(() => assert.fail('asked')),
    DatabaseAwayError,
  );
  assert.equal(await reach.probe(fine), 7);
  assert.equal(await reach.ask(fine), 7);
  assert.deepEqual(changes, [false, true]);
});

test('a question that fails casts a doubt, and one refused statement does not', async () => {
  const reach = createReach();
  let doubts = 0;
  reach.onDoubt(() => {
    doubts += 1;
  });
  await assert.rejects(
    reach.ask(() => Promise.reject(new StoreFaultError('locked', 'Locked.'))),
    DatabaseAwayError,
  );
  assert.deepEqual([doubts, reach.isThere], [0, true]);
  await assert.rejects(reach.ask(away), DatabaseAwayError);
  assert.deepEqual([doubts, reach.isThere], [1, true]);
});

test('silence is a failure after its time', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const reach = createReach(2000);
  const asked = assert.rejects(reach.probe(never), DatabaseAwayError);
  t.mock.timers.tick(2000);
  assert.equal(reach.isThere, true);
  t.mock.timers.tick(100);
  await asked;
  assert.equal(reach.isThere, false);
});
