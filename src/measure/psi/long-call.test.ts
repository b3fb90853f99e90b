/** PSI_TIMEOUT is the only time limit of a call: no limit of a library ends it sooner. */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { type TestContext, test } from 'node:test';
import { sameThread } from '../../../test/support/audits/same-thread.ts';
import { buildMeasuredLhr } from '../../../test/support/builders/lhr.ts';
import { startLocalServer } from '../../../test/support/sites/local-server.ts';
import { impatient } from '../../../test/support/start-service.ts';
import { createPsiClient } from './client.ts';
import { toPsiResult } from './wire/wire-result.ts';

const globalDispatcher = Symbol.for('undici.globalDispatcher.1');
type DispatcherHolder = { [globalDispatcher]?: object };

/**
 * Shortens the timeouts of fetch for headers, and between two parts of a body, from 300 s to their minimum. A test that
 * waits until fetch gives up then covers calls of more than five minutes.
 */
async function shortenFetch(t: TestContext): Promise<void> {
  // The dispatcher exists after the first call.
  await fetch('data:,');
  const holder = globalThis as unknown as DispatcherHolder;
  const usual = holder[globalDispatcher] ?? assert.fail('fetch has no dispatcher');
  const Agent = usual.constructor as new (limits: { headersTimeout: number; bodyTimeout: number }) => object;
  holder[globalDispatcher] = new Agent({ headersTimeout: 1, bodyTimeout: 1 });
  t.after(() => {
    holder[globalDispatcher] = usual;
  });
}

const codeOf = (error: unknown) => (error as { cause?: { code?: string } }).cause?.code;

const settings = { timeoutMs: 60_000, concurrency: 4, ratePerMinute: Number.POSITIVE_INFINITY, patience: impatient };
const request = {
  url: 'https://example.com/',
  strategy: 'mobile',
  categories: [],
  locale: 'en-US',
  requestedAt: '2026-11-20T12:00:00.000Z',
} as const;

for (const [what, begin, code] of [
  ['to begin its answer', () => {}, 'UND_ERR_HEADERS_TIMEOUT'],
  ['between two parts of its answer', (response: ServerResponse) => response.write(' '), 'UND_ERR_BODY_TIMEOUT'],
] as const)
  test(`an analyser may take as long as PSI_TIMEOUT allows ${what}, longer than fetch waits`, async t => {
    await shortenFetch(t);
    const held: ServerResponse[] = [];
    const arrived = Promise.withResolvers<void>();
    const { url } = await startLocalServer(t, (_request, response) => {
      begin(response);
      held.push(response);
      arrived.resolve();
    });
    const server = { kind: 'custom', endpoint: url, host: new URL(url).host, apiKey: undefined } as const;
    const answer = createPsiClient({ server, threads: sameThread, ...settings }).analyse(
      request,
      new AbortController().signal,
    );
    answer.catch(() => {});
    await arrived.promise;
    // This request is sent after the analyser's call: a timeout that ends this one would have ended that one too.
    await assert.rejects(
      fetch(url).then(response => response.text()),
      error => codeOf(error) === code,
    );
    for (const response of held) response.end(JSON.stringify(toPsiResult(buildMeasuredLhr())));
    assert.ok((await answer).result);
    assert.equal(held.length, 2, 'the call and the one of this test: none was made a second time');
  });
