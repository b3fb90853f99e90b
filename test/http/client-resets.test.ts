/** A client that resets its connection is no defect of the service: the log has one line about it, and no error. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, test } from 'node:test';
import { captureLog } from '../support/captured-log.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startService } from '../support/start-service.ts';
import { until } from '../support/until.ts';

const scope = { after };
const { log, lines } = captureLog();
const service = await startService(scope, { DATA_DIR: makeScratchFolder(scope) }, undefined, { log });
const { hostname, port } = new URL(service.url);
const token = async () => {
  const body = JSON.stringify({ name: 'Resets' });
  return (await fetch(`${service.url}/v1/projects`, { method: 'POST', body })).json() as Promise<{
    id: string;
    token: string;
  }>;
};
const project = await token();

type Sent = { method: string; path: string; body?: string; announced?: number; chunked?: boolean };

/** Sends the start of a request, and resets the connection as soon as the service has read it. */
async function reset({ method, path, body = '', announced, chunked = false }: Sent): Promise<void> {
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  await once(socket, 'connect');
  const length = chunked ? 'transfer-encoding: chunked' : `content-length: ${announced ?? body.length}`;
  const head = [
    `${method} ${path} HTTP/1.1`,
    `host: ${hostname}:${port}`,
    'content-type: application/json',
    'accept: application/json, text/event-stream',
    `x-lhci-build-token: ${project.token}`,
    ...(method === 'GET' ? [] : [length]),
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  // An answered request on another connection shows that the service has read this one.
  await (await fetch(`${service.url}/health`)).text();
  socket.resetAndDestroy();
}

const toCall = (name: string, values: object) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: values } });

const runs = `/v1/projects/${project.id}/builds/none/runs`;
const sent: readonly Sent[] = [
  ...[
    ['POST', '/psi'],
    ['POST', '/jobs'],
    ['POST', '/experiments'],
    ['POST', '/mcp'],
    ['POST', '/v1/projects'],
    ['POST', '/v1/projects/lookup'],
    ['POST', `/v1/projects/${project.id}/builds`],
    ['POST', runs],
    ['PUT', `/v1/projects/${project.id}/builds/none/lifecycle`],
  ].flatMap(([method = '', path = '']) => [
    { method, path, body: '{"a":', announced: 1000 },
    { method, path, body: '', announced: 1000 },
    { method, path, body: '5\r\n{"a":\r\n', chunked: true },
  ]),
  // The service works on a complete request while the client disconnects.
  ...[
    ['/mcp', JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })],
    ['/mcp', toCall('get_history', { url: 'https://example.com/', metric: 'performance', strategy: 'mobile' })],
    ['/v1/projects/lookup', '{}'],
    [runs, '{}'],
  ].map(([path = '', body = '']) => ({ method: 'POST', path, body })),
  ...['/results?limit=1000', '/openapi.json', '/', '/docs', '/v1/projects', '/metrics', '/jobs'].map(path => ({
    method: 'GET',
    path,
  })),
];

test('a reset before, during or after the body is logged as a disconnect', async () => {
  const isRequest = ({ ms }: (typeof lines)[number]) => ms !== undefined;
  for (const request of sent) {
    const before = lines.filter(line => isRequest(line) && line.route !== '/health').length;
    await reset(request);
    await until(() => lines.filter(line => isRequest(line) && line.route !== '/health').length > before);
  }
  const wrong = lines.filter(
    ({ level, code, outcome }) => Number(level) >= 50 || code === 'internal' || outcome === 'internal',
  );
  assert.deepEqual(
    wrong.map(({ msg, route, code, err }) => [msg, route, code, (err as Error | undefined)?.message]),
    [],
  );
});
