/** Two builds of a real page, audited with a real browser and compared by their labels. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Static } from 'typebox';
import type { Result } from '../../src/contract/result/result.ts';
import type { ResultsComparison as Schema } from '../../src/contract/stored/change.ts';
import type { History } from '../../src/contract/stored/history.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { sharedPool } from '../support/audits/shared-pool.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startLocalServer } from '../support/sites/local-server.ts';
import { startService } from '../support/start-service.ts';

type ResultsComparison = Static<typeof Schema>;

let build = 1;
// Small enough for less than the 400 ms that a single result must differ by.
const script = `/*${'.'.repeat(4_000)}*/`;
const site = await startLocalServer({ after }, ({ url = '' }, response) => {
  if (url.startsWith('/script-2.js')) response.writeHead(200, { 'content-type': 'text/javascript' }).end(script);
  else if (url === '/')
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(
      `<!doctype html><html lang="en"><head>${build === 1 ? '<title>A page</title>' : ''}
       <meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">
       ${build === 1 ? '' : '<script src="/script-2.js?v=7" async></script>'}</head>
       <body><main><h1>A page</h1></main></body></html>`,
    );
  else response.writeHead(404).end();
});
const settings = { DATA_DIR: makeScratchFolder({ after }) };
const service = await startService({ after }, settings, undefined, { pool: sharedPool() });
const url = `${site.url}/`;

const ids: string[] = [];
for (const runs of ['2', '1']) {
  const label = `build-${build}`;
  const { status, body } = await ask<Result>(service, withQuery('/lighthouse', { url, runs, label }));
  assert.equal(status, 200);
  ids.push(body.id ?? '');
  build += 1;
}

test('a comparison shows what a build lost and gained: a flipped audit, a request, and no verdict on so few runs', async () => {
  const query = { before: 'build-1', after: 'build-2' };
  const { status, body } = await ask<ResultsComparison>(service, withQuery('/compare-results', query));
  assert.equal(status, 200);
  assert.deepEqual([body.before.runs, body.after.runs, body.after.selected_id], [2, 1, ids[1]]);
  const flipped = body.audits?.find(({ id }) => id === 'document-title');
  assert.deepEqual(
    [flipped?.before, flipped?.after, flipped?.categories],
    ['passed', 'failed', ['accessibility', 'seo']],
  );
  const [came, ...others] = body.requests?.added ?? [];
  assert.deepEqual([came?.url, came?.type, came?.requests, others], [`${url}script-2.js`, 'Script', 1, []]);
  assert.ok(Number(came?.bytes) > 4_000);
  assert.deepEqual(body.requests?.removed, []);
  assert.equal(body.verdict.status, 'undecided');
  const names = body.differences.map(({ name }) => name);
  assert.deepEqual(
    names.filter(name => name !== 'benchmark_index'),
    [],
    'measured alike on one machine',
  );
});

test('an id stands for the runs of its request, and both builds are in the history of the page', async () => {
  const query = { before: ids[0] ?? '', after: ids[1] ?? '' };
  const { body } = await ask<ResultsComparison>(service, withQuery('/compare-results', query));
  assert.deepEqual([body.before.runs, body.before.by], [2, 'id']);
  const history = await ask<History>(service, withQuery('/history', { url, metric: 'seo' }));
  assert.deepEqual(
    history.body.points.map(({ id, label, ids: runs }) => [id, label, runs.length]),
    [
      [ids[0], 'build-1', 2],
      [ids[1], 'build-2', 1],
    ],
  );
  assert.ok((history.body.points[0]?.value ?? 0) > (history.body.points[1]?.value ?? 100));
});
