/** One client that sends too much is refused or waits, and others are answered. No browser here. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Health } from '../../src/contract/health.ts';
import { type Answered, createClient, drip } from '../support/asking/address-client.ts';
import type { Invalid } from '../support/asking/invalid.ts';
import { buildMeasuredLhr } from '../support/builders/lhr.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { sharedThreads } from '../support/shared-threads.ts';
import { startService } from '../support/start-service.ts';

const scope = { after };
const service = await startService(scope, { DATA_DIR: makeScratchFolder(scope), TARGETS: 'public' });
const attacker = createClient(service.url, '127.0.0.4');
const other = createClient(service.url, '127.0.0.2');
const page = 'https://example.com/';

const listOf = <T>(count: number, toEntry: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => toEntry(at));
const jsonOf = <T>({ status, text }: Answered): T => {
  assert.ok(status < 300, `${status}: ${text}`);
  return JSON.parse(text) as T;
};
const post = (body: string, headers = {}) => ({ method: 'POST', body, headers }) as const;

/** Creates a project with an open build. */
async function openBuild() {
  const { id, token } = jsonOf<{ id: string; token: string }>(await other('/v1/projects', post('{"name":"Harbour"}')));
  const headers = { 'x-lhci-build-token': token };
  const build = JSON.stringify({ lifecycle: 'unsealed', branch: 'main', hash: 'a'.repeat(40) });
  const made = jsonOf<{ id: string }>(await other(`/v1/projects/${id}/builds`, post(build, headers)));
  return { runs: `/v1/projects/${id}/builds/${made.id}/runs`, headers };
}
const { runs, headers } = await openBuild();
const members = (count: number) => listOf(count, at => `"strate${at}":"x"`).join();
const experimentOf = (variant: string) => `{"url":"${page}","variants":[${variant}]}`;

const bodies = {
  '100,000 headers': experimentOf(`{"headers":{${members(100_000)}}}`),
  '1,000 headers': experimentOf(`{"headers":{${members(1000)}}}`),
  '400,000 unknown fields': `{${members(400_000)}}`,
  '1,900 unknown fields': experimentOf(`{"block":["a"]}`).replace('{', `{${members(1900)},`),
  'a list nested 100,000 deep': `{"url":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
  '300,000 variants': experimentOf(listOf(300_000, () => '{}').join()),
};

for (const [name, body] of Object.entries(bodies))
  test(`a body with ${name} is counted, and refused with few faults`, async () => {
    const { status, text } = await attacker('/experiments', post(body));
    assert.equal(status, 422);
    const { detail } = JSON.parse(text) as Invalid;
    assert.ok(detail.length >= 1 && detail.length <= 100);
  });

test('bodies that are never completed cost their client its share, and no other client anything', async () => {
  const first = Buffer.alloc(7_000_000, ' ');
  const attack = listOf(12, () =>
    drip(service.url, { path: '/experiments', headers: {}, first, localAddress: '127.0.0.4' }),
  );
  // The client's share is full when the first of them is refused.
  await Promise.race(attack);
  const { status } = await other('/psi', post('{"url":"http://127.0.0.1/"}'));
  assert.equal(status, 403);
});

test('uploads that are never completed are cut off, and another client uploads meanwhile', async () => {
  const announced = { ...headers, 'content-length': '35000000' };
  const attack = listOf(2, () =>
    drip(service.url, { path: runs, headers: announced, first: Buffer.from('{'), localAddress: '127.0.0.4' }),
  );
  const lhr = JSON.stringify({ ...buildMeasuredLhr(), finalUrl: page });
  const { status, text } = await other(runs, post(JSON.stringify({ url: page, lhr }), headers));
  assert.equal(status, 200, text);
  await Promise.all(attack);
});

const callsOf = (count: number, id: string) =>
  JSON.stringify(
    listOf(count, at => ({
      jsonrpc: '2.0',
      id: at,
      method: 'tools/call',
      params: { name: 'get_fix_evidence', arguments: { id, audit: 'large' } },
    })),
  );

test('a whole result is answered to many readers at once, and in a batch of an agent', async () => {
  const rows = listOf(3000, at => ({ url: `${page}${at}`, note: 'é'.repeat(100) }));
  const audit = { id: 'large', title: 'Large', score: 0, scoreDisplayMode: 'binary', details: { items: rows } };
  const lhr = JSON.stringify({ ...buildMeasuredLhr({ audits: [audit] }), finalUrl: page });
  const { id } = jsonOf<{ id: string }>(await other(runs, post(JSON.stringify({ url: page, lhr }), headers)));
  const url = `${service.url}/results/${id}?detailed=true`;
  const answers = await Promise.all(listOf(20, async () => (await fetch(url)).json()));
  for (const answer of answers)
    assert.deepEqual((answer as { lighthouse_result: object }).lighthouse_result, JSON.parse(lhr));
  const runsOf = await (await fetch(`${service.url}${runs}`)).json();
  assert.deepEqual((runsOf as { lhr: string }[]).map(({ lhr: text }) => text).filter(text => text === lhr).length, 1);
  const accepts = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-03-26' };
  const batch = await other('/mcp', post(callsOf(20, id), accepts));
  assert.equal(batch.status, 200);
  assert.equal(batch.text.match(/entries\\":3000/g)?.length, 20);
  assert.equal((await other('/mcp', post(callsOf(21, id), accepts))).status, 413);
});

test('/health reports a thread that is stuck', async t => {
  const status = { state: 'stuck', queued: 3, replaced: 1 } as const;
  const stuck = await startService(t, {}, undefined, { threads: { ...sharedThreads(), status: () => status } });
  const health = jsonOf<Health>(await createClient(stuck.url, '127.0.0.2')('/health'));
  assert.equal(health.status, 'degraded');
  assert.deepEqual(health.thread, status);
});
