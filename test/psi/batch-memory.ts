/** A batch needs memory for only a few of its results, whatever its format and its reader. No browser is started. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { startFakePsi, toPsiBody } from '../support/analysers/fake-psi.ts';
import { readSlowly } from '../support/asking/slow-reader.ts';
import { megabytes, memoryOf } from '../support/process-memory.ts';
import { startListening, withoutBrowser } from '../support/start-process.ts';

/** Large, but small when compressed, so that the test measures how many results are in memory uncompressed. */
const padding = 'a result of four megabytes '.repeat(150_000);

export const urls = Array.from({ length: 80 }, (_, index) => `https://example.com/${index}`);
const answerBytes = urls.length * padding.length;

export const whyNot = process.platform === 'linux' ? undefined : 'skipped: it reads memory from /proc';

export async function assertBounded(t: TestContext, accept: string): Promise<void> {
  const fake = await startFakePsi(t);
  fake.answerWith(call => ({ body: toPsiBody(call, { stackPacks: [padding] }) }));
  const environment = { PSI_ENDPOINT: fake.endpoint, PSI_RATE: '100000', ...withoutBrowser };
  const service = await startListening(t, { environment });
  const { pid = 0 } = service.child;
  const idle = memoryOf(pid, 'VmRSS');
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
  const headers = { accept, 'content-type': 'application/json' };
  const body = JSON.stringify({ urls, strategy: 'mobile', detailed: true });
  // Reads half a megabyte, then pauses until the service has answered a hundred other requests.
  let rounds = 100;
  const pause = async () => {
    for (; rounds > 0; rounds -= 1) await fetch(`${service.url}/health`).then(answer => answer.text());
  };
  const { text } = await readSlowly(service, { method: 'POST', target: '/psi', headers, body }, pause);
  assert.ok(text.length > answerBytes, `${text.length} bytes`);
  const peak = memoryOf(pid, 'VmHWM') - idle;
  t.diagnostic(`${megabytes(peak)} MB above ${megabytes(idle)} MB, for an answer of ${megabytes(answerBytes)} MB`);
  assert.ok(peak < answerBytes, `${megabytes(peak)} MB above idle`);
}
