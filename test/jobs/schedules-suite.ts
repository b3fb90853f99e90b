/** Schedules over every database, with a clock of the test. */
import assert from 'node:assert/strict';
import type { ScheduleOrder } from '../../src/jobs/schedules/schedules.ts';
import { type Instance, lookUntil, lookUntilSo } from './instance.ts';
import { request, type WithInstances } from './orders.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

const hourly: ScheduleOrder = {
  client: 'a',
  request,
  urls: ['https://example.com/'],
  rhythm: { interval: 'PT1H' },
  callback: null,
  callbackWhen: 'always',
};

const countOf = async ({ jobs }: Instance) => (await jobs.list('a', { limit: 1000 })).length;

/** Ends measurements until all jobs have ended. */
async function endAll(instance: Instance): Promise<void> {
  for (const { job } of await instance.jobs.list('a', { limit: 1000 })) {
    for (const { end } of instance.measuring.all) end();
    await lookUntil(instance, job.id, 'succeeded');
  }
}

export function testSchedules(withInstances: WithInstances): void {
  withInstances(
    'a schedule starts immediately, runs on time, and only one of several instances creates each job',
    3,
    async (instances, clock) => {
      const [first] = instances as [Instance];
      await first.jobs.schedules.add(hourly);
      for (let run = 1; run <= 3; run += 1) {
        await Promise.all(instances.map(instance => instance.look()));
        assert.equal(await countOf(first), run);
        for (const instance of instances) for (const { end } of instance.measuring.all) end();
        await lookUntil(first, (await first.jobs.list('a', { limit: 1 }))[0]?.job.id ?? '', 'succeeded');
        clock.nowMs += hourMs;
      }
    },
    { endsAtOnce: true, takeOverMs: 60_000 },
  );

  withInstances('missed runs are caught up once', 1, async (instances, clock) => {
    const [only] = instances as [Instance];
    const { id } = await only.jobs.schedules.add(hourly);
    await only.look();
    await only.measuring.waitFor(1);
    await endAll(only);
    clock.nowMs += 30 * hourMs + 5 * minuteMs;
    await only.look();
    await only.measuring.waitFor(2);
    await endAll(only);
    await only.look();
    assert.equal(await countOf(only), 2);
    const { nextAtMs, lastAtMs } = (await only.jobs.schedules.read(id)) ?? assert.fail();
    assert.deepEqual([lastAtMs, nextAtMs], [clock.nowMs, clock.nowMs + 55 * minuteMs]);
  });

  withInstances('a run that takes longer is followed by one after it has ended', 1, async (instances, clock) => {
    const [only] = instances as [Instance];
    await only.jobs.schedules.add(hourly);
    await only.look();
    await only.measuring.waitFor(1);
    for (let hour = 0; hour < 3; hour += 1) {
      clock.nowMs += hourMs;
      await only.look();
    }
    assert.equal(await countOf(only), 1);
    await endAll(only);
    await only.look();
    await only.measuring.waitFor(2);
    assert.equal(await countOf(only), 2);
  });

  withInstances('runs missed during a pause are not caught up', 1, async (instances, clock) => {
    const [only] = instances as [Instance];
    const { id } = await only.jobs.schedules.add({
      ...hourly,
      rhythm: { cron: '0 3 * * *', timezone: 'Europe/Berlin' },
    });
    await only.jobs.schedules.pause(id, true);
    clock.nowMs += 48 * hourMs;
    await only.look();
    const going = (await only.jobs.schedules.pause(id, false)) ?? assert.fail();
    await only.look();
    assert.equal(await countOf(only), 0);
    // 3 o'clock in Berlin, in winter time.
    assert.equal(new Date(going.nextAtMs ?? 0).toISOString(), '2026-11-25T02:00:00.000Z');
    clock.nowMs = going.nextAtMs ?? 0;
    await only.look();
    await only.measuring.waitFor(1);
    assert.equal(await countOf(only), 1);
    assert.equal(await only.jobs.schedules.remove(id), true);
    assert.equal(await only.jobs.schedules.remove(id), false);
  });

  withInstances(
    'the last run is retained as long as the next one may be compared with it',
    1,
    async (instances, clock) => {
      const [only] = instances as [Instance];
      const { id } = await only.jobs.schedules.add({ ...hourly, rhythm: { interval: 'P7D' } });
      await only.look();
      await only.measuring.waitFor(1);
      await endAll(only);
      const previous = (await only.jobs.schedules.read(id))?.previousJobId ?? '';
      clock.nowMs += 72 * hourMs;
      await only.look();
      assert.ok(await only.jobs.read(previous));
      await only.jobs.schedules.remove(id);
      clock.nowMs += hourMs;
      // The sweep removes it in the background.
      await lookUntil(only, previous, undefined);
    },
  );

  withInstances('a schedule never waits beyond its own next time', 1, async (instances, clock) => {
    const [only] = instances as [Instance];
    const rhythms = [hourly.rhythm, { interval: 'P7D' }, { cron: '0 9 * * *', timezone: 'Europe/Berlin' }];
    const schedules = await Promise.all(rhythms.map(rhythm => only.jobs.schedules.add({ ...hourly, rhythm })));
    await only.look();
    const nextTimes = () =>
      Promise.all(schedules.map(async ({ id }) => (await only.jobs.schedules.read(id))?.nextAtMs ?? 0));
    const times = await nextTimes();
    for (const days of [1, 365]) {
      // As if a process with a clock that is ahead had written them.
      const sql = 'UPDATE schedules SET next_at = next_at + ?';
      await only.database.write([{ sql, values: [days * 24 * hourMs] }]);
      clock.nowMs += minuteMs;
      await only.look();
      assert.deepEqual(await nextTimes(), times);
    }
    // The clock itself was ahead, and is corrected.
    clock.nowMs -= 40 * 24 * hourMs;
    await only.look();
    const longestMs = [hourMs, 7 * 24 * hourMs, 24 * hourMs];
    for (const [at, nextAtMs] of (await nextTimes()).entries()) {
      const waitMs = nextAtMs - clock.nowMs;
      assert.ok(waitMs > 0 && waitMs <= (longestMs[at] ?? 0), JSON.stringify([rhythms[at], waitMs]));
    }
  });

  withInstances(
    'a schedule without a time, or created by a clock that was ahead, gets one',
    1,
    async (instances, clock) => {
      const [only, database] = [instances[0] as Instance, (instances[0] as Instance).database];
      clock.nowMs += 100 * 24 * hourMs;
      const ahead = await only.jobs.schedules.add(hourly);
      const none = await only.jobs.schedules.add({ ...hourly, rhythm: { cron: '0 9 * * *', timezone: 'UTC' } });
      await database.write([{ sql: 'UPDATE schedules SET next_at = NULL WHERE id = ?', values: [none.id] }]);
      clock.nowMs -= 100 * 24 * hourMs;
      await only.look();
      for (const [id, longestMs] of [
        [ahead.id, hourMs],
        [none.id, 24 * hourMs],
      ] as const) {
        const { nextAtMs } = (await only.jobs.schedules.read(id)) ?? assert.fail();
        assert.ok(nextAtMs !== null && nextAtMs > clock.nowMs && nextAtMs <= clock.nowMs + longestMs, String(nextAtMs));
      }
    },
  );

  withInstances('a job that ended by a clock that was ahead is removed a day from now', 1, async (instances, clock) => {
    const [only] = instances as [Instance];
    clock.nowMs += 100 * 24 * hourMs;
    const { job } = await only.jobs.submit({
      client: 'a',
      request,
      callback: null,
      pages: [{ url: 'https://example.com/', error: null }],
    });
    await only.look();
    await only.measuring.waitFor(1);
    await endAll(only);
    clock.nowMs -= 100 * 24 * hourMs;
    await only.look();
    assert.ok(await only.jobs.read(job.id));
    // The sweep runs in the background.
    await lookUntilSo(only, async () => ((await only.jobs.read(job.id))?.job.endedAtMs ?? 0) <= clock.nowMs);
    clock.nowMs += 25 * hourMs;
    await lookUntil(only, job.id, undefined);
  });
}
