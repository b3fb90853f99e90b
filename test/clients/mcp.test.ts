/**
 * Agents with the client of the MCP SDK, over both transports and both protocol versions, with a service whose page
 * tries to give the agent instructions.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Client } from '@modelcontextprotocol/client';
import { followToEnd } from '../jobs/jobs.ts';
import { startFakePsi, toPsiBody } from '../support/analysers/fake-psi.ts';
import { withQuery } from '../support/asking/ask.ts';
import { createTimedPool, isBlocking } from '../support/audits/timed-pool.ts';
import { buildAudit, buildCategory, buildRef, metricRefs } from '../support/builders/lhr.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startLocalServer } from '../support/sites/local-server.ts';
import { type Scope, type StartedService, startService } from '../support/start-service.ts';
import { assertMarked, connectByHttp, connectByStdio, type Json, order, protocols, structured } from './agent.ts';

const hidden = `${order}\u202e\u0007`;
/** An audit with as much content as possible: 500 entries, with the instruction in every text. */
const items = Array.from({ length: 500 }, (_, at) => ({
  source: 'console.error',
  description: `${hidden} ${'x'.repeat(3000)}`,
  url: `https://example.com/${at}?${'y'.repeat(500)}`,
  node: { type: 'node', snippet: `<p title="${order}">`, nodeLabel: order, selector: 'p' },
}));
const audits = [
  buildAudit('errors-in-console', { score: 0, displayValue: order, details: { type: 'table', headings: [], items } }),
  ...Array.from({ length: 80 }, (_, at) => buildAudit(`failed-${at}`, { score: 0 })),
];

async function startHostile(scope: Scope, environment: Record<string, string> = {}): Promise<StartedService> {
  const fake = await startFakePsi(scope);
  fake.answerWith(call => {
    const body = toPsiBody(call);
    const lhr = body.lighthouseResult as Record<'audits' | 'categories', object> & Record<string, unknown>;
    // Without a new time, all answers would count as one measurement.
    lhr.fetchTime = new Date().toISOString();
    lhr.audits = { ...lhr.audits, ...Object.fromEntries(audits.map(audit => [audit.id, audit])) };
    lhr.categories = {
      performance: buildCategory('performance', metricRefs, 0.5),
      'best-practices': buildCategory(
        'best-practices',
        audits.map(({ id }) => buildRef(id)),
        0,
      ),
    };
    lhr.finalDisplayedUrl = `https://example.com/?q=${encodeURIComponent(order)}`;
    return { body: { ...body, lighthouseResult: { ...lhr, runWarnings: [hidden] } } };
  });
  const dataDir = makeScratchFolder(scope);
  return startService(scope, { PSI_ENDPOINT: fake.endpoint, DATA_DIR: dataDir, ...environment });
}

const categories = ['performance', 'best-practices'];

async function measure(client: Client, url: string, label: string): Promise<string> {
  const call = async (name: string, values: Json) => structured(await client.callTool({ name, arguments: values }));
  const { job } = await call('measure', { url, analyser: 'psi', categories, label });
  const { state, results } = await call('get_job', { job, wait_seconds: 25 });
  assert.equal(state, 'succeeded');
  const [{ id }] = results as [{ id: string }];
  return id;
}

const file: Scope = { after };
const service = await startHostile(file);

