/** Which jobs an instance takes if instances with other rules or other keys share its database. */

import assert from 'node:assert/strict';
import { completeOptions } from '../../src/contract/measuring-options.ts';
import type { Idempotency, JobRequest } from '../../src/jobs/job.ts';
import { type Takes, toPublished } from '../../src/jobs/job-policy.ts';
import type { NewOrder } from '../../src/jobs/jobs.ts';
import { listDueDeliveries } from '../../src/jobs/statements.ts';
import { type Instance, lookUntil, lookUntilSo } from './instance.ts';
import { orderOf, request, type WithInstances } from './orders.ts';

const page = 'https://example.com/';
const callback = 'http://127.0.0.1/told';
const minuteMs = 60_000;

const takesOf = (takes: Partial<Takes>): Takes => ({
  targets: 'any',
  analyser: 'embedded',
  clients: null,
  audits: true,
  ...takes,
});
const takesEach =
  (...all: readonly Partial<Takes>[]) =>
  (index: number) => ({ takes: takesOf(all[index] ?? {}), callbackKey: new Uint8Array(32) });

const stateOf = async ({ jobs }: Instance, id: string) => (await jobs.read(id))?.job.state;
const reasonOf = async ({ jobs }: Instance, id: string) => (await jobs.read(id))?.reason;
const scheduleOf = (client = 'a') => ({
  client,
  request,
  urls: [page],
  rhythm: { interval: 'PT1H' },
  callback: null,
  callbackWhen: 'always' as const,
});

async function end(instance: Instance, id: string): Promise<void> {
  await instance.look();
  for (const { end: endPage } of await instance.measuring.waitFor(instance.measuring.all.length || 1)) endPage();
  await lookUntil(instance, id, 'succeeded');
}

