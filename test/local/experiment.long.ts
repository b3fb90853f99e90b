/** A whole experiment over HTTP, with a real browser in each load: about 27 loads. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { ExperimentAnswer } from '../../src/contract/experiments/answer.ts';
import { toPage } from '../compare/laboratory/site.ts';
import { followToEnd } from '../jobs/jobs.ts';
import { ask } from '../support/asking/ask.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startLocalServer } from '../support/sites/local-server.ts';
import { startService } from '../support/start-service.ts';

/** The server's delay of the script. */
const scriptMs = 1000;

test('a page is better without the script that blocks its paint for a second, and equal to itself', async t => {
  const served = { page: 0, script: 0 };
  const site = await startLocalServer(t, async ({ url = '' }, response) => {
    const isScript = url === '/slow.js';
    served[isScript ? 'script' : 'page'] += 1;
    if (isScript) await delay(scriptMs);
    response
      .setHeader('content-type', isScript ? 'text/javascript' : 'text/html')
      .end(isScript ? 'window.slow = true;' : toPage({ head: '<script src="/slow.js"></script>' }));
  });
  const service = await startService(t, { DATA_DIR: makeScratchFolder(t), TARGETS: 'any' });
  const { status, body: asked } = await ask<ExperimentAnswer>(service, '/experiments', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ url: `${site.url}/`, variants: [{ block: ['/slow.js'] }] }),
  });
  assert.deepEqual([status, asked.throttling_method], [202, 'simulate']);
  const events = await followToEnd(service, asked.id);
  assert.equal(events.at(-1)?.event, 'result', JSON.stringify(events.at(-1)));

  const { body: answer } = await ask<ExperimentAnswer>(service, `/experiments/${asked.id}`);
  const [variant = assert.fail()] = answer.variants;
  const said = JSON.stringify(answer);
  assert.deepEqual([answer.state, answer.progress.failed, variant.status], ['succeeded', 0, 'better'], said);
  assert.ok((variant.difference ?? 0) < -scriptMs / 2 && (variant.interval?.high ?? 0) < 0, said);
  assert.equal(answer.control.differs, false, said);
  assert.equal(answer.control.pairs.length, variant.pairs.length);
  // Each load of the variant blocked the script, and each load of the page got it.
  assert.deepEqual(variant.hits, { '/slow.js': variant.pairs.length });
  assert.deepEqual(variant.notes, []);
  // Each load is preceded by a request for the document alone.
  assert.deepEqual(served, { page: 2 * answer.progress.loads, script: 2 * variant.pairs.length });

  const { body: results } = await ask<{ results: unknown[] }>(service, '/results');
  assert.deepEqual(results.results, []);
  const query = new URLSearchParams({ url: `${site.url}/`, source: 'lighthouse' });
  const { body: history } = await ask<{ points?: unknown[] }>(service, `/history?${query}`);
  assert.deepEqual(history.points, [], JSON.stringify(history));
});
