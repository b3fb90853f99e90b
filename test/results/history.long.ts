/** GET /history of more points than one answer has: see history.test.ts. */
import assert from 'node:assert/strict';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { test } from 'node:test';
import type { History } from '../../src/contract/stored/history.ts';
import { openResultStore } from '../../src/storage/results/open-store.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { buildEntry, noonMs } from '../support/builders/entry.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startService } from '../support/start-service.ts';

const dayMs = 86_400_000;
const page = 'https://example.com/';
const scored = (performance: number, at: number) => {
  const entry = buildEntry({ measuredAtMs: noonMs + at * dayMs });
  return { ...entry, scores: { ...entry.scores, performance } };
};

test('ten thousand points are answered without delaying other requests', async t => {
  const own = makeScratchFolder(t);
  const many = Array.from({ length: 10_005 }, (_, at) => scored(at % 2 === 0 ? 90 : 91, at / 1000));
  const store = await openResultStore({ dataDir: own });
  for (let from = 0; from < many.length; from += 500)
    await Promise.all(many.slice(from, from + 500).map(entry => store.keep(entry)));
  await store.close();
  const large = await startService(t, { DATA_DIR: own });
  const delay = monitorEventLoopDelay({ resolution: 5 });
  const asked = [1, 2].map(() => ask<History>(large, withQuery('/history', { url: page })));
  let isDone = false;
  const answers = Promise.all(asked).finally(() => {
    isDone = true;
  });
  let served = 0;
  delay.enable();
  while (!isDone) {
    const { status } = await fetch(`${large.url}/health`);
    if (status === 200) served += 1;
  }
  delay.disable();
  for (const { body } of await answers) {
    assert.deepEqual([body.points.length, body.is_complete, body.change_points], [10_000, false, []]);
    assert.equal(body.points.at(-1)?.id, many.at(-1)?.id);
  }
  t.diagnostic(`${served} requests were served meanwhile; the loop waited ${Math.round(delay.max / 1e6)} ms at most`);
  // Only about three would be answered if each of the two stopped the service.
  assert.ok(served > 20, String(served));
});
