/** Revoked keys, and operators, who see, cancel and remove the jobs and schedules of every client. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobAnswer, JobFacts } from '../../src/contract/jobs/job.ts';
import type { ScheduleFacts } from '../../src/contract/jobs/schedule.ts';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { type Scope, startService } from '../support/start-service.ts';
import { asyncHeaders } from './jobs.ts';

const [first, second, admin] = ['key-of-the-first-one', 'key-of-the-second-', 'key-of-the-operator'] as const;
const page = 'https://example.com/';

async function open(scope: Scope) {
  const fake = await startFakePsi(scope);
  const DATA_DIR = makeScratchFolder(scope);
  const start = (keys: Record<string, string>) =>
    startService(scope, { DATA_DIR, PSI_ENDPOINT: fake.endpoint, ...keys });
  return { fake, start };
}

const as = (key: string | undefined, more: Record<string, string> = {}) => ({
  headers: { ...(key === undefined ? {} : { 'x-api-key': key }), ...more },
});

const askForJob = async (service: { url: string }, key?: string, url = page) =>
  (await ask<JobFacts>(service, withQuery('/psi', { url }), as(key, asyncHeaders))).body;

const addSchedule = async (service: { url: string }, key: string, rhythm: object = { interval: 'PT1H' }) =>
  (
    await ask<ScheduleFacts>(service, '/schedules', {
      method: 'POST',
      ...as(key, { 'content-type': 'application/json' }),
      body: JSON.stringify({ urls: [page], ...rhythm }),
    })
  ).body;

test('an operator lists, stops and removes the jobs of every client, and is also a client', async t => {
  const { fake, start } = await open(t);
  fake.hold();
  const service = await start({ API_KEYS: `${first},${second}`, ADMIN_KEYS: admin });
  const jobs = [await askForJob(service, first), await askForJob(service, second), await askForJob(service, admin)];
  const schedule = await addSchedule(service, first, { cron: '0 0 1 1 *' });
  const listed = await ask<{ jobs: JobFacts[] }>(service, '/jobs?all=true', as(admin));
  const ids = listed.body.jobs.map(({ id }) => id);
  assert.ok(jobs.every(({ id }) => ids.includes(id)));
  assert.ok(listed.body.jobs.every(({ client }) => client?.startsWith('key ')));
  assert.ok([first, second, admin].every(key => !listed.text.includes(key)));
  const schedules = await ask<{ schedules: ScheduleFacts[] }>(service, '/schedules?all=true', as(admin));
  assert.deepEqual(
    schedules.body.schedules.map(({ id }) => id),
    [schedule.id],
  );
  for (const path of ['/jobs?all=true', '/schedules?all=true']) {
    const refused = await ask<{ code: string }>(service, path, as(first));
    assert.deepEqual([refused.status, refused.body.code], [403, 'operator_only']);
    assert.equal((await ask(service, path)).status, 401);
  }
  const [newest = '', ...others] = ids;
  const rest = await ask<{ jobs: JobFacts[] }>(service, `/jobs?all=true&before=${newest}`, as(admin));
  assert.deepEqual(
    rest.body.jobs.map(({ id }) => id),
    others,
  );
  const own = await ask<{ jobs: JobFacts[] }>(service, '/jobs', as(admin));
  assert.deepEqual([own.body.jobs.length, own.body.jobs[0]?.client], [1, undefined]);
  await ask(service, `/schedules/${schedule.id}`, { method: 'DELETE', ...as(admin) });
  for (const { id } of listed.body.jobs) {
    const stopped = await ask<JobFacts>(service, `/jobs/${id}`, { method: 'DELETE', ...as(admin) });
    assert.equal(stopped.body.state, 'cancelled');
    assert.equal((await ask<JobAnswer>(service, `/jobs/${id}`, as(admin))).body.pages[0]?.state, 'cancelled');
    await ask(service, `/jobs/${id}`, { method: 'DELETE', ...as(admin) });
  }
  assert.deepEqual((await ask(service, '/jobs?all=true', as(admin))).body, { jobs: [] });
});

test("an operator's key alone locks the service", async t => {
  const { start } = await open(t);
  const service = await start({ ADMIN_KEYS: admin });
  assert.equal((await ask(service, '/jobs')).status, 401);
  assert.equal((await ask(service, '/jobs?all=true', as(admin))).status, 200);
});

test("without keys, only requests from the machine itself are an operator's", async t => {
  const { start } = await open(t);
  const service = await start({});
  await askForJob(service);
  const { body } = await ask<{ jobs: JobFacts[] }>(service, '/jobs?all=true');
  assert.equal(body.jobs.length, 1);
  for (const header of ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip'])
    assert.equal((await ask(service, '/jobs?all=true', as(undefined, { [header]: '192.0.2.1' }))).status, 403);
  const behindProxy = await start({ TRUST_PROXY: '127.0.0.1' });
  const forwarded = as(undefined, { 'x-forwarded-for': '192.0.2.1' });
  assert.equal((await ask(behindProxy, '/jobs?all=true', forwarded)).status, 403);
});

test('schedules and jobs of a revoked key stop with a reason, and resume when the key is back', async t => {
  const { fake, start } = await open(t);
  const release = fake.hold();
  const before = await start({ API_KEYS: `${first},${second}` });
  const job = await askForJob(before, first);
  const schedule = await addSchedule(before, first);
  await fake.calls.waitFor(1);
  await before.close(0);
  release();
  const revoked = await start({ API_KEYS: second, ADMIN_KEYS: admin });
  // Another page, because the cache has no answer for it and the job waits.
  const own = await askForJob(revoked, second, 'https://example.org/');
  await readToEnd(revoked, own.id, second);
  const { body: stopped } = await ask<JobAnswer>(revoked, `/jobs/${job.id}`, as(admin));
  assert.match(stopped.reason ?? '', /key/);
  const { body: listed } = await ask<{ schedules: ScheduleFacts[] }>(revoked, '/schedules?all=true', as(admin));
  assert.match(listed.schedules[0]?.reason ?? '', /key/);
  const calls = fake.calls.all.length;
  await revoked.close(0);
  const back = await start({ API_KEYS: first });
  await readToEnd(back, job.id, first);
  assert.ok(fake.calls.all.length > calls);
  assert.equal((await ask<ScheduleFacts>(back, `/schedules/${schedule.id}`, as(first))).body.reason, null);
});

test('a service without keys does not continue jobs of keys, and shows them to its operator', async t => {
  const { fake, start } = await open(t);
  fake.hold();
  const locked = await start({ API_KEYS: first });
  const job = await askForJob(locked, first);
  await locked.close(0);
  const opened = await start({});
  const { body } = await ask<{ jobs: JobFacts[] }>(opened, '/jobs?all=true');
  assert.deepEqual(
    body.jobs.map(({ id }) => id),
    [job.id],
  );
  assert.match(body.jobs[0]?.reason ?? '', /key/);
});

async function readToEnd(service: { url: string }, id: string, key: string): Promise<void> {
  const response = await fetch(`${service.url}/jobs/${id}/events`, as(key));
  assert.equal(response.status, 200);
  await response.text();
}
