/** Messages of a schedule: one for a change, one for its end, none between them and none about a disturbed run. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { CallbackFormat } from '../../src/contract/names.ts';
import { toHistory } from '../../src/explain/history/to-history.ts';
import type { JobsParts } from '../../src/jobs/work/job-worker.ts';
import { createSqliteDatabase } from '../../src/storage/results/sqlite/database.ts';
import { temporaryDatabase } from '../../src/storage/results/sqlite/messages.ts';
import { buildSeriesPoint, toMinutes } from '../support/builders/series.ts';
import { failed, lookUntil, lookUntilSo, openInstance, succeeded } from './instance.ts';
import { request } from './orders.ts';
import { startReceiver } from './receiver.ts';

const hourMs = 60 * 60_000;

/** A schedule whose page has a history, and one run of it with a score; without one, the page fails. */
async function openSchedule(t: TestContext, format: CallbackFormat, compare?: JobsParts['compare']) {
  const receiver = await startReceiver(t);
  const database = createSqliteDatabase({ path: temporaryDatabase });
  const clock = { nowMs: toMinutes(0) };
  const scores = Array.from({ length: 10 }, (_, at) => 92 + (at % 2));
  const instance = openInstance(database, clock, {
    callbackKey: Buffer.from('key'),
    ...(compare && { compare }),
    readShown: async of =>
      toHistory({
        ...{ ...of, metric: 'performance', notes: [], limit: 10_000 },
        series: {
          points: scores.map((value, at) => buildSeriesPoint((at - 10) * 60, value)),
          failures: [],
        },
      }),
  });
  t.after(async () => {
    await instance.jobs.close();
    await database.close();
  });
  const { id: scheduleId } = await instance.jobs.schedules.add({
    ...{ client: 'a', urls: ['https://example.com/'], callback: receiver.url },
    ...{ rhythm: { interval: 'PT1H' }, callbackWhen: 'verdict_changes' },
    request: { ...request, message: { format, origin: 'https://range.example' } },
  });
  let runs = 0;
  const run = async (score: number | undefined, isDisturbed = false) => {
    if (score !== undefined) scores.push(score);
    await instance.look();
    runs += 1;
    const pages = await instance.measuring.waitFor(runs);
    const { outcome, ...page } = succeeded(`result-${runs}`);
    const parts = outcome.parts.map(part => ({ ...part, disturbed: isDisturbed }));
    pages.at(-1)?.end(score === undefined ? failed('page_not_html') : { ...page, outcome: { ...outcome, parts } });
    const [state] = await instance.jobs.list('a', { limit: 1 });
    await lookUntil(instance, state?.job.id ?? '', score === undefined ? 'failed' : 'succeeded');
    clock.nowMs += hourMs;
  };
  return { receiver, instance, scheduleId, run };
}

