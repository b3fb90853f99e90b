/** What a run of a schedule is held against, and when that is told. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChangeStatus } from '../../src/contract/kept/change-verdict.ts';
import { createSqliteDatabase } from '../../src/results/sqlite/database.ts';
import { temporaryDatabase } from '../../src/results/sqlite/messages.ts';
import { lookUntil, openInstance, succeeded } from './instance.ts';
import { noonMs, request } from './orders.ts';
import { startReceiver } from './receiver.ts';

const hourMs = 60 * 60_000;

test('a run is compared with the run before, and only better or worse is told', async t => {
  const receiver = await startReceiver(t);
  const database = createSqliteDatabase({ path: temporaryDatabase });
  const clock = { nowMs: noonMs };
  const compared: [string, string][] = [];
  const statuses: (ChangeStatus | undefined)[] = ['undecided', 'no_difference', undefined, 'worse'];
  const instance = openInstance(database, clock, {
    callbackKey: Buffer.from('key'),
    compare: async (before, after) => {
      compared.push([before, after]);
      return statuses[compared.length - 1];
    },
  });
  t.after(async () => {
    await instance.jobs.close();
    await database.close();
  });
  await instance.jobs.schedules.add({
    ...{ client: 'a', request, urls: ['https://example.com/'], rhythm: { interval: 'PT1H' } },
    ...{ callback: receiver.url, callbackWhen: 'verdict_changes' },
  });
  for (let run = 1; run <= 5; run += 1) {
    await instance.look();
    const page = (await instance.measuring.waitFor(run)).at(-1);
    page?.end(succeeded(`result-${run}`));
    const [state] = await instance.jobs.list('a', 1);
    await lookUntil(instance, state?.job.id ?? '', 'succeeded');
    clock.nowMs += hourMs;
  }
  assert.deepEqual(
    compared,
    [1, 2, 3, 4].map(run => [`result-${run}`, `result-${run + 1}`]),
  );
  while (receiver.calls.all.length === 0) await instance.look();
  const { data } = JSON.parse(receiver.calls.all[0]?.body ?? '');
  assert.deepEqual(data.pages[0].verdicts, [{ source: 'psi', strategy: 'mobile', status: 'worse' }]);
});
