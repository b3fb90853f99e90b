/** The run that a scheduled run is compared with, and the verdicts that cause a callback. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { ChangeStatus } from '../../src/contract/stored/change-verdict.ts';
import type { JobState } from '../../src/jobs/job.ts';
import type { CallbackWhen } from '../../src/jobs/schedules/next-time.ts';
import type { JobsParts } from '../../src/jobs/work/job-worker.ts';
import type { MeasuredPage } from '../../src/jobs/work/run-page.ts';
import { createSqliteDatabase } from '../../src/storage/results/sqlite/database.ts';
import { temporaryDatabase } from '../../src/storage/results/sqlite/messages.ts';
import { failed, lookUntil, lookUntilSo, openInstance, succeeded } from './instance.ts';
import { noonMs, request } from './orders.ts';
import { startReceiver } from './receiver.ts';

const hourMs = 60 * 60_000;

/** An instance with a schedule that calls back when a verdict changes. */
async function start(t: TestContext, compare: NonNullable<JobsParts['compare']>) {
  const receiver = await startReceiver(t);
  const database = createSqliteDatabase({ path: temporaryDatabase });
  const clock = { nowMs: noonMs };
  const instance = openInstance(database, clock, { callbackKey: Buffer.from('key'), compare });
  t.after(async () => {
    await instance.jobs.close();
    await database.close();
  });
  const wanted = { client: 'a', request, urls: ['https://example.com/'], callback: receiver.url } as const;
  const add = (callbackWhen: CallbackWhen) =>
    instance.jobs.schedules.add({ ...wanted, rhythm: { interval: 'PT1H' }, callbackWhen });
  return { receiver, clock, instance, add };
}

test('a run is compared with the previous run, and only better or worse is sent', async t => {
  const compared: [string, string][] = [];
  const statuses: (ChangeStatus | undefined)[] = ['undecided', 'no_difference', undefined, 'worse'];
  const { receiver, clock, instance, add } = await start(t, async (before, after) => {
    compared.push([before, after]);
    return statuses[compared.length - 1];
  });
  await add('verdict_changes');
  for (let run = 1; run <= 5; run += 1) {
    await instance.look();
    const page = (await instance.measuring.waitFor(run)).at(-1);
    page?.end(succeeded(`result-${run}`));
    const [state] = await instance.jobs.list('a', { limit: 1 });
    await lookUntil(instance, state?.job.id ?? '', 'succeeded');
    clock.nowMs += hourMs;
  }
  assert.deepEqual(
    compared,
    [1, 2, 3, 4].map(run => [`result-${run}`, `result-${run + 1}`]),
  );
  await lookUntilSo(instance, () => receiver.calls.all.length > 0);
  const { data } = JSON.parse(receiver.calls.all[0]?.body ?? '');
  assert.deepEqual(data.pages[0].verdicts, [{ source: 'psi', strategy: 'mobile', status: 'worse' }]);
});

test('a run that failed because of an outage is no baseline, and one that failed because of its page is', async t => {
  const compared: [string, string][] = [];
  const { receiver, clock, instance, add } = await start(t, async (before, after) => {
    compared.push([before, after]);
    return 'worse';
  });
  const { id } = await add('verdict_changes');
  const previousOf = async () => (await instance.jobs.schedules.read(id))?.previousJobId;
  const runs: [MeasuredPage, JobState][] = [
    [succeeded('good'), 'succeeded'],
    [failed('psi_unavailable'), 'failed'],
    [succeeded('worse'), 'succeeded'],
    [failed('page_error'), 'failed'],
  ];
  const previous: boolean[] = [];
  for (const [at, [measured, state]] of runs.entries()) {
    await instance.look();
    (await instance.measuring.waitFor(at + 1))[at]?.end(measured);
    const job = (await instance.jobs.list('a', { limit: 1 }))[0]?.job.id ?? '';
    await lookUntil(instance, job, state);
    previous.push((await previousOf()) === job);
    clock.nowMs += hourMs;
  }
  assert.deepEqual(previous, [true, false, true, true]);
  assert.deepEqual(compared, [['good', 'worse']]);
  await lookUntilSo(instance, () => receiver.calls.all.length > 0);
});

test('a run whose schedule was removed sends a callback only if every run does', async t => {
  const { receiver, clock, instance, add } = await start(t, async () => 'no_difference');
  for (const [at, callbackWhen] of (['verdict_changes', 'always'] as const).entries()) {
    const { id } = await add(callbackWhen);
    await instance.look();
    const page = (await instance.measuring.waitFor(at + 1)).at(-1);
    await instance.jobs.schedules.remove(id);
    clock.nowMs += 1;
    page?.end(succeeded(`result-${at}`));
    const [state] = await instance.jobs.list('a', { limit: 1 });
    await lookUntil(instance, state?.job.id ?? '', 'succeeded');
  }
  await lookUntilSo(instance, () => receiver.calls.all.length > 0);
  const [last] = await instance.jobs.list('a', { limit: 1 });
  assert.deepEqual(
    receiver.calls.all.map(({ body }) => JSON.parse(body).data.id),
    [last?.job.id],
  );
});