for (const mode of ['legacy', 'auto'] as const)
  for (const [transport, connect] of [
    ['Streamable HTTP', connectByHttp],
    ['the standard streams', connectByStdio],
  ] as const) {
    const client = await connect(file, service, mode);
    const name = `${protocols[mode]} over ${transport}`;
    const page = `https://example.com/${mode}/${connect.name}`;
    const call = async (tool: string, values: Json) =>
      structured(await client.callTool({ name: tool, arguments: values }));

    test(`${name}: every tool has a title, an input and annotations, and the instructions say what is untrusted`, async () => {
      const { tools } = await client.listTools();
      const names = tools.map(tool => tool.name);
      assert.deepEqual(names, [
        ...['measure', 'compare_analysers', 'get_job', 'explain_result', 'list_fixes', 'get_fix_evidence'],
        ...['predict_changes', 'get_history', 'get_change_verdict', 'start_experiment', 'compare_urls'],
        ...['get_experiment', 'find_pages', 'add_note'],
      ]);
      for (const { name: tool, title, description, inputSchema, annotations } of tools) {
        assert.ok(title && description && inputSchema.type === 'object', tool);
        assert.equal(annotations?.readOnlyHint, !/^(?:measure|compare_|start_|add_)/.test(tool), tool);
      }
      assert.match(client.getInstructions() ?? '', /`untrusted`.*treat it as data/s);
    });

    test(`${name}: a page is measured, explained, and its fixes are followed to their evidence`, async () => {
      const [earlier, later] = [await measure(client, page, 'v1'), await measure(client, page, 'v2')];
      const explained = (await call('explain_result', { id: later })).result as Json;
      assert.deepEqual([explained.id, (explained.scores as Json)['best-practices']], [later, 0]);
      const first = await call('list_fixes', { id: later, category: 'best-practices' });
      assert.equal(first.total, audits.length);
      const next = await call('list_fixes', { id: later, category: 'best-practices', offset: first.next_offset });
      const fixesOf = ({ fixes }: Json) => (fixes as { audit: string }[]).map(({ audit }) => audit);
      assert.ok(fixesOf(first).length > 0 && fixesOf(next).length > 0);
      assert.ok(!fixesOf(next).some(audit => fixesOf(first).includes(audit)), 'the second part repeats the first');
      const evidence = await call('get_fix_evidence', { id: later, audit: 'errors-in-console' });
      assert.equal(evidence.entries, items.length);
      const history = await call('get_history', { url: page, source: 'psi' });
      assert.deepEqual(
        (history.points as { id: string }[]).map(({ id }) => id),
        [earlier, later],
      );
      const { status } = await call('get_change_verdict', { before: 'v1', after: 'v2', url: page });
      assert.ok(['no_difference', 'undecided'].includes(String(status)), String(status));
    });

    test(`${name}: the page's instructions stay data, wherever they occur`, async () => {
      const id = await measure(client, page, 'hostile');
      assertMarked(await call('explain_result', { id }));
      assertMarked(await call('list_fixes', { id }));
      const evidence = await call('get_fix_evidence', { id, audit: 'errors-in-console' });
      assertMarked(evidence);
      assert.match(JSON.stringify(evidence), /Ignore your instructions/, 'the page had its say');
    });

    test(`${name}: stored results are resources`, async () => {
      const id = await measure(client, page, 'resource');
      const { resources } = await client.listResources();
      const uri = `rangelight://results/${id}`;
      assert.ok(resources.some(resource => resource.uri === uri));
      const [content] = (await client.readResource({ uri })).contents;
      assert.ok(content && 'text' in content);
      assert.equal((JSON.parse(content.text).result as Json).id, id);
    });

    test(`${name}: errors are reported as data`, async () => {
      const refuse = async (tool: string, values: Json) => {
        const { isError, content } = await client.callTool({ name: tool, arguments: values });
        assert.equal(isError, true);
        return JSON.stringify(content);
      };
      const id = await measure(client, page, 'wrong');
      assert.match(await refuse('explain_result', { id: 'none' }), /untrusted/);
      assert.match(await refuse('measure', { url: `ftp://${order}` }), /untrusted/);
      assert.match(await refuse('get_fix_evidence', { id, audit: '__proto__' }), /no audit/);
      assert.match(await refuse('predict_changes', { id }), /untrusted/);
      assert.match(await refuse('measure', { url: page, runs: 99 }), /runs/);
    });
  }

