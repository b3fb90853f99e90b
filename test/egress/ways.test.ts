/**
 * Everything a page can load by, seen where the socket opens. From a local page every way leads to another local port;
 * so it is known that each was tried when from a public page none does.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Report } from '../../src/report/report.ts';
import { ask, withQuery } from '../ask.ts';
import { type Canary, startCanary } from '../canary.ts';
import { captureLog } from '../captured-log.ts';
import { startLocalServer } from '../local-server.ts';
import { createOwnNetwork } from '../own-network.ts';
import { startService } from '../start-service.ts';
import { toWaysOut, waysThatAsk } from '../ways-out.ts';
import { wrapBrowser } from '../wrapped-browser.ts';

const publicAddress = '93.184.216.34';

/** Not every machine has this address of its own. */
const startCanaryIfPossible = (host: string): Promise<Canary | undefined> =>
  startCanary({ after }, host).catch(() => undefined);

const canary = await startCanary({ after });
const canaries = [canary, await startCanaryIfPossible('127.0.0.2'), await startCanaryIfPossible('::1')].filter(
  found => found !== undefined,
);
const connections = () => canaries.reduce((sum, { connections }) => sum + connections.all.length, 0);

/** A site whose every path but its files is a page with all ways to one base; `{way}` stands for the way. */
const startSite = (toBase: () => readonly string[]) =>
  startLocalServer({ after }, (request, response) => {
    const bases = toBase();
    const to = (way: string) => (bases[[...waysThatAsk].indexOf(way as never) % bases.length] ?? bases[0] ?? '') + way;
    const ways = toWaysOut(to);
    const path = request.url ?? '/';
    const file = ways.files[path];
    if (path === '/frame-redirect') return response.writeHead(302, { location: to('frame-redirect') }).end();
    if (file) return response.setHeader('content-type', file.type).end(file.body);
    return response
      .setHeaders(new Map(Object.entries(ways.headers)))
      .setHeader('content-type', 'text/html')
      .end(ways.html);
  });

let bases: readonly string[] = [];
const site = await startSite(() => bases);
const sitePort = Number(new URL(site.url).port);
const names = { 'www.example.com': [publicAddress], localhost: ['127.0.0.1'], 'in.example.com': ['10.0.0.5'] };
const audit = (service: { url: string }, url: string) =>
  ask<Report>(service, withQuery('/lighthouse', { url, categories: 'best-practices,seo' }));

test('a local page reaches other local ports by every way there is', async t => {
  bases = [`http://127.0.0.1:${canary.port}/`];
  const network = createOwnNetwork(names);
  const service = await startService(t, { TARGETS: 'any' }, network);
  const { status, body } = await audit(service, `${site.url}/`);
  assert.deepEqual([status, body.environment.blocked_requests], [200, 0]);
  const asked = new Set(canary.requests.all.map(line => line.split(' ')[1]?.slice(1)));
  assert.deepEqual(
    waysThatAsk.filter(way => !asked.has(way)),
    [],
  );
  assert.ok(asked.has('source-map'), 'which Lighthouse asks for itself');
});

test('a local page never reaches this service, metadata or link-local addresses', async t => {
  const network = createOwnNetwork(names);
  const { log, lines } = captureLog();
  const service = await startService(t, { TARGETS: 'any' }, network, { log });
  const own = new URL(service.url).port;
  bases = [
    ...[`http://127.0.0.1:${own}/cache/clear?`, `http://localhost:${own}/`, `http://[::1]:${own}/`],
    ...[
      'http://169.254.169.254/latest/',
      'http://metadata.google.internal/',
      'http://[fe80::1]/',
      'http://[fd00:ec2::254]/',
    ],
  ];
  const { status, body } = await audit(service, `${site.url}/`);
  assert.equal(status, 200);
  assert.ok((body.environment.blocked_requests ?? 0) >= waysThatAsk.length, `${body.environment.blocked_requests}`);
  assert.deepEqual([...new Set(network.dialled)], [`127.0.0.1 ${sitePort}`]);
  const refused = new Set(
    lines.filter(({ reason }) => reason === 'blocked').map(({ host, port }) => `${host} ${port}`),
  );
  for (const place of [`127.0.0.1 ${own}`, `::1 ${own}`, '169.254.169.254 80', 'fe80::1 80'])
    assert.ok(refused.has(place), place);
});

test('a public page reaches nothing inside by any way, whatever TARGETS says, and is measured all the same', async t => {
  const before = connections();
  // A service worker is for secure pages only, and there is no certificate for a public name here.
  const browser = await wrapBrowser(t, ['--unsafely-treat-insecure-origin-as-secure=http://www.example.com']);
  const network = createOwnNetwork(names, { [publicAddress]: sitePort });
  for (const TARGETS of ['any', 'public', 'localhost,127.0.0.0/8,::1,10.0.0.0/8']) {
    const service = await startService(t, { TARGETS, CHROME_PATH: browser }, network);
    const own = new URL(service.url).port;
    bases =
      TARGETS === 'any'
        ? [`http://127.0.0.1:${canary.port}/`]
        : [
            ...canaries.map(({ port }, at) => `http://${['127.0.0.1', '127.0.0.2', '[::1]'][at]}:${port}/`),
            ...[
              `http://localhost:${canary.port}/`,
              `http://127.0.0.1:${own}/`,
              'http://169.254.169.254/',
              'http://10.0.0.5/',
            ],
            ...['http://in.example.com/', 'http://[fe80::1]/', 'http://printer.local/'],
          ];
    const { status, body } = await audit(service, 'http://www.example.com/');
    assert.equal(status, 200, TARGETS);
    assert.ok((body.environment.blocked_requests ?? 0) >= waysThatAsk.length, `${body.environment.blocked_requests}`);
  }
  assert.equal(connections(), before);
  assert.deepEqual([...new Set(network.dialled)], [`${publicAddress} 80`]);
});
