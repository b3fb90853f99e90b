/** Jobs whose pages find no slot, and jobs that an instance has lost to another, over every database. */

import assert from 'node:assert/strict';
import { completeOptions } from '../../src/contract/measuring-options.ts';
import type { Jobs } from '../../src/jobs/jobs.ts';
import { failed, type Instance, lookUntil } from './instance.ts';
import { orderOf, type WithInstances } from './orders.ts';

const url = 'https://example.com/';

const triesOf = async (jobs: Jobs, id: string) =>
  (await jobs.pages(id, { after: -1, limit: 100 })).map(({ tries, state }) => [tries, state]);

export function testSlots(withInstances: WithInstances): void {
  withInstances('a page without a free slot waits for one, which does not count as an attempt', 1, async instances => {
    const [only] = instances as [Instance];
    const { job } = await only.jobs.submit(orderOf(url));
    await only.look();
    // A full queue, an unreachable one and one without any worker are all temporary.
    for (const [at, code] of (['queue_full', 'queue_unavailable', 'queue_unavailable'] as const).entries())
      (await only.measuring.waitFor(at + 1))[at]?.end(failed(code));
    (await only.measuring.waitFor(4))[3]?.end();
    await lookUntil(only, job.id, 'succeeded');
    assert.deepEqual(await triesOf(only.jobs, job.id), [[1, 'succeeded']]);
  });

  withInstances(
    'a list waits for the PSI server, and only calls that were made count as attempts',
    1,
    async instances => {
      const [only] = instances as [Instance];
      const { measuring, jobs } = only;
      const { job } = await jobs.submit(orderOf(...Array.from({ length: 9 }, (_, at) => `${url}${at}`)));
      await only.look();
      const blocked = failed('psi_quota_exceeded', [], { isBlocked: true });
      for (const { end } of await measuring.waitFor(3)) end(blocked);
      const again = (await measuring.waitFor(6)).slice(3);
      assert.deepEqual(
        again.map(({ url: page }) => page).toSorted(),
        [0, 1, 2].map(at => `${url}${at}`),
      );
      // A call that fails is an attempt, even with a time to wait.
      for (const { end } of again) end(failed('psi_unavailable'));
      const rest = (await measuring.waitFor(9)).slice(6);
      for (const { end } of rest) end();
      await measuring.waitFor(12);
      assert.deepEqual((await triesOf(jobs, job.id)).slice(0, 6), [
        ...Array.from({ length: 3 }, () => [1, 'waiting']),
        ...Array.from({ length: 3 }, () => [1, 'succeeded']),
      ]);
      await jobs.end(job.id);
    },
  );

  withInstances('a list that waits for the PSI server leaves its slots to others', 1, async instances => {
    const [only] = instances as [Instance];
    const { measuring, jobs } = only;
    await jobs.submit(orderOf(...Array.from({ length: 9 }, (_, at) => `${url}${at}`)));
    await only.look();
    const other = await jobs.submit({ ...orderOf(`${url}b0`, `${url}b1`), client: 'b' });
    const blocked = failed('psi_unavailable', [], { isBlocked: true });
    let ended = 0;
    const isDone = async () => (await jobs.read(other.job.id))?.job.state === 'succeeded';
    while (!(await isDone())) {
      const begun = measuring.all.slice(ended);
      ended += begun.length;
      for (const { url: page, end } of begun) end(page.includes('b') ? undefined : blocked);
      await only.look();
    }
    assert.equal(new Set(measuring.all.map(({ url: page }) => page)).size, 5);
  });

  withInstances(
    'a list waits for the PSI server for an hour, and not for a later time',
    1,
    async (instances, clock) => {
      const [only] = instances as [Instance];
      const { measuring, jobs } = only;
      const blocked = failed('psi_unavailable', [], { isBlocked: true });
      const { job } = await jobs.submit(orderOf(`${url}0`, `${url}1`));
      await only.look();
      for (const { end } of await measuring.waitFor(2)) end(blocked);
      await measuring.waitFor(4);
      clock.nowMs += 61 * 60_000;
      for (const at of [2, 3, 4, 5]) (await measuring.waitFor(at + 1))[at]?.end(blocked);
      await lookUntil(only, job.id, 'failed');
      const twice = [
        [2, 'failed'],
        [2, 'failed'],
      ];
      assert.deepEqual(await triesOf(jobs, job.id), twice);
      const later = await jobs.submit(orderOf(`${url}2`, `${url}3`));
      await only.look();
      const quota = failed('psi_quota_exceeded', [], { isBlocked: true, retryAfterSeconds: 8 * 60 * 60 });
      for (const at of [6, 7, 8, 9]) (await measuring.waitFor(at + 1))[at]?.end(quota);
      await lookUntil(only, later.job.id, 'failed');
      assert.deepEqual(await triesOf(jobs, later.job.id), twice);
    },
  );

  withInstances('a comparison that waits for a local slot is measured remotely once', 1, async instances => {
    const [only] = instances as [Instance];
    const wanted = { ...completeOptions('page', {}), kind: 'compare', fresh: true } as const;
    const { job } = await only.jobs.submit({ ...orderOf(url, `${url}2`), request: wanted });
    await only.look();
    for (const { end } of await only.measuring.waitFor(2)) end(failed('queue_full'));
    for (const { end } of (await only.measuring.waitFor(4)).slice(2)) end();
    await lookUntil(only, job.id, 'succeeded');
    // The measurements of one page, and only they, share what they have found: see run-page.test.ts.
    const found = Map.groupBy(only.measuring.all, ({ options }) => options.found).values();
    // Pages of one job start at once, so either may be the first.
    assert.deepEqual(
      [...found].map(tries => tries.map(({ url: page }) => page)).toSorted(),
      [url, `${url}2`].map(page => [page, page]),
    );
  });

  withInstances('pages that wait for the queue leave their slots to others', 1, async instances => {
    const [only] = instances as [Instance];
    const { measuring, jobs } = only;
    // As many as there are slots. The pause of their pages outlasts the test.
    for (const at of [0, 1, 2]) await jobs.submit(orderOf(`${url}${at}`));
    await only.look();
    const codes = ['queue_unavailable', 'queue_unavailable', 'queue_full'] as const;
    for (const [at, { end }] of (await measuring.waitFor(3)).entries())
      end(failed(codes[at] ?? assert.fail(), [], { retryAfterSeconds: 600 }));
    const { job } = await jobs.submit({ ...orderOf(`${url}other`), client: 'b' });
    await only.look();
    (await measuring.waitFor(4))[3]?.end();
    await lookUntil(only, job.id, 'succeeded');
  });

  withInstances(
    'a page waits for an unavailable queue for an hour, and for a full one as long as it is full',
    1,
    async (instances, clock) => {
      const [only] = instances as [Instance];
      const { measuring, jobs } = only;
      const { job } = await jobs.submit(orderOf(url));
      await only.look();
      for (const [at, code] of (['queue_full', 'queue_full', 'queue_unavailable'] as const).entries()) {
        (await measuring.waitFor(at + 1))[at]?.end(failed(code));
        await measuring.waitFor(at + 2);
        clock.nowMs += 61 * 60_000;
      }
      measuring.all[3]?.end(failed('queue_unavailable'));
      await lookUntil(only, job.id, 'failed');
      assert.equal((await jobs.read(job.id))?.job.error?.code, 'queue_unavailable');
    },
  );

  withInstances('a job cancelled on another instance starts no further page', 2, async instances => {
    const [runs, other] = instances as [Instance, Instance];
    const urls = Array.from({ length: 9 }, (_, at) => `${url}${at}`);
    const { job } = await runs.jobs.submit(orderOf(...urls));
    await runs.look();
    const begun = await runs.measuring.waitFor(3);
    await other.jobs.end(job.id);
    const before = runs.written.length;
    for (const { end } of begun) end();
    // It has not looked for work, so it learns of the cancellation only when a write changes nothing.
    for (let asked = 0; asked < 50; asked += 1) await runs.jobs.read(job.id);
    const began = runs.written.slice(before).filter(sql => sql.includes("state = 'running', tries"));
    assert.ok(began.length <= 6, `it asked ${began.length} times for six pages`);
    assert.equal(runs.measuring.all.length, 3);
  });
}
