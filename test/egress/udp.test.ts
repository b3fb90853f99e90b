/**
 * Traffic of the browser that bypasses the proxy, from its network log and from canaries. The control runs without the
 * proxy flags, which shows that both detect such traffic.
 */
import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { launch, type Page } from 'puppeteer-core';
import { findBrowser } from '../../src/measure/lighthouse/browser/find-browser.ts';
import { toFlags } from '../../src/measure/lighthouse/worker/browser.ts';
import { createArrivals } from '../support/arrivals.ts';
import { startLocalServer } from '../support/sites/local-server.ts';
import { openOwnEgress } from '../support/surroundings/own-egress.ts';
import { createOwnNetwork } from '../support/surroundings/own-network.ts';

type NetEvent = { type: number; phase: number; params?: { address?: string; host?: string } };
type NetLog = { constants: { logEventTypes: Record<string, number> }; events: NetEvent[] };

const readNetLog = (path: string) => {
  const log: NetLog = JSON.parse(readFileSync(path, 'utf8'));
  const { logEventTypes } = log.constants;
  return (name: string): NetEvent[] => {
    assert.ok(name in logEventTypes, `this browser knows no ${name}`);
    return log.events.filter(({ type }) => type === logEventTypes[name]);
  };
};

async function startUdpCanary(t: TestContext) {
  const packets = createArrivals<string>();
  const socket = createSocket('udp4').on('message', message => packets.add(message.toString('hex')));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  t.after(() => socket.close());
  return { packets, port: socket.address().port };
}

/** Runs in the page: STUN, TURN, WebTransport and HTTP/3 to the canary. It resolves when all of them have ended. */
const toUdpScript = (port: number): string => `(async () => {
  const servers = ['127.0.0.1', 'stun.example.com'].flatMap(host => [
    { urls: 'stun:' + host + ':${port}' },
    { urls: 'turn:' + host + ':${port}?transport=udp', username: 'a', credential: 'b' },
  ]);
  const peer = new RTCPeerConnection({ iceServers: servers });
  const candidates = [];
  const gathered = new Promise(resolve => {
    peer.onicecandidate = ({ candidate }) => (candidate ? candidates.push(candidate.candidate) : resolve());
  });
  peer.createDataChannel('any');
  await peer.setLocalDescription(await peer.createOffer());
  const transport = new WebTransport('https://127.0.0.1:${port}/');
  transport.closed.catch(() => {});
  await transport.ready.catch(() => {});
  await fetch('https://127.0.0.1:${port}/').catch(() => {});
  await gathered;
  return candidates;
})()`;

async function withPage(
  t: TestContext,
  flags: readonly string[],
  use: (page: Page) => Promise<void>,
): Promise<ReturnType<typeof readNetLog>> {
  const { PATH = '', XDG_CACHE_HOME } = process.env;
  const found = await findBrowser({ chromePath: undefined, path: PATH, cacheHome: XDG_CACHE_HOME })?.prepare();
  assert.ok(found, 'no browser');
  const folder = mkdtempSync(join(tmpdir(), 'rangelight-udp-'));
  chmodSync(folder, 0o700);
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const browser = await launch({
    executablePath: found.executablePath,
    headless: 'shell',
    pipe: true,
    userDataDir: join(folder, 'profile'),
    env: { PATH, HOME: folder, TMPDIR: folder, ...found.env },
    args: [...flags, `--log-net-log=${join(folder, 'net.json')}`],
  });
  try {
    await use(await browser.newPage());
  } finally {
    await browser.close();
  }
  return readNetLog(join(folder, 'net.json'));
}

async function startSite(t: TestContext): Promise<string> {
  const { url } = await startLocalServer(t, (_request, response) => {
    const links = '<link rel="dns-prefetch" href="//prefetch.example.com"><img src="http://img.example.com/x" alt="">';
    response.setHeader('content-type', 'text/html').end(`<!doctype html><title>Page</title>${links}<p>Words`);
  });
  // A host name that is a secure context, which WebTransport requires.
  return url.replace('127.0.0.1', 'localhost');
}

/** Hosts that the browser itself resolved, except the literal address of the canary. */
const namesAsked = (events: ReturnType<typeof readNetLog>): string[] =>
  events('HOST_RESOLVER_MANAGER_REQUEST')
    .flatMap(({ params }) => params?.host ?? [])
    .filter(host => !host.startsWith('https://127.0.0.1:'));

/** Uses QUIC without waiting for a server to offer it. */
const forceQuic = (port: number) => `--origin-to-force-quic-on=127.0.0.1:${port}`;

test('the browser sends no UDP, asks no name server and connects only to its proxy', async t => {
  const [url, canary] = await Promise.all([startSite(t), startUdpCanary(t)]);
  const network = createOwnNetwork({ localhost: ['127.0.0.1'] });
  const { egress } = await openOwnEgress(t, 0, { network, startUrl: url });
  const flags = [...toFlags({ sandbox: false, proxyUrl: egress.proxyUrl }), forceQuic(canary.port)];
  const events = await withPage(t, flags, async page => {
    await page.goto(url);
    assert.deepEqual(await page.evaluate(toUdpScript(canary.port)), [], 'no candidate, which would tell an address');
  });
  assert.deepEqual(canary.packets.all, []);
  assert.deepEqual(events('UDP_BYTES_SENT'), []);
  assert.deepEqual(namesAsked(events), []);
  const dialled = events('TCP_CONNECT_ATTEMPT').flatMap(({ params }) => params?.address ?? []);
  assert.deepEqual([...new Set(dialled)], [new URL(egress.proxyUrl).host]);
  assert.ok(network.lookups.includes('img.example.com'), 'which the proxy was asked for');
});

test('control: without the proxy flags the same page sends UDP and asks a name server', async t => {
  const [url, canary] = await Promise.all([startSite(t), startUdpCanary(t)]);
  // Every name resolves to this machine, so that nothing leaves it; local candidates need no request to the network.
  const flags = [
    '--no-sandbox',
    '--host-resolver-rules=MAP * 127.0.0.9 , EXCLUDE localhost , EXCLUDE 127.0.0.1',
    '--disable-features=WebRtcHideLocalIpsWithMdns',
  ];
  const isQuic = (packet: string) => /^[c-f]/.test(packet);
  const events = await withPage(t, [...flags, forceQuic(canary.port)], async page => {
    await page.goto(url);
    page.evaluate(toUdpScript(canary.port)).catch(() => {});
    await canary.packets.waitFor(1, packet => !isQuic(packet));
    await canary.packets.waitFor(1, isQuic);
  });
  assert.ok(events('UDP_BYTES_SENT').length > 0);
  assert.ok(namesAsked(events).length > 0);
});
