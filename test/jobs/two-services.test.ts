/** Two services over one PostgreSQL: a job is submitted to one, then read, followed and completed at the other. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { ExperimentAnswer } from '../../src/contract/experiments/answer.ts';
import type { JobAnswer } from '../../src/contract/jobs/job.ts';
import type { LocalAnalyser } from '../../src/measure/lighthouse/pool.ts';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { ask } from '../support/asking/ask.ts';
import { createTimedPool, isBlocking } from '../support/audits/timed-pool.ts';
import { captureLog } from '../support/captured-log.ts';
import { type Scope, startService } from '../support/start-service.ts';
import { startOwnPostgres } from '../support/surroundings/own-postgres.ts';
import { inTime, readUntil, until } from '../support/until.ts';
import { askForJob, followToEnd } from './jobs.ts';
import { startReceiver } from './receiver.ts';

const postgres = await startOwnPostgres({ after });
const urls = ['a', 'b', 'c'].map(name => `https://example.com/${name}`);

async function startOne(scope: Scope, { log } = captureLog()) {
  const fake = await startFakePsi(scope);
  const environment = {
    PSI_ENDPOINT: fake.endpoint,
    // Two services share it: each may call for all pages of a job at once.
    PSI_CONCURRENCY: String(2 * urls.length),
    DATABASE_URL: await postgres.createDatabase(),
    CALLBACK_SECRET: `whsec_${Buffer.from('a secret of thirty-two characters').toString('base64')}`,
  };
  const start = () => startService(scope, environment, undefined, { log });
  return { fake, start, one: await start() };
}

async function startTwo(scope: Scope) {
  const { start, ...started } = await startOne(scope);
  return { ...started, other: await start() };
}

test('a job is followed on another service to its end, and its answers are read there', async t => {
  const { one, other } = await startTwo(t);
  const { body: asked } = await askForJob(one, { urls, strategy: 'mobile' });
  const events = await followToEnd(other, asked.id);
  assert.deepEqual(
    events.map(({ event }) => event),
    ['progress', 'progress', 'progress', 'result'],
  );
  const { body: job } = await ask<JobAnswer>(other, `/jobs/${asked.id}`);
  assert.deepEqual([job.state, job.attempts], ['succeeded', 1]);
  const answer = await ask<{ url: string }>(other, job.pages[2]?.links.self ?? '');
  assert.deepEqual([answer.status, answer.body.url], [200, urls[2]]);
});

test('a job continues on another service when its service stops, and its reader follows', async t => {
  const { fake, one, start } = await startOne(t);
  const release = fake.hold();
  const { body: asked } = await askForJob(one, { urls, strategy: 'mobile' });
  await fake.calls.waitFor(3);
  // The other service starts only now, because either of two may take the job.
  const other = await start();
  const reader = await fetch(`${one.url}/jobs/${asked.id}/events`);
  await one.close(0);
  await reader.text();
  release();
  const events = await followToEnd(other, asked.id);
  assert.equal(events.at(-1)?.event, 'result');
  const { body: job } = await ask<JobAnswer>(other, `/jobs/${asked.id}`);
  assert.deepEqual([job.attempts, job.pages.map(({ attempts: tries }) => tries)], [2, [1, 1, 1]]);
});

test('another service can cancel a job, and its running audits end', async t => {
  const { fake, one, other } = await startTwo(t);
  fake.hold();
  const { body: asked } = await askForJob(one, { urls, strategy: 'mobile' });
  const [call] = await fake.calls.waitFor(3);
  await ask(other, `/jobs/${asked.id}`, { method: 'DELETE' });
  await inTime(call?.abandoned ?? assert.fail());
});

test('only the log has the reason why a private host did not accept a callback', async t => {
  const receiver = await startReceiver(t, () => 410);
  const captured = captureLog();
  const { one } = await startOne(t, captured);
  const { body: asked } = await askForJob(one, { urls, callback: receiver.url });
  const readCallback = async () => (await ask<JobAnswer>(one, `/jobs/${asked.id}`)).body.callback;
  const callback = await readUntil(readCallback, now => now?.state === 'given_up');
  assert.equal(callback?.error, 'it was not accepted; the log of the service has the reason');
  await until(() => captured.text().includes('HTTP 410 (Gone)'));
});

test('an outage of the database costs only time', async t => {
  const { fake, one, other } = await startTwo(t);
  const release = fake.hold();
  const { body: asked } = await askForJob(one, { urls, strategy: 'mobile' });
  await fake.calls.waitFor(3);
  await postgres.stop();
  // A result of this time waits to be written.
  release();
  const { status, body: problem } = await ask<{ code: string }>(other, `/jobs/${asked.id}`);
  assert.deepEqual([status, problem.code], [503, 'jobs_unavailable']);
  await postgres.start();
  const events = await followToEnd(other, asked.id);
  assert.equal(events.at(-1)?.event, 'result');
  const { body: job } = await ask<JobAnswer>(other, `/jobs/${asked.id}`);
  assert.deepEqual([job.attempts, job.pages.map(({ attempts: tries }) => tries)], [1, [1, 1, 1]]);
  assert.equal(fake.calls.all.length, 3);
});

test('an experiment continues on another service when its service stops, and keeps the loads so far', async t => {
  const environment = { DATABASE_URL: await postgres.createDatabase(), TARGETS: 'any' };
  const { pool, loads } = createTimedPool(load => (isBlocking(load) ? 1500 : 2000));
  const isHeld = Promise.withResolvers<void>();
  const audit: LocalAnalyser['audit'] = async (request, readPage, signal, options) => {
    if (loads.length < 11) return pool.audit(request, readPage, signal, options);
    isHeld.resolve();
    const stopped = Promise.withResolvers<never>();
    signal.addEventListener('abort', () => stopped.reject(signal.reason), { once: true });
    return stopped.promise;
  };
  const one = await startService(t, environment, undefined, { pool: { ...pool, audit } });
  const { body: asked } = await ask<ExperimentAnswer>(one, '/experiments', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ url: 'http://127.0.0.1:4321/page', variants: [{ block: ['ads.example'] }] }),
  });
  await isHeld.promise;
  const other = await startService(t, environment, undefined, { pool });
  await one.close(0);
  await followToEnd(other, asked.id);
  const { body: answer } = await ask<ExperimentAnswer>(other, `/experiments/${asked.id}`);
  const [variant = assert.fail()] = answer.variants;
  assert.deepEqual([answer.state, variant.status, variant.pairs.length], ['succeeded', 'better', 9]);
  const { body: job } = await ask<JobAnswer>(other, `/jobs/${asked.id}`);
  assert.deepEqual([job.attempts, job.progress.done, loads.length], [2, 27, 27]);
});