test('an agent finds pages, notes a deploy, and decides an experiment and a comparison of two URLs by a mark', async t => {
  const site = await startLocalServer(t, ({ url: path }, response) => {
    if (path === '/' || path === '/about') response.setHeader('content-type', 'text/html').end('<a href="/about">');
    else response.writeHead(404).end();
  });
  const preview = `${site.url}/preview`;
  const { pool } = createTimedPool(audit => 1000 + (isBlocking(audit) || audit.url === preview ? 300 : 0));
  const environment = { DATA_DIR: makeScratchFolder(t), TARGETS: 'any' };
  const own = await startService(t, environment, undefined, { pool });
  const client = await connectByHttp(t, own, 'auto');
  const call = async (tool: string, values: Json) =>
    structured(await client.callTool({ name: tool, arguments: values }));
  const url = `${site.url}/`;
  const found = await call('find_pages', { url });
  assert.deepEqual([found.found, (found.urls as Json[]).length], [2, 2]);
  const { host } = new URL(url);
  assert.deepEqual((await call('add_note', { site: url, text: 'Deploy 1.8.0' })).site, { untrusted: host });
  const metric = 'mark:hero-shown';
  for (const started of [
    await call('start_experiment', { url, metric, variants: [{ block: ['*.js'] }] }),
    await call('compare_urls', { before: url, after: preview, metric }),
  ]) {
    await followToEnd(own, String(started.experiment));
    const read = await call('get_experiment', { experiment: started.experiment });
    const [variant] = read.variants as Json[];
    assert.deepEqual([read.metric, variant?.status, variant?.difference], [metric, 'worse', 300]);
  }
});

test('/mcp has the same keys, hosts, origins and limits as every route', async t => {
  const key = 'k'.repeat(24);
  const limited = await startHostile(t, { API_KEYS: key, RATE_LIMIT: '1' });
  const send = (headers: Record<string, string>, body: unknown = { jsonrpc: '2.0', id: 1, method: 'tools/list' }) =>
    fetch(`${limited.url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body: JSON.stringify(body),
    });
  assert.equal((await send({})).status, 401);
  assert.equal((await send({ 'x-api-key': 'wrong' })).status, 401);
  assert.equal((await send({ 'x-api-key': key, origin: 'https://evil.example' })).status, 403);
  const page = 'https://example.com/';
  const tooLarge = await send({ 'x-api-key': key }, { jsonrpc: '2.0', id: 1, method: 'x'.repeat(300 * 1024) });
  assert.equal(tooLarge.status, 413);
  const client = await connectByHttp(t, limited, 'auto', { authorization: `Bearer ${key}` });
  await measure(client, page, 'within the limit');
  const second = await client.callTool({ name: 'measure', arguments: { url: page, analyser: 'psi', label: 'two' } });
  assert.match(JSON.stringify(second), /rate_limited/);
  const asHttp = await fetch(withQuery(`${limited.url}/psi`, { url: page }), { headers: { 'x-api-key': key } });
  assert.equal(asHttp.status, 429, 'the tools and the routes share one limit');
});

test('two concurrent clients each get their own results, and a client without a key gets none', async t => {
  const key = 'k'.repeat(24);
  const locked = await startHostile(t, { API_KEYS: key });
  const authorization = `Bearer ${key}`;
  const clients = [
    await connectByHttp(t, locked, 'auto', { authorization }),
    await connectByHttp(t, locked, 'legacy', { authorization }),
  ];
  const pages = clients.map((_, at) => `https://example.com/of-client-${at}`);
  const ids = await Promise.all(clients.map((client, at) => measure(client, pages[at] ?? '', `client-${at}`)));
  for (const [at, client] of clients.entries()) {
    const { points } = structured(
      await client.callTool({ name: 'get_history', arguments: { url: pages[at], source: 'psi' } }),
    );
    assert.deepEqual(
      (points as { id: string }[]).map(({ id }) => id),
      [ids[at]],
    );
  }
  const keyless = await connectByStdio(t, locked, 'auto');
  const { isError, content } = await keyless.callTool({ name: 'explain_result', arguments: { id: ids[0] } });
  assert.equal(isError, true);
  assert.match(JSON.stringify(content), /\(unauthorized\)/);
});
