import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { after, test } from 'node:test';
import type { Problem } from '../../src/http/schemas.ts';
import type { Report } from '../../src/report/report.ts';
import type { Network } from '../../src/targets/dial.ts';
import { ask, withQuery } from '../ask.ts';
import { type StartedService, startService } from '../start-service.ts';

/**
 * What the browser may reach, shown where the socket opens. Names and addresses are the test's own: public ones lead
 * to a server of the test, and nothing ever leaves this machine. The canary on loopback counts who gets through.
 */

const publicAddress = '93.184.216.34';
const page = (body: string) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Page</title></head><body><h1>Words to paint</h1>${body}</body></html>`;

let canaryConnections = 0;
const dialled: string[] = [];

const startServer = async (listener: RequestListener): Promise<number> => {
  const server = createServer(listener);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
};

const canaryPort = await startServer((_request, response) => {
  canaryConnections += 1;
  response.end('tweet');
});
const inside = `127.0.0.1:${canaryPort}`;
const pages: Record<string, string> = {
  '/': page(`
    <img src="http://${inside}/image.png" alt="">
    <iframe src="http://localhost:${canaryPort}/frame" title="frame"></iframe>
    <script>
      fetch('http://${inside}/fetch', { mode: 'no-cors' }).catch(() => {});
      new WebSocket('ws://${inside}/socket');
      new EventSource('http://${inside}/events');
      navigator.sendBeacon('http://${inside}/beacon');
      new Image().src = 'http://169.254.169.254/latest/';
    </script>`),
  '/script': page(`<script>location.href = 'http://${inside}/script'</script>`),
};
const pagesPort = await startServer((request, response) => {
  if (request.url === '/redirect') return response.writeHead(302, { location: `http://${inside}/` }).end();
  response.setHeader('content-type', 'text/html; charset=utf-8');
  return response.end(pages[request.url ?? '/'] ?? page('<p>More words</p>'));
});
const answers: Record<string, string[]> = {
  'www.example.com': [publicAddress],
  'inside.example.com': ['10.0.0.5'],
  'mixed.example.com': [publicAddress, '10.0.0.5'],
  localhost: ['127.0.0.1'],
};
const network: Network = {
  resolve: async host => {
    const known = answers[host];
    if (!known) throw new Error('unknown name');
    return known;
  },
  connect: (address, port) => {
    dialled.push(address);
    return address === publicAddress ? connect(pagesPort, '127.0.0.1') : connect(port, address);
  },
};
const anywhere = await startService({ after }, { TARGETS: 'any' }, network);
const publicOnly = await startService({ after }, { TARGETS: 'public' }, network);

const audit = <Body>(service: StartedService, url: string) =>
  ask<Body>(service, withQuery('/lighthouse', { url, categories: 'seo' }));

test('a public page under audit reaches nothing inside, whatever TARGETS says, and is measured all the same', async () => {
  const { status, body } = await audit<Report>(anywhere, 'http://www.example.com/');
  assert.equal(status, 200);
  assert.ok((body.environment.blocked_requests ?? 0) >= 4, `blocked: ${body.environment.blocked_requests}`);
  assert.equal(canaryConnections, 0);
});

test('a public page that redirects inside is target_forbidden', async () => {
  const { body } = await audit<Problem>(anywhere, 'http://www.example.com/redirect');
  assert.deepEqual([body.status, body.code, body.source], [403, 'target_forbidden', 'lighthouse']);
  assert.equal(canaryConnections, 0);
});

test('a public page whose script navigates inside is target_forbidden', async () => {
  const { body } = await audit<Problem>(anywhere, 'http://www.example.com/script');
  assert.deepEqual([body.status, body.code], [403, 'target_forbidden']);
  assert.equal(canaryConnections, 0);
});

test('a public name with a private address among its answers is target_forbidden under TARGETS=public', async () => {
  const answers = await Promise.all(
    ['http://inside.example.com/', 'http://mixed.example.com/'].map(url => audit<Problem>(publicOnly, url)),
  );
  for (const { body } of answers) assert.equal(body.code, 'target_forbidden');
});

test('a name that does not resolve is page_unreachable', async () => {
  const { body } = await audit<Problem>(anywhere, 'http://nobody.example.com/');
  assert.deepEqual([body.code, body.lighthouse_code], ['page_unreachable', 'DNS_FAILURE']);
});

test('of all this, only the public address was ever dialled', () => {
  assert.deepEqual([...new Set(dialled)], [publicAddress]);
});
