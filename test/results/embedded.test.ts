/** Results of `/psi` without a key are stored as those of an audit on this machine. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { Static } from 'typebox';
import type { Result } from '../../src/contract/result/result.ts';
import type { KeptPage } from '../../src/contract/stored/kept.ts';
import { openResultStore } from '../../src/storage/results/open-store.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { sharedPool } from '../support/audits/shared-pool.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startPages } from '../support/sites/pages.ts';
import { startService } from '../support/start-service.ts';

const pages = await startPages({ after });

test('the trace and the network log of the embedded analyser are stored, and lists link to them', async t => {
  const folder = makeScratchFolder(t);
  const service = await startService(t, { DATA_DIR: folder }, undefined, { pool: sharedPool() });
  const query = { url: `${pages.url}/good`, strategy: 'mobile', categories: 'performance' };
  const { body } = await ask<Result>(service, withQuery('/psi', query));
  assert.equal(body.analyser.kind, 'embedded');
  const link = body.links?.trace ?? assert.fail('no trace');
  const trace = await fetch(service.url + link);
  assert.equal(trace.status, 200, 'at once');
  const { traceEvents } = JSON.parse(gunzipSync(await trace.arrayBuffer()).toString());
  assert.ok(traceEvents.length > 100);
  const { results } = (await ask<Static<typeof KeptPage>>(service, '/results')).body;
  assert.deepEqual(
    results.map(({ links }) => [links.trace, links.network_log]),
    [[link, body.links?.network_log]],
  );
  const store = await openResultStore({ dataDir: folder });
  t.after(() => store.close());
  const files = await store.artifacts(body.id ?? '');
  assert.deepEqual(Object.keys(files ?? {}), ['trace', 'network_log', 'gathered']);
});

test('a service without a store answers without a link to a trace', async t => {
  const service = await startService(t, {}, undefined, { pool: sharedPool() });
  const query = { url: `${pages.url}/good`, strategy: 'mobile', categories: 'seo' };
  const { status, body } = await ask<Result>(service, withQuery('/psi', query));
  assert.deepEqual([status, body.links], [200, undefined]);
});
