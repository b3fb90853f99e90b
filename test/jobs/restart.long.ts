/** A process is killed in the middle of a list, and the next one goes on with it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobAnswer } from '../../src/contract/jobs/job.ts';
import { startFakePsi, toPsiBody } from '../support/analysers/fake-psi.ts';
import { ask } from '../support/asking/ask.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startListening } from '../support/start-process.ts';
import { askForJob, followJob, followToEnd } from './jobs.ts';

const urls = Array.from({ length: 20 }, (_, at) => `https://example.com/${at}`);

test('after a kill -9 the job continues, and finished pages are not measured again', async t => {
  const fake = await startFakePsi(t);
  const stuck = Promise.withResolvers<void>();
  const isHeld = Promise.withResolvers<void>();
  fake.answerWith(async call => {
    if (fake.calls.all.length > 8) {
      isHeld.resolve();
      await stuck.promise;
    }
    return { body: toPsiBody(call) };
  });
  const environment = {
    DATA_DIR: makeScratchFolder(t),
    PSI_ENDPOINT: fake.endpoint,
    PSI_RATE: '100000',
    CACHE_TTL: '0',
  };
  const killed = await startListening(t, { environment });
  const { body: asked } = await askForJob(killed, { urls, strategy: 'mobile' });
  let seen = 0;
  for await (const { id } of followJob(killed, asked.id)) {
    seen = id;
    if (seen === 8) break;
  }
  await isHeld.promise;
  killed.child.kill('SIGKILL');
  await killed.exited;
  stuck.resolve();
  fake.answerWith(call => ({ body: toPsiBody(call) }));

  const next = await startListening(t, { environment });
  const events = await followToEnd(next, asked.id, seen);
  assert.deepEqual(
    events.map(({ id }) => id),
    Array.from({ length: 13 }, (_, at) => 9 + at),
  );
  const { body: job } = await ask<JobAnswer>(next, `/jobs/${asked.id}`);
  assert.deepEqual([job.state, job.attempts, job.progress.succeeded], ['succeeded', 2, 20]);
  const calls = Map.groupBy(fake.calls.all, ({ params }) => params.get('url'));
  const callsOf = (url: string) => calls.get(url)?.length ?? 0;
  // A page that waited for its call when the process was killed made none in its first attempt.
  for (const { url, attempts: tries } of job.pages) assert.ok(callsOf(url) >= 1 && callsOf(url) <= tries, url);
  const once = job.pages.filter(({ attempts: tries }) => tries === 1);
  assert.ok(once.length >= 15, 'eight had ended, and five at most were under way');
  next.child.kill('SIGTERM');
  assert.equal(await next.exited, 0);
});
