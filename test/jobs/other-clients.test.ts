/** A client sees nothing of other clients' jobs and schedules unless it was given an id. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobFacts } from '../../src/contract/jobs/job.ts';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { startService } from '../support/start-service.ts';
import { asyncHeaders } from './jobs.ts';

const page = (name: string) => `https://example.com/${name}`;
const keys = ['key-of-the-first-one', 'key-of-the-second-'] as const;

test('a client sees its own jobs in a list, newest first', async t => {
  const fake = await startFakePsi(t);
  const environment = { PSI_ENDPOINT: fake.endpoint, API_KEYS: 'key-of-the-first-one,key-of-the-second-' };
  const service = await startService(t, environment);
  const as = (key: string) => ({ ...asyncHeaders, 'x-api-key': key });
  const ids: string[] = [];
  for (const name of ['a', 'b'])
    ids.unshift(
      (await ask<JobFacts>(service, withQuery('/psi', { url: page(name) }), { headers: as('key-of-the-first-one') }))
        .body.id,
    );
  const listOf = async (key: string) =>
    (await ask<{ jobs: JobFacts[] }>(service, '/jobs', { headers: as(key) })).body.jobs.map(({ id }) => id);
  assert.deepEqual(await listOf('key-of-the-first-one'), ids);
  assert.deepEqual(await listOf('key-of-the-second-'), []);
});

test('a client lists only its own schedules, and reads a job of another client only by its id', async t => {
  const fake = await startFakePsi(t);
  const service = await startService(t, { PSI_ENDPOINT: fake.endpoint, API_KEYS: keys.join() });
  const [own, other] = keys.map(key => ({ ...asyncHeaders, 'content-type': 'application/json', 'x-api-key': key }));
  const { body: job } = await ask<JobFacts>(service, withQuery('/psi', { url: page('a') }), { headers: own ?? {} });
  const wanted = { method: 'POST', body: JSON.stringify({ urls: [page('a')], cron: '0 3 * * *' }) };
  assert.equal((await ask(service, '/schedules', { ...wanted, headers: own ?? {} })).status, 201);
  assert.deepEqual((await ask(service, '/schedules', { headers: other ?? {} })).body, { schedules: [] });
  // Everything in an id except its time is random: 74 bits.
  assert.match(job.id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  const guessed = job.id.replace(/.$/, last => (last === '0' ? '1' : '0'));
  assert.equal((await ask(service, `/jobs/${guessed}`, { headers: other ?? {} })).status, 404);
  assert.equal((await ask(service, `/jobs/${job.id}`, { headers: other ?? {} })).status, 200);
});
