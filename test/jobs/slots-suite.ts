/** Jobs whose pages find no slot, and jobs that an instance has lost to another, over every database. */

import assert from 'node:assert/strict';
import { AnalysisError } from '../../src/contract/errors.ts';
import { completeOptions } from '../../src/contract/measuring-options.ts';
import { toProblem } from '../../src/contract/problem.ts';
import type { Jobs } from '../../src/jobs/jobs.ts';
import { failed, type Instance, lookUntil } from './instance.ts';
import { orderOf, request, type WithInstances } from './orders.ts';

const url = 'https://example.com/';

const triesOf = async (jobs: Jobs, id: string) =>
  (await jobs.pages(id, { after: -1, limit: 100 })).map(({ tries, state }) => [tries, state]);

const toFresh = ({ measuring }: Instance) =>
  measuring.all.map(({ request: asked }) => asked.kind === 'compare' && asked.fresh);

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
    const { job } = await only.jobs.submit({ ...orderOf(url), request: wanted });
    await only.look();
    const remote = { source: 'psi', strategy: 'mobile', id: null, scores: {} } as const;
    const full = toProblem(new AnalysisError('queue_full', 'Full.'));
    (await only.measuring.waitFor(1))[0]?.end(failed('queue_full', [{ ...remote, error: full }]));
    (await only.measuring.waitFor(2))[1]?.end(failed('queue_full', [{ ...remote, error: null }]));
    (await only.measuring.waitFor(3))[2]?.end();
    await lookUntil(only, job.id, 'succeeded');
    // Only the third attempt may use the cache, because the second one has just stored the remote result there.
    assert.deepEqual(toFresh(only), [true, true, false]);
  });

  withInstances(
    'a page that waits for the slot of one strategy is not measured again with the other',
    1,
    async instances => {
      const [only] = instances as [Instance];
      const wanted = { ...request, kind: 'psi', strategy: 'both', fresh: true } as const;
      const { job } = await only.jobs.submit({ ...orderOf(url), request: wanted });
      await only.look();
      const full = toProblem(new AnalysisError('queue_full', 'Full.'));
      const part = { source: 'psi', id: null, scores: {} } as const;
      const halves = [
        { ...part, strategy: 'mobile', error: null },
        { ...part, strategy: 'desktop', error: full },
      ] as const;
      (await only.measuring.waitFor(1))[0]?.end(failed('queue_full', halves));
      (await only.measuring.waitFor(2))[1]?.end();
      await lookUntil(only, job.id, 'succeeded');
      assert.deepEqual(
        only.measuring.all.map(({ request: asked }) => asked.kind === 'psi' && asked.fresh),
        [true, 'desktop'],
      );
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