export function testBorders(withInstances: WithInstances): void {
  withInstances(
    'a job, its schedule and its callback stay with instances that have the same TARGETS',
    3,
    async ([publicOne, inside, sameAgain], clock) => {
      assert.ok(publicOne && inside && sameAgain);
      const { job } = await publicOne.jobs.submit({ ...orderOf(page), callback });
      const schedule = await publicOne.jobs.schedules.add(scheduleOf());
      for (let look = 0; look < 3; look += 1) await inside.look();
      assert.equal(inside.measuring.all.length, 0);
      assert.equal((await inside.jobs.schedules.read(schedule.id))?.lastJobId, null);
      await end(sameAgain, job.id);
      const due = async ({ database }: Instance, targets: string) =>
        (
          await listDueDeliveries(
            database,
            toPublished(takesOf({ targets })),
            { nowMs: clock.nowMs, mostWaitMs: 1e12 },
            10,
          )
        ).length;
      assert.deepEqual([await due(inside, 'any'), await due(inside, 'public')], [0, 1]);
      await inside.look();
      assert.equal((await inside.jobs.read(job.id))?.delivery?.tries, 0);
    },
    // Only the second instance can sign.
    index => ({
      ...takesEach({ targets: 'public' }, { targets: 'any' }, { targets: 'public' })(index),
      ...(index === 1 ? {} : { callbackKey: undefined }),
    }),
  );

  withInstances(
    'a job for the PSI server stays with that server, and a local one does not',
    2,
    async ([own, google]) => {
      assert.ok(own && google);
      const remote = await own.jobs.submit(orderOf(page));
      const local: JobRequest = { kind: 'lighthouse', ...completeOptions('page', { profile: 'psi' }) };
      const { job } = await own.jobs.submit({ ...orderOf(page), request: local });
      await end(google, job.id);
      assert.equal(await stateOf(google, remote.job.id), 'queued');
    },
    takesEach({}, { analyser: 'google' }),
  );

  withInstances(
    'a job that no running instance can take is counted with a reason, until such an instance starts',
    3,
    async ([gone, other, back], clock) => {
      assert.ok(gone && other && back);
      const { job } = await gone.jobs.submit(orderOf(page));
      await other.look();
      assert.match((await reasonOf(other, job.id)) ?? '', /TARGETS/);
      assert.deepEqual([other.jobs.backlog().jobs, other.jobs.backlog().stalled], [1, 1]);
      await back.look();
      await other.look();
      assert.equal(await reasonOf(other, job.id), null);
      assert.equal(other.jobs.backlog().stalled, 0);
      // After its death an instance is soon no longer counted.
      back.die();
      clock.nowMs += 10 * minuteMs;
      await other.look();
      assert.equal(other.jobs.backlog().stalled, 1);
    },
    takesEach({ targets: 'public' }, { targets: 'any' }, { targets: 'public' }),
  );

  withInstances(
    'a job accepted by an earlier version continues, but not with internal targets of a store shared with a public service',
    3,
    async ([inside, publicOne, insideAgain], clock) => {
      assert.ok(inside && publicOne && insideAgain);
      const ask = async () => {
        const { job } = await inside.jobs.submit({ ...orderOf(page), callback });
        const schedule = await inside.jobs.schedules.add({
          ...scheduleOf(),
          rhythm: { cron: '0 0 1 1 *', timezone: 'UTC' },
        });
        for (const table of ['jobs', 'schedules'])
          await inside.database.write([{ sql: `UPDATE ${table} SET policy = NULL`, values: [] }]);
        return { job, schedule };
      };
      await end(inside, (await ask()).job.id);
      const { job, schedule } = await ask();
      await publicOne.look();
      publicOne.die();
      clock.nowMs += 10 * minuteMs;
      for (let look = 0; look < 3; look += 1) await insideAgain.look();
      assert.equal(insideAgain.measuring.all.length, 0);
      assert.match((await reasonOf(insideAgain, job.id)) ?? '', /earlier version/);
      assert.equal(insideAgain.jobs.backlog().stalled, 1);
      const reasonOfSchedule = async () => (await insideAgain.jobs.schedules.read(schedule.id))?.reason ?? null;
      assert.match((await reasonOfSchedule()) ?? '', /earlier version/);
      await insideAgain.jobs.schedules.pause(schedule.id, false);
      assert.equal(await reasonOfSchedule(), null);
    },
    takesEach({ targets: 'any' }, { targets: 'public' }, { targets: 'any' }),
  );

  withInstances(
    'jobs, schedules and callbacks of a removed key stop, give the reason, and continue when the key is back',
    3,
    async ([before, without, back], clock) => {
      assert.ok(before && without && back);
      const { job } = await before.jobs.submit({ ...orderOf(page), client: 'key x' });
      const told = await before.jobs.submit({ ...orderOf(page), client: 'key x', callback });
      const schedule = await before.jobs.schedules.add(scheduleOf('key x'));
      clock.nowMs += 10 * minuteMs;
      await without.look();
      assert.deepEqual([without.measuring.all.length, without.jobs.backlog().stalled], [0, 2]);
      assert.match((await reasonOf(without, job.id)) ?? '', /key/);
      const stopped = await without.jobs.schedules.read(schedule.id);
      assert.deepEqual([stopped?.lastJobId, stopped?.nextAtMs, stopped?.isPaused], [null, schedule.nextAtMs, false]);
      assert.match(stopped?.reason ?? '', /key/);
      await end(back, job.id);
      await lookUntil(back, told.job.id, 'succeeded');
      await without.look();
      const { delivery } = (await without.jobs.read(told.job.id)) ?? {};
      assert.ok(delivery);
      assert.notEqual((await back.jobs.schedules.read(schedule.id))?.lastJobId, null);
    },
    index => ({
      ...takesEach({ clients: ['key x'] }, { clients: ['key y'] }, { clients: ['key x', 'key y'] })(index),
      endsAtOnce: true,
    }),
  );

  withInstances(
    'work requested without a key stops where keys are required, and vice versa',
    2,
    async ([open, locked]) => {
      assert.ok(open && locked);
      const anonymous = await open.jobs.submit({ ...orderOf(page), client: '192.0.2.1' });
      const withKey = await locked.jobs.submit({ ...orderOf(page), client: 'key x' });
      const idsOf = async (instance: Instance, id: string) => {
        await end(instance, id);
        return instance.measuring.all.map(({ options }) => options.client);
      };
      assert.deepEqual(await idsOf(open, anonymous.job.id), ['192.0.2.1']);
      assert.deepEqual(await idsOf(locked, withKey.job.id), ['key x']);
    },
    index => ({ ...takesEach({}, { clients: ['key x'] })(index), endsAtOnce: true }),
  );

  withInstances('a repeated order with the same idempotency key leads to one job', 2, async ([one, other]) => {
    assert.ok(one && other);
    const idempotency: Idempotency = { key: 'k', digest: 'd' };
    const order: NewOrder = { ...orderOf(page, `${page}other`), idempotency };
    const asked = [one, other, one, other].map(({ jobs }) => jobs.submit(order));
    const ids = new Set((await Promise.all(asked)).map(({ job }) => job.id));
    assert.equal(ids.size, 1);
    assert.equal((await one.jobs.list('a', { limit: 10 })).length, 1);
    await assert.rejects(other.jobs.submit({ ...order, idempotency: { key: 'k', digest: 'e' } }), /another request/);
    const ofOther = await other.jobs.submit({ ...order, client: 'b' });
    assert.ok(!ids.has(ofOther.job.id));
    const [{ count } = { count: -1 }] = (
      await one.database.rows({ sql: 'SELECT count(*) FROM job_pages', values: [] })
    ).map(([value]) => ({ count: Number(value) }));
    assert.equal(count, 4);
    const schedules = [one, other].map(({ jobs }) => jobs.schedules.add({ ...scheduleOf(), idempotency }));
    assert.equal(new Set((await Promise.all(schedules)).map(({ id }) => id)).size, 1);
  });

  withInstances(
    'a client that requests many jobs at once gets no more than its limit, and its schedules wait',
    1,
    async ([only]) => {
      assert.ok(only);
      const asked = await Promise.allSettled(Array.from({ length: 230 }, () => only.jobs.submit(orderOf(page))));
      assert.equal(asked.filter(({ status }) => status === 'fulfilled').length, 200);
      // A database plans with the statistics of its last analysis, at which the tables may have been small.
      await only.database.write([{ sql: 'ANALYZE', values: [] }]);
      const urls = Array.from({ length: 10_000 }, (_, at) => `${page}${at}`);
      const lists = Array.from({ length: 11 }, () => only.jobs.submit({ ...orderOf(...urls), client: 'b' }));
      assert.equal((await Promise.allSettled(lists)).filter(({ status }) => status === 'fulfilled').length, 10);
      const [later, now] = await Promise.all(['b', 'c'].map(client => only.jobs.schedules.add(scheduleOf(client))));
      const lastOf = async (id = '') => (await only.jobs.schedules.read(id))?.lastJobId;
      // A look whose statement takes too long is repeated.
      await lookUntilSo(only, async () => (await lastOf(now?.id)) !== null);
      assert.equal(await lastOf(later?.id), null);
    },
  );

  withInstances(
    'a schedule resumed under other rules runs, although no instance takes its last run',
    2,
    async ([before, after], clock) => {
      assert.ok(before && after);
      const { id } = await before.jobs.schedules.add(scheduleOf());
      await before.look();
      await before.measuring.waitFor(1);
      before.die();
      await after.jobs.schedules.pause(id, false);
      clock.nowMs += 60 * minuteMs;
      await after.look();
      const [last] = await after.jobs.list('a', { limit: 1 });
      assert.equal(last?.job.policy, (await after.jobs.schedules.read(id))?.policy);
      assert.equal((await after.measuring.waitFor(1)).length, 1);
      await end(after, last?.job.id ?? '');
    },
    takesEach({ targets: 'public' }, { targets: 'any' }),
  );

  withInstances(
    'a schedule whose client has too many jobs is looked at after the usual pause',
    2,
    async ([only, other]) => {
      assert.ok(only && other);
      // The jobs are those of another instance, so they keep this one not busy.
      await other.jobs.submit(orderOf(page));
      await only.database.write([{ sql: 'UPDATE jobs SET total = 100000', values: [] }]);
      const { id } = await only.jobs.schedules.add(scheduleOf());
      await only.look();
      await only.look();
      assert.equal((await only.jobs.schedules.read(id))?.lastJobId, null);
      const usualMs = only.database.engine === 'postgres' ? 3000 : 60_000;
      assert.deepEqual(only.pauses.slice(-1), [usualMs]);
    },
    takesEach({ targets: 'any' }, { targets: 'public' }),
  );

  withInstances('a schedule that no instance starts is counted as late', 1, async ([only], clock) => {
    assert.ok(only);
    await only.jobs.schedules.add(scheduleOf());
    await only.database.write([{ sql: "UPDATE schedules SET policy = 'public'", values: [] }]);
    clock.nowMs += 4 * minuteMs;
    await only.look();
    assert.equal(only.jobs.backlog().lateSchedules, 0);
    clock.nowMs += 2 * minuteMs;
    await only.look();
    assert.equal(only.jobs.backlog().lateSchedules, 1);
  });
}
