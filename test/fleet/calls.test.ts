import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { freeSlots, noteStart, prepareCalls, takeSlot } from '../../src/fleet/shared/call-rows.ts';
import { startOwnPostgres } from '../support/surroundings/own-postgres.ts';
import { inTime } from '../support/until.ts';
import { countArrived, createClients, strict, testBackOff, testCalls } from './call-suite.ts';
import { openFleetDatabase } from './fleet.ts';
import { openInstances } from './open-shared.ts';

const postgres = await startOwnPostgres({ after });

const openOne = async () => {
  const caller = { limits: undefined };
  return [caller, caller] as const;
};
testCalls('one instance', openOne);
testBackOff(openOne);

async function openTwo(scope: Parameters<typeof openInstances>[0]) {
  const url = await postgres.createDatabase();
  const [one, two] = await openInstances(scope, url, 2);
  assert.ok(one && two);
  return { url, callers: [one, two] as const };
}

testCalls('two instances', async scope => (await openTwo(scope)).callers);

test('the slots of an instance that died are free when its lease ends', async t => {
  const { url, callers } = await openTwo(t);
  const { fake, analyse } = await createClients(t, callers, { concurrency: 1 });
  await analyse(0, 'first');
  const hourMs = 3_600_000;
  const leaseUntil = (time: number) =>
    postgres.query(url, `UPDATE rangelight_fleet.call_slots SET holder = 'dead', expires_at = ${time}`);
  await leaseUntil(Date.now() + hourMs);
  const second = analyse(1, 'second');
  assert.equal(await countArrived(fake, callers), 1, 'it waits for the slot');
  await leaseUntil(Date.now() - hourMs);
  await inTime(second);
});

test("calls continue with each instance's own limits while the database is down", async t => {
  const { callers } = await openTwo(t);
  const { fake, analyse } = await createClients(t, callers, { concurrency: 2, ratePerMinute: 100 });
  await analyse(0, 'before');
  const release = fake.hold();
  const held = analyse(0, 'held');
  await fake.calls.waitFor(2);
  await postgres.stop();
  release();
  await held;
  await Promise.all([analyse(0, 'a'), analyse(1, 'b'), analyse(0, 'c')]);
  await postgres.start();
  await Promise.all(callers.map(caller => caller.whenThere()));
  await analyse(1, 'after');
  assert.equal(fake.calls.all.length, 6);
});

test('each instance backs off on its own', async t => {
  const { callers } = await openTwo(t);
  const { fake, analyse, clients } = await createClients(t, callers, { patience: strict });
  fake.answerWith(() => undefined);
  await assert.rejects(analyse(0, 'a'));
  assert.deepEqual(
    clients.map(client => client.state().state),
    ['down', 'ok'],
  );
  await assert.rejects(analyse(1, 'b'));
  assert.equal(fake.calls.all.length, 6);
  assert.equal(clients[1].state().state, 'down');
});

test('of many concurrent calls, as many are admitted as there are slots and as the minute allows', async t => {
  const url = await postgres.createDatabase();
  const databases = [openFleetDatabase({ url }), openFleetDatabase({ url })] as const;
  t.after(() => Promise.all(databases.map(database => database.close())));
  await prepareCalls(databases[0], 'google', 3);
  const many = Array.from({ length: 20 }, (_, index) => databases[index % 2] ?? databases[0]);
  const taken = await Promise.all(
    many.map((database, index) => takeSlot(database, { name: 'google', slots: 3, holder: `${index}` })),
  );
  assert.equal(taken.filter(Boolean).length, 3);
  await freeSlots(
    databases[1],
    many.map((_, index) => `${index}`),
  );
  assert.equal(await takeSlot(databases[1], { name: 'google', slots: 3, holder: 'next' }), true);

  const waits = await Promise.all(many.map(database => noteStart(database, 'google', 5)));
  assert.equal(waits.filter(ms => ms === 0).length, 5);
  assert.ok(
    waits.every(ms => ms >= 0 && ms <= 60_000),
    waits.join(),
  );
  await postgres.query(url, 'UPDATE rangelight_fleet.call_starts SET starts[1] = starts[1] - 60000');
  assert.equal(await noteStart(databases[0], 'google', 5), 0);
  assert.ok((await noteStart(databases[1], 'google', 5)) > 0);
});
