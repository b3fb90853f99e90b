/** Asserts that readers that pause get the whole answer. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { TestContext } from 'node:test';
import { startFakePsi, toPsiBody } from '../support/analysers/fake-psi.ts';
import { withQuery } from '../support/asking/ask.ts';
import { readSlowly, type SlowRequest } from '../support/asking/slow-reader.ts';
import { captureLog } from '../support/captured-log.ts';
import { startService } from '../support/start-service.ts';

const page = (name: string | number) => `https://example.com/${name}`;
/** Compression halves it. */
const padding = randomBytes(1_000_000).toString('hex');

/** Starts a service with results of 2 MB and a heartbeat every millisecond. */
async function start(t: TestContext) {
  const fake = await startFakePsi(t);
  fake.answerWith(call => ({ body: toPsiBody(call, { stackPacks: [padding] }) }));
  const { log, lines } = captureLog();
  const service = await startService(t, { PSI_ENDPOINT: fake.endpoint }, undefined, { log, heartbeatMs: 1 });
  /** Pauses until the service has answered fifty other requests, so that it had time for everything else. */
  const pause = async () => {
    for (let round = 0; round < 50; round++) await fetch(`${service.url}/health`).then(answer => answer.text());
  };
  const outcomes = () => lines.flatMap(({ route, outcome }) => (route === '/psi' ? [outcome] : []));
  return { read: (request: SlowRequest) => readSlowly(service, request, pause), outcomes };
}

type Full = { url: string; lighthouse_result: { stackPacks: string[] } };

const assertFull = (result: Full, url: string) => {
  assert.equal(result.url, url);
  assert.equal(result.lighthouse_result.stackPacks[0], padding);
};

const lastEvent = (text: string): unknown => {
  const [block = ''] = text.split('\n\n').slice(-2);
  const [, name, data = ''] = /^event: (\w+)\ndata: (.*)$/.exec(block) ?? assert.fail(`no event: ${text.slice(-200)}`);
  assert.equal(name, 'result');
  return JSON.parse(data);
};

const json = (text: string): unknown => JSON.parse(text);
const lines = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line));

const codings = { 'as it is': {}, 'as gzip': { 'accept-encoding': 'gzip' } } as const;
type Coding = keyof typeof codings;

const readers = {
  'application/json': { parse: json, entries: (text: string) => (json(text) as { results: Full[] }).results },
  'text/event-stream': {
    parse: lastEvent,
    entries: (text: string) => (lastEvent(text) as { results: Full[] }).results,
  },
} as const;
const linesByIndex = (text: string): Full[] =>
  lines(text)
    .slice(0, -1)
    .toSorted((a, b) => a.index - b.index);

/** Requests both strategies of one page in a format. */
export async function assertWholeResult(t: TestContext, accept: keyof typeof readers, how: Coding): Promise<void> {
  const { read, outcomes } = await start(t);
  const target = withQuery('/psi', { url: page('a'), detailed: true });
  const answer = await read({ target, headers: { accept, ...codings[how] } });
  assert.equal(answer.headers.get('content-encoding'), how === 'as gzip' ? 'gzip' : null);
  const { mobile, desktop } = readers[accept].parse(answer.text) as { mobile: Full; desktop: Full };
  assertFull(mobile, page('a'));
  assertFull(desktop, page('a'));
  assert.ok(answer.pauses > 2, `${answer.pauses} pauses`);
  assert.deepEqual(outcomes(), ['ok']);
}

/** Requests a list with repeated pages in a format. */
export async function assertWholeBatch(
  t: TestContext,
  accept: keyof typeof readers | 'application/x-ndjson',
  how: Coding,
): Promise<void> {
  const { read, outcomes } = await start(t);
  const urls = ['a', 'b', 'a', 'c', 'a', 'b', 'd'].map(page);
  const answer = await read({
    method: 'POST',
    target: '/psi',
    headers: { accept, 'content-type': 'application/json', ...codings[how] },
    body: JSON.stringify({ urls, strategy: 'mobile', detailed: true }),
  });
  const results = accept === 'application/x-ndjson' ? linesByIndex(answer.text) : readers[accept].entries(answer.text);
  assert.equal(results.length, urls.length);
  for (const [index, url] of urls.entries()) assertFull(results[index] as Full, url);
  assert.ok(answer.pauses > 5, `${answer.pauses} pauses`);
  assert.deepEqual(outcomes(), ['ok']);
}
