/** A process stops in the middle of a list, and the next one goes on with it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobAnswer } from '../../src/contract/jobs/job.ts';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { ask } from '../support/asking/ask.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startListening, withoutBrowser } from '../support/start-process.ts';
import { askForJob, followToEnd } from './jobs.ts';

const urls = Array.from({ length: 3 }, (_, at) => `https://example.com/${at}`);

test('a graceful stop hands the job to the next process immediately', async t => {
  const fake = await startFakePsi(t);
  const release = fake.hold();
  const environment = {
    DATA_DIR: makeScratchFolder(t),
    PSI_ENDPOINT: fake.endpoint,
    SHUTDOWN_GRACE: '0',
    ...withoutBrowser,
  };
  const stopped = await startListening(t, { environment });
  const { body: asked } = await askForJob(stopped, { urls, strategy: 'mobile' });
  await fake.calls.waitFor(3);
  stopped.child.kill('SIGTERM');
  assert.equal(await stopped.exited, 0);
  release();
  const next = await startListening(t, { environment });
  await followToEnd(next, asked.id);
  const { body: job } = await ask<JobAnswer>(next, `/jobs/${asked.id}`);
  assert.deepEqual(
    [job.state, job.attempts, job.pages.map(({ attempts: tries }) => tries)],
    ['succeeded', 2, [1, 1, 1]],
  );
});
