import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createAvailability, DatabaseAwayError } from './availability.ts';
import { StoreFaultError } from './fault.ts';

const away = () => Promise.reject(new StoreFaultError('unavailable', 'It is away.'));
const fine = async () => 7;
const never = () => new Promise<never>(() => {});

function open(t: TestContext, waitMs?: number) {
  let probe: () => Promise<unknown> = fine;
  let probes = 0;
  const availability = createAvailability(() => {
    probes += 1;
    return probe();
  }, waitMs);
  t.after(() => availability.close());
  const changes: boolean[] = [];
  availability.onChange(isThere => changes.push(isThere));
  return {
    availability,
    changes,
    probes: () => probes,
    probeWith: (next: () => Promise<unknown>) => {
      probe = next;
    },
  };
}

test('after a failed query the database is probed, and nothing is sent until a probe succeeds', async t => {
  const { availability, changes, probeWith } = open(t);
  assert.equal(await availability.ask(fine), 7);
  probeWith(away);
  await assert.rejects(availability.ask(away), DatabaseAwayError);
  await availability.beat();
  assert.equal(availability.isThere, false);
  await assert.rejects(
    availability.ask(() => assert.fail('asked')),
    DatabaseAwayError,
  );
  probeWith(fine);
  await availability.beat();
  assert.equal(await availability.ask(fine), 7);
  assert.deepEqual(changes, [false, true]);
});

test('one rejected statement or one broken connection does not make the database unavailable', async t => {
  const { availability, changes, probes } = open(t);
  const locked = () => Promise.reject(new StoreFaultError('locked', 'Locked.'));
  await assert.rejects(availability.ask(locked), DatabaseAwayError);
  assert.equal(probes(), 0);
  await assert.rejects(availability.ask(away), DatabaseAwayError);
  assert.deepEqual([probes(), availability.isThere, changes], [1, true, []]);
});

test('a probe detects silence while a query waits, which fails after its time limit', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { availability, probes, probeWith } = open(t, 2000);
  probeWith(never);
  const asked = assert.rejects(availability.ask(never), DatabaseAwayError);
  t.mock.timers.tick(500);
  assert.equal(probes(), 1);
  t.mock.timers.tick(1500);
  assert.equal(availability.isThere, true);
  t.mock.timers.tick(100);
  await asked;
  t.mock.timers.tick(500);
  t.mock.timers.tick(100);
  await new Promise(setImmediate);
  assert.equal(availability.isThere, false);
});

test('tasks run at each heartbeat, and a waiting task delays no other', async t => {
  const { availability, probeWith } = open(t);
  let runs = 0;
  availability.onBeat(async () => {
    runs += 1;
  });
  const stop = availability.onBeat(() => Promise.reject(new Error('a defect')));
  await availability.beat();
  const before = runs;
  assert.ok(before > 0);
  stop();
  probeWith(away);
  await availability.beat();
  assert.equal(runs, before, 'no task while the database is away');
});
