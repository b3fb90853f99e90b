/** Where a document may lead, seen where the socket opens; and what the caller is told. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Problem } from '../../src/http/schemas.ts';
import type { Report } from '../../src/report/report.ts';
import { ask, withQuery } from '../ask.ts';
import { startCanary } from '../canary.ts';
import { startLocalServer } from '../local-server.ts';
import { createOwnNetwork } from '../own-network.ts';
import { type StartedService, startService } from '../start-service.ts';

const publicAddress = '93.184.216.34';
const canary = await startCanary({ after });
const inside = `http://127.0.0.1:${canary.port}/`;
const script = (code: string) => `<script>${code}</script>`;
const leaveFor = (url: string) => script(`location.href = ${url}`);

const bodies: Readonly<Record<string, string>> = {
  '/': '',
  '/script': leaveFor(`'${inside}'`),
  '/late': script(`onload = () => setTimeout(() => { location.href = '${inside}' }, 1)`),
  '/refresh': `<meta http-equiv="refresh" content="0;url=${inside}">`,
  '/form': `<form id="f" method="post" action="${inside}"></form>${script('f.submit()')}`,
  '/frame-to-top': `<iframe srcdoc="<script>top.location = '${inside}'</script>"></iframe>`,
  '/file': leaveFor("'file:///etc/passwd'"),
  '/chrome': leaveFor("'chrome://version'"),
  '/view-source': leaveFor(`'view-source:${inside}'`),
  '/data': leaveFor(`'data:text/html,<img src=${inside}>'`),
  '/javascript': leaveFor(`'javascript:"<h1>More</h1><img src=${inside}>"'`),
  '/blob': leaveFor(`URL.createObjectURL(new Blob(['<h1>More</h1><img src=${inside}>'], { type: 'text/html' }))`),
  '/files-inside': `<iframe src="file:///etc/passwd"></iframe><img src="file:///etc/passwd" alt="">`,
};
const site = await startLocalServer({ after }, (request, response) => {
  const path = request.url ?? '/';
  const status = /^\/(30\d)$/.exec(path)?.[1];
  if (status) return response.writeHead(Number(status), { location: inside }).end();
  if (path === '/to-file') return response.writeHead(302, { location: 'file:///etc/passwd' }).end();
  if (path === '/twice') return response.writeHead(302, { location: 'http://cdn.example.com/302' }).end();
  if (path === '/refresh-header') response.setHeader('refresh', `0;url=${inside}`);
  response.setHeader('content-type', 'text/html; charset=utf-8');
  return response.end(
    `<!doctype html><html lang="en"><head><title>Page</title></head><body><h1>Words to paint</h1>${bodies[path] ?? ''}</body></html>`,
  );
});
const names = {
  'www.example.com': [publicAddress],
  'cdn.example.com': [publicAddress],
  'inside.example.com': ['10.0.0.5'],
  'mixed.example.com': [publicAddress, '127.0.0.1'],
  'app.internal': ['10.99.0.7'],
};
const network = createOwnNetwork(names, { [publicAddress]: Number(new URL(site.url).port) });
const anywhere = await startService({ after }, { TARGETS: 'any' }, network);
const hasty = await startService({ after }, { TARGETS: 'any', LIGHTHOUSE_TIMEOUT: '15' }, network);
const publicOnly = await startService({ after }, { TARGETS: 'public' }, network);
const listed = await startService({ after }, { TARGETS: 'app.internal,10.20.0.0/16' }, network);

const audit = <Body>(service: StartedService, url: string) =>
  ask<Body>(service, withQuery('/lighthouse', { url, categories: 'seo' }));

test('a public page whose document goes inside is target_forbidden, by header, script, refresh and form', async () => {
  const paths = ['302', '307', 'twice', 'script', 'late', 'refresh', 'refresh-header', 'form', 'frame-to-top'];
  await Promise.all(
    paths.map(async path => {
      const { body } = await audit<Problem>(anywhere, `http://www.example.com/${path}`);
      assert.deepEqual([body.status, body.code, body.source], [403, 'target_forbidden', 'lighthouse'], path);
      assert.match(body.detail, /127\.0\.0\.1 is a loopback address/);
    }),
  );
  assert.equal(canary.connections.all.length, 0);
});

test('a page that leaves for file:, chrome:, view-source:, data: or javascript: leaks nothing and is measured', async () => {
  const paths = ['file', 'chrome', 'view-source', 'data', 'javascript', 'files-inside'];
  await Promise.all(
    paths.map(async path => {
      const { status, body, text } = await audit<Report>(anywhere, `http://www.example.com/${path}`);
      assert.deepEqual([status, body.final_url], [200, `http://www.example.com/${path}`], path);
      assert.doesNotMatch(text, /root:x:0/);
    }),
  );
  assert.equal(canary.connections.all.length, 0);
});

test('a page that leaves for a blob of its own leaks nothing, whether Lighthouse sees the end of it or not', async () => {
  const { status, body } = await audit<Problem>(hasty, 'http://www.example.com/blob');
  assert.ok(status === 200 || body.code === 'lighthouse_timeout', `${status} ${body.code}`);
  assert.equal(canary.connections.all.length, 0);
});

test('a page that is sent to a file by a header is page_unreachable', async () => {
  const { body } = await audit<Problem>(anywhere, 'http://www.example.com/to-file');
  assert.equal(body.code, 'page_unreachable');
});

test('a name with a private answer is target_forbidden under TARGETS=public, also when another is public', async () => {
  for (const host of ['inside.example.com', 'mixed.example.com']) {
    const { body } = await audit<Problem>(publicOnly, `http://${host}/`);
    assert.deepEqual([body.status, body.code], [403, 'target_forbidden'], host);
  }
});

test('a listed name at an address outside the list is target_forbidden', async () => {
  const { body } = await audit<Problem>(listed, 'http://app.internal/');
  assert.deepEqual([body.status, body.code], [403, 'target_forbidden']);
});

test('a name with a public and a private answer is measured in public, where TARGETS allows both', async () => {
  const { status } = await audit<Report>(anywhere, 'http://mixed.example.com/');
  assert.equal(status, 200);
});

test('a host with a dot at its end is the same host', async () => {
  const { status } = await audit<Report>(anywhere, 'http://www.example.com./');
  assert.equal(status, 200);
  const { body } = await audit<Problem>(anywhere, 'http://www.example.com./302');
  assert.equal(body.code, 'target_forbidden');
});

test('a name that does not resolve is page_unreachable', async () => {
  const { body } = await audit<Problem>(anywhere, 'http://nobody.example.com/');
  assert.deepEqual([body.code, body.lighthouse_code], ['page_unreachable', 'DNS_FAILURE']);
});

test('of all this, only the public address was ever dialled', () => {
  assert.deepEqual([...new Set(network.dialled)], [`${publicAddress} 80`]);
  assert.equal(canary.connections.all.length, 0);
});
