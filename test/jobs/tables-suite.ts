/** Jobs over every database: one of several instances works on each, and nothing is done twice. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SqlDatabase } from '../../src/storage/database/sql.ts';
import type { Scope } from '../support/start-service.ts';
import { until } from '../support/until.ts';
import { testBorders } from './borders-suite.ts';
import { type Instance, lookUntil, openInstance, succeeded } from './instance.ts';
import { testOnce } from './once-suite.ts';
import { noonMs, orderOf, type WithInstances } from './orders.ts';
import { testSchedules } from './schedules-suite.ts';
import { testSlots } from './slots-suite.ts';

/** Opens a connection to one database for each of several instances. */
export type OpenDatabases = (scope: Scope, count: number) => Promise<SqlDatabase[]>;

const stateOf = async ({ jobs }: Instance, id: string) => (await jobs.read(id))?.job;
const pagesOf = ({ jobs }: Instance, id: string) => jobs.pages(id, { after: -1, limit: 1000 });
const urls = (count: number, prefix = 'p') =>
  Array.from({ length: count }, (_, at) => `https://example.com/${prefix}${at}`);

export function testJobs(name: string, openDatabases: OpenDatabases): void {
  const withInstances: WithInstances = (what, count, body, parts = {}) => {
    test(`${name}: ${what}`, async t => {
      const clock = { nowMs: noonMs };
      const databases = await openDatabases(t, count);
      const instances = databases.map((database, index) =>
        openInstance(database, clock, typeof parts === 'function' ? parts(index) : parts),
      );
      try {
        await body(instances, clock);
      } finally {
        await Promise.all(instances.map(({ jobs }) => jobs.close()));
      }
    });
  };

  withInstances(
    'no page is measured twice, however many instances look for work at once',
    3,
    async instances => {
      const [first] = instances as [Instance];
      const ids: string[] = [];
      for (let job = 0; job < 8; job += 1) ids.push((await first.jobs.submit(orderOf(...urls(5, `${job}-`)))).job.id);
      await Promise.all(instances.map(instance => instance.look()));
      for (const id of ids) await lookUntil(first, id, 'succeeded');
      const measured = instances.flatMap(({ measuring }) => measuring.all.map(({ url }) => url));
      assert.deepEqual([measured.length, new Set(measured).size], [40, 40]);
      for (const id of ids) assert.deepEqual((await stateOf(first, id))?.attempt, 1);
    },
    { endsAtOnce: true, takeOverMs: 60_000 },
  );

  withInstances('a list of waiting jobs takes as many queries as a list of one', 1, async ([instance], clock) => {
    const { database } = instance as Instance;
    let queries = 0;
    const rows: SqlDatabase['rows'] = statement => {
      queries += 1;
      return database.rows(statement);
    };
    const { jobs } = openInstance({ ...database, rows }, clock);
    const order = { ...orderOf(...urls(1)), callback: 'http://127.0.0.1/told' };
    const list = async () => {
      const before = queries;
      const states = await jobs.list(order.client, { limit: 100 });
      return { queries: queries - before, places: states.map(state => state.before) };
    };
    await jobs.submit(order);
    const single = await list();
    for (let job = 1; job < 12; job += 1) {
      clock.nowMs += 1;
      await jobs.submit(order);
    }
    assert.deepEqual(await list(), { ...single, places: [11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0] });
    await jobs.close();
  });

  withInstances(
    'the job of an instance that died continues on another one, and finished pages are not repeated',
    2,
    async instances => {
      const [dead, other] = instances as [Instance, Instance];
      const { job } = await dead.jobs.submit(orderOf(...urls(3)));
      await dead.look();
      const begun = await dead.measuring.waitFor(3);
      // They start together, in any order.
      begun.find(({ url }) => url === urls(3)[0])?.end();
      await until(async () => (await stateOf(other, job.id))?.done === 1);
      dead.die();
      // The other instance sees the dead one, then sees that it is silent, and takes its pages.
      await other.look();
      await other.look();
      const again = await other.measuring.waitFor(2);
      assert.deepEqual(again.map(({ url }) => url).toSorted(), urls(3).slice(1));
      for (const page of again) page.end();
      await lookUntil(other, job.id, 'succeeded');
      const { attempt, done, failed } = (await stateOf(other, job.id)) ?? assert.fail();
      assert.deepEqual([attempt, done, failed], [2, 3, 0]);
      assert.deepEqual(
        (await pagesOf(other, job.id)).map(({ tries, state }) => [tries, state]),
        [
          [1, 'succeeded'],
          [2, 'succeeded'],
          [2, 'succeeded'],
        ],
      );
    },
  );

  withInstances('a page whose two attempts were interrupted has failed', 3, async instances => {
    const [first, second, third] = instances as [Instance, Instance, Instance];
    const { job } = await first.jobs.submit(orderOf('https://example.com/', 'https://example.com/'));
    for (const instance of [first, second]) {
      await instance.look();
      await instance.look();
      await instance.measuring.waitFor(1);
      instance.die();
    }
    await lookUntil(third, job.id, 'failed');
    assert.deepEqual((await stateOf(third, job.id))?.error?.code, 'job_interrupted');
    assert.deepEqual(
      (await pagesOf(third, job.id)).map(({ state }) => state),
      ['failed', 'failed'],
    );
    assert.equal(third.measuring.all.length, 0);
  });

  withInstances(
    'an instance that was silent too long learns that another one owns its job, and changes nothing',
    2,
    async instances => {
      const [slow, other] = instances as [Instance, Instance];
      const { job } = await slow.jobs.submit(orderOf(...urls(2)));
      await slow.look();
      const [late, cancelled] = await slow.measuring.waitFor(2);
      await other.look();
      await other.look();
      await other.measuring.waitFor(2);
      late?.end(succeeded('late'));
      const lost = new Promise(resolve => cancelled?.options.signal.addEventListener('abort', resolve));
      await slow.look();
      await lost;
      for (const { end } of other.measuring.all) end(succeeded('right'));
      await lookUntil(other, job.id, 'succeeded');
      const { done } = (await stateOf(other, job.id)) ?? assert.fail();
      const ids = (await pagesOf(other, job.id)).map(({ outcome }) => outcome?.parts[0]?.id);
      assert.deepEqual([done, ids], [2, ['right', 'right']]);
    },
  );

  withInstances('a job cancelled on one instance ends on the other', 2, async instances => {
    const [runs, asks] = instances as [Instance, Instance];
    const { job } = await runs.jobs.submit(orderOf('https://example.com/'));
    await runs.look();
    const [page] = await runs.measuring.waitFor(1);
    const ended = new Promise(resolve => page?.options.signal.addEventListener('abort', resolve));
    await asks.jobs.end(job.id);
    await runs.look();
    await ended;
    assert.equal((await stateOf(runs, job.id))?.state, 'cancelled');
  });

  withInstances('a graceful stop gives jobs back, and the attempt does not count', 2, async instances => {
    const [stops, other] = instances as [Instance, Instance];
    const { job } = await stops.jobs.submit(orderOf('https://example.com/'));
    await stops.look();
    await stops.measuring.waitFor(1);
    await stops.jobs.close();
    await other.look();
    const [page] = await other.measuring.waitFor(1);
    page?.end();
    await lookUntil(other, job.id, 'succeeded');
    assert.deepEqual((await pagesOf(other, job.id))[0]?.tries, 1);
  });

  withInstances('a single page precedes the pages of a list, and clients take turns', 1, async instances => {
    const [only] = instances as [Instance];
    const list = await only.jobs.submit(orderOf(...urls(6, 'a')));
    await only.look();
    // Three pages run, and the fourth one waits.
    await only.asking.waitFor(4);
    const other = await only.jobs.submit({ ...orderOf(...urls(2, 'b')), client: 'b' });
    await only.look();
    await only.asking.waitFor(5);
    const single = await only.jobs.submit(orderOf('https://example.com/single'));
    await only.look();
    await only.asking.waitFor(6);
    for (let ended = 0; ended < 9; ended += 1) {
      await only.measuring.waitFor(ended + 1);
      only.measuring.all[ended]?.end();
    }
    for (const { job } of [list, other, single]) await lookUntil(only, job.id, 'succeeded');
    const order = only.admitted.all.map(({ client, isBatch }) => (isBatch ? client : 'single'));
    assert.deepEqual(order.slice(0, 6), ['a', 'a', 'a', 'single', 'a', 'b']);
  });

  withInstances('a job and its data are removed a day after its end', 1, async (instances, clock) => {
    const [only] = instances as [Instance];
    const { job } = await only.jobs.submit(orderOf('https://example.com/'));
    await only.look();
    (await only.measuring.waitFor(1))[0]?.end();
    await lookUntil(only, job.id, 'succeeded');
    clock.nowMs += 24 * 60 * 60_000 - 1;
    await only.look();
    assert.ok(await stateOf(only, job.id));
    clock.nowMs += 60 * 60_000;
    // The sweep runs in the background.
    await lookUntil(only, job.id, undefined);
    assert.deepEqual(await pagesOf(only, job.id), []);
  });

  withInstances('the number of unfinished jobs of a client is limited', 1, async instances => {
    const [only] = instances as [Instance];
    for (let job = 0; job < 200; job += 1) await only.jobs.submit(orderOf('https://example.com/'));
    await assert.rejects(only.jobs.submit(orderOf('https://example.com/')), { code: 'queue_full' });
    assert.equal((await only.jobs.submit({ ...orderOf('https://example.com/'), client: 'b' })).job.state, 'queued');
  });

  testSlots(withInstances);
  testBorders(withInstances);
  testOnce(withInstances);
  testSchedules(withInstances);
}
