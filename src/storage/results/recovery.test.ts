import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createOwnSchedule } from '../../../test/support/surroundings/own-schedule.ts';
import { StoreFaultError } from '../database/fault.ts';
import type { StoreEvent } from './fault.ts';
import { createRecovery } from './recovery.ts';

const locked = new StoreFaultError('locked', 'Another process has locked the database.');
const full = new StoreFaultError('disk_full', 'The disk has no room left.');

function createOwnRecovery(retry: (recovery: ReturnType<typeof createRecovery>) => void) {
  const { schedule, pauses, runNext } = createOwnSchedule();
  const events: StoreEvent[] = [];
  const recovery = createRecovery({
    now: () => 5,
    schedule,
    onEvent: event => events.push(event),
    retry: () => retry(recovery),
  });
  return { recovery, pauses, runNext, events };
}

test('the pauses double up to a minute, and one fault is logged once', async () => {
  const { recovery, pauses, runNext, events } = createOwnRecovery(one => one.report(locked));
  recovery.report(locked);
  recovery.report(locked);
  for (let count = 0; count < 8; count += 1) await runNext();
  assert.deepEqual(pauses, [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  assert.deepEqual(events, [{ event: 'fault', fault: { code: 'locked', message: locked.message, atMs: 5 } }]);
});

test('a success ends the fault, and the next one starts with a short pause', async () => {
  const { recovery, pauses, runNext, events } = createOwnRecovery(one => one.succeeded());
  recovery.report(locked);
  await runNext();
  assert.equal(recovery.current, undefined);
  assert.equal(recovery.last?.code, 'locked');
  recovery.report(full);
  assert.deepEqual(pauses, [1000, 1000]);
  assert.deepEqual(
    events.map(({ event }) => event),
    ['fault', 'recovered', 'fault'],
  );
});

test('another fault that replaces the first is logged, too', () => {
  const { recovery, events } = createOwnRecovery(() => {});
  recovery.report(locked);
  recovery.report(full);
  assert.deepEqual([recovery.current?.code, events.length], ['disk_full', 2]);
});

test('an invalid entry is not a fault of the database', () => {
  const { recovery, pauses, events } = createOwnRecovery(() => {});
  recovery.report(new StoreFaultError('not_acceptable', 'A constraint failed.'));
  assert.deepEqual([recovery.current, pauses, events], [undefined, [], []]);
});

test('there is no retry after closing', () => {
  const { recovery, pauses } = createOwnRecovery(() => assert.fail('it is closed'));
  recovery.report(locked);
  recovery.close();
  recovery.report(full);
  assert.equal(pauses.length, 1);
});
