/** A job of many pages takes the memory of a few, and its state is read quickly. Nothing here starts a browser. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import type { TestContext } from 'node:test';
import type { JobAnswer } from '../../src/contract/jobs/job.ts';
import { startFakePsi, toPsiBody } from '../support/analysers/fake-psi.ts';
import { ask } from '../support/asking/ask.ts';
import { megabytes, memoryOf } from '../support/process-memory.ts';
import { startListening, withoutBrowser } from '../support/start-process.ts';
import { askForJob, followJob } from './jobs.ts';

export const whyNot = process.platform === 'linux' ? undefined : 'skipped: it reads memory from /proc';

/** Runs a short list first, so that everything an analysis needs is loaded. */
async function warmUp(service: { url: string }): Promise<void> {
  const { body } = await askForJob(service, { urls: ['https://example.com/warm', 'https://example.com/up'] });
  for await (const _ of followJob(service, body.id));
}

/** Nothing is stored here, so the job holds the answers. */
export async function assertFlat(t: TestContext, count: number, mostBytes: number): Promise<void> {
  const fake = await startFakePsi(t);
  // All measurements together are larger than the memory that the service may take, compressed too.
  const padding = randomBytes((1.5 * mostBytes) / count).toString('base64');
  fake.answerWith(call => ({ body: toPsiBody(call, { stackPacks: [padding] }) }));
  const environment = { PSI_ENDPOINT: fake.endpoint, PSI_RATE: '100000', CACHE_SIZE: '1', ...withoutBrowser };
  const service = await startListening(t, { environment });
  const { pid = 0 } = service.child;
  await warmUp(service);
  const before = memoryOf(pid, 'VmRSS');
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
  const urls = Array.from({ length: count }, (_, at) => `https://example.com/${at}/${'x'.repeat(60)}`);
  const beganMs = performance.now();
  const { status, body: asked } = await askForJob(service, { urls, strategy: 'mobile' });
  const acceptedMs = performance.now() - beganMs;
  assert.equal(status, 202);
  let last = 0;
  for await (const { id } of followJob(service, asked.id)) last = id;
  const totalMs = performance.now() - beganMs;
  assert.equal(last, count + 1);
  const { body: job } = await ask<JobAnswer>(service, `/jobs/${asked.id}?cursor=${count - 3}`);
  assert.deepEqual([job.progress.succeeded, job.pages.length, job.next], [count, 2, null]);
  const peak = memoryOf(pid, 'VmHWM') - before;
  t.diagnostic(
    `${count} pages: accepted in ${Math.round(acceptedMs)} ms, through in ${Math.round(totalMs / 1000)} s, ` +
      `${megabytes(peak)} MB above ${megabytes(before)} MB`,
  );
  assert.ok(peak < mostBytes, `${megabytes(peak)} MB above ${megabytes(before)} MB`);
}