test('a change and its end are one message each, a failing page is named, and a disturbed run is silent', async t => {
  const { receiver, instance, scheduleId, run } = await openSchedule(t, 'slack');
  const texts = async (count: number) => {
    await lookUntilSo(instance, () => receiver.calls.all.length >= count);
    return receiver.calls.all.map(({ body }) => (JSON.parse(body) as { text: string }).text);
  };
  for (const score of [92, 93, 92]) await run(score);
  for (const score of [60, 61, 60, 61]) await run(score, true);
  assert.deepEqual(receiver.calls.all, [], 'all of these runs were disturbed');
  for (let at = 0; at < 10; at += 1) await run(60 + (at % 2));
  assert.equal((await texts(1)).length, 1);
  for (let at = 0; at < 15; at += 1) await run(92 + (at % 2));
  assert.equal((await texts(2)).length, 2);
  await run(undefined);
  await run(92);
  const [change = '', end = '', failure = '', recovery = '', ...others] = await texts(4);
  assert.match(change, /^https:\/\/example\.com\/ \(mobile, \w+\) got worse: Performance 92\.?5? → 6\d(\.5)? \(/);
  assert.match(end, /^https:\/\/example\.com\/ \(mobile, \w+\) is back to 92/);
  assert.match(failure, /can no longer be measured: Page is not HTML\. <https:\/\/range\.example\/jobs\//);
  assert.match(recovery, /can be measured again/);
  assert.deepEqual(others, []);
  assert.equal((await instance.jobs.schedules.read(scheduleId))?.request.message?.format, 'slack');
});

for (const [what, firstVerdict] of [
  ['that no comparison of two runs shows', undefined],
  ['that a comparison of two runs has told', 'worse'],
] as const)
  test(`a lasting change ${what} is one JSON callback`, async t => {
    let compared = 0;
    const compare = async () => {
      compared += 1;
      // The fourth run is the first one after the change.
      return compared === 3 && firstVerdict ? firstVerdict : ('undecided' as const);
    };
    const { receiver, instance, run } = await openSchedule(t, 'json', compare);
    for (const score of [92, 93, 92, 60, 61, 60, 61, 60, 61, 60]) await run(score);
    await lookUntilSo(instance, () => receiver.calls.all.length > 0);
    const verdicts = receiver.calls.all.map(({ body }) =>
      JSON.parse(body).data.pages[0].verdicts.map(({ status }: { status: string }) => status),
    );
    assert.deepEqual(verdicts, [['worse']]);
  });

const outage = failed('psi_unavailable');
const notFound = failed('page_error');
const fine = succeeded();

/** Runs of two pages, and what becomes of the second one. */
const runsOfTwo = [
  [fine, fine, undefined],
  [fine, outage, undefined],
  [fine, notFound, 'can no longer be measured'],
  [outage, notFound, undefined],
  [fine, outage, undefined],
  [fine, fine, 'can be measured again'],
  [outage, notFound, 'can no longer be measured'],
  [outage, notFound, undefined],
  [outage, outage, undefined],
  [outage, fine, 'can be measured again'],
] as const;
const runsOfNew = [
  [fine, outage, undefined],
  [fine, notFound, undefined],
  [fine, fine, 'can be measured again'],
] as const;

for (const format of ['text', 'json'] as const satisfies readonly CallbackFormat[])
  for (const [what, runs] of [
    ['outages in between hide neither a page that starts to fail nor its end', runsOfTwo],
    ['a page that was never measured does not start to fail', runsOfNew],
  ] as const)
    test(`${what}: ${format}`, async t => {
      const receiver = await startReceiver(t);
      const database = createSqliteDatabase({ path: temporaryDatabase });
      const clock = { nowMs: toMinutes(0) };
      const instance = openInstance(database, clock, { callbackKey: Buffer.from('key') });
      t.after(async () => {
        await instance.jobs.close();
        await database.close();
      });
      await instance.jobs.schedules.add({
        ...{ client: 'a', urls: ['https://example.com/a', 'https://example.com/b'], callback: receiver.url },
        ...{ rhythm: { interval: 'PT1H' }, callbackWhen: 'verdict_changes' },
        request: { ...request, message: { format, origin: 'https://range.example' } },
      });
      const wanted: string[] = [];
      for (const [one, other, change] of runs) {
        await instance.look();
        const id = (await instance.jobs.list('a', { limit: 1 }))[0]?.job.id ?? '';
        await lookUntilSo(instance, async () => {
          // After an outage, a page is measured once more.
          for (const { url, end } of instance.measuring.all) end(url.endsWith('/a') ? one : other);
          return (await instance.jobs.read(id))?.job.endedAtMs !== null;
        });
        if (change) wanted.push(format === 'json' ? id : change);
        await lookUntilSo(instance, () => receiver.calls.all.length >= wanted.length);
        clock.nowMs += hourMs;
      }
      assert.deepEqual(
        receiver.calls.all.map(({ body }) =>
          format === 'json'
            ? JSON.parse(body).data.id
            : /^https:\/\/example\.com\/b (can \w+ (?:longer be measured|measured again))/.exec(body)?.[1],
        ),
        wanted,
      );
    });
