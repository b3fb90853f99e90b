/** Jobs with real audits on this machine. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobAnswer, JobFacts } from '../../src/contract/jobs/job.ts';
import type { Result } from '../../src/contract/result/result.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { endlessAudits } from '../support/audits/quick-audits.ts';
import { sharedPool } from '../support/audits/shared-pool.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startLocalServer } from '../support/sites/local-server.ts';
import { startPages } from '../support/sites/pages.ts';
import { startService } from '../support/start-service.ts';
import { inTime } from '../support/until.ts';
import { asyncHeaders, followJob, followToEnd } from './jobs.ts';

test('a local audit reports its stages, and its result is stored with its full data', async t => {
  const pages = await startPages(t);
  const service = await startService(t, { DATA_DIR: makeScratchFolder(t) }, undefined, { pool: sharedPool() });
  const target = withQuery('/lighthouse', { url: `${pages.url}/good`, categories: 'seo' });
  const { status, body: asked } = await ask<JobFacts>(service, target, { headers: asyncHeaders });
  assert.deepEqual([status, asked.kind], [202, 'lighthouse']);
  const events = await followToEnd(service, asked.id);
  const stages = events.flatMap(({ data }) => (typeof data.stage === 'string' ? [data.stage] : []));
  assert.deepEqual(stages.slice(-2), ['gathering', 'auditing']);
  const { body: job } = await ask<JobAnswer>(service, `/jobs/${asked.id}`);
  const part = job.pages[0]?.results[0] ?? assert.fail();
  assert.deepEqual([job.state, part.source, part.scores?.seo], ['succeeded', 'lighthouse', 100]);
  const { body: kept } = await ask<Result>(service, `${part.links.self}?detailed=true`);
  assert.ok(kept.lighthouse_result);
});

type Compared = { psi: Result; lighthouse: Result; comparison: object };

/** The part of a comparison that is the same for each measurement of one page: not times, metrics and ids. */
const toLasting = ({ psi, lighthouse, comparison, ...rest }: Compared) => ({
  sides: [psi, lighthouse].map(({ source, url, final_url: finalUrl, strategy, analyser, scores }) => ({
    source,
    url,
    finalUrl,
    strategy,
    analyser,
    scores,
  })),
  compared: Object.keys(comparison),
  rest: Object.keys(rest),
});

test('a comparison job has the same answer as a synchronous request', async t => {
  const pages = await startPages(t);
  const service = await startService(t, {}, undefined, { pool: sharedPool() });
  const target = withQuery('/compare', { url: `${pages.url}/good`, categories: 'seo' });
  const { body: asked } = await ask<JobFacts>(service, target, { headers: asyncHeaders });
  await followToEnd(service, asked.id);
  const { body: answer } = await ask<Compared>(service, `/jobs/${asked.id}/pages/0`);
  assert.deepEqual([answer.psi.scores, answer.lighthouse.scores], [{ seo: 100 }, { seo: 100 }]);
  const { status, body: direct } = await ask<Compared>(service, target);
  assert.equal(status, 200);
  assert.deepEqual(toLasting(answer), toLasting(direct));
});

test('a cancelled job kills its running audit, and the slot is free', async t => {
  const pages = await startPages(t);
  const asked = Promise.withResolvers<void>();
  // A page that never answers.
  const silent = await startLocalServer(t, () => asked.resolve());
  const settings = { LIGHTHOUSE_TIMEOUT: '3600' };
  const service = await startService(t, settings, undefined, { audits: endlessAudits });
  const target = withQuery('/lighthouse', { url: silent.url });
  const { body: job } = await ask<JobFacts>(service, target, { headers: asyncHeaders });
  for await (const { event } of followJob(service, job.id)) if (event === 'started') break;
  await asked.promise;
  await ask(service, `/jobs/${job.id}`, { method: 'DELETE' });
  const next = ask(service, withQuery('/lighthouse', { url: `${pages.url}/good`, categories: 'seo' }));
  const { status } = await inTime(next, 300_000);
  assert.equal(status, 200);
});
