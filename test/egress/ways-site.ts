/**
 * A site whose pages use every way to load a resource, canaries on internal addresses, and audits of the site under a
 * public name.
 */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Result } from '../../src/contract/result/result.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { toPatientAudits } from '../support/audits/quick-audits.ts';
import { wrapBrowser } from '../support/audits/wrapped-browser.ts';
import { type Canary, startCanary } from '../support/sites/canary.ts';
import { startLocalServer } from '../support/sites/local-server.ts';
import { toWaysOut, waysThatAsk } from '../support/sites/ways-out.ts';
import { type Scope, startService } from '../support/start-service.ts';
import { createOwnNetwork } from '../support/surroundings/own-network.ts';

const publicAddress = '93.184.216.34';
export const names = { 'www.example.com': [publicAddress], localhost: ['127.0.0.1'], 'in.example.com': ['10.0.0.5'] };

export const auditWays = (service: { url: string }, url: string) =>
  ask<Result>(service, withQuery('/lighthouse', { url, categories: 'best-practices,seo' }));

export type WaysSite = {
  readonly url: string;
  readonly port: number;
  /** Sets the base URLs that the ways use in turn. */
  leadTo(bases: readonly string[]): void;
};

/** Every path is a page with all ways, except the paths of its files. */
export async function startWaysSite(scope: Scope): Promise<WaysSite> {
  let bases: readonly string[] = [];
  const { url } = await startLocalServer(scope, (request, response) => {
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
  return {
    url,
    port: Number(new URL(url).port),
    leadTo: next => {
      bases = next;
    },
  };
}

/** Canaries on every loopback address of this machine. */
export async function startCanaries(scope: Scope): Promise<readonly Canary[]> {
  const hosts = ['127.0.0.1', '127.0.0.2', '::1'];
  const canaries = await Promise.all(hosts.map(host => startCanary(scope, host).catch(() => undefined)));
  return canaries.filter(found => found !== undefined);
}

type Inside = { readonly site: WaysSite; readonly canaries: readonly Canary[]; readonly TARGETS: string };

/** Audits the site under a public name, with ways that lead to internal hosts. */
export async function assertReachesNothing(
  t: TestContext,
  { site, canaries, TARGETS }: Inside,
  toBases: (ownPort: string) => readonly string[],
): Promise<void> {
  const connections = () => canaries.reduce((sum, canary) => sum + canary.connections.all.length, 0);
  const before = connections();
  // A service worker needs a secure context, and there is no certificate for a public name here.
  const browser = await wrapBrowser(t, ['--unsafely-treat-insecure-origin-as-secure=http://www.example.com']);
  const network = createOwnNetwork(names, { [publicAddress]: site.port });
  const service = await startService(t, { TARGETS, CHROME_PATH: browser }, network, { audits: toPatientAudits() });
  site.leadTo(toBases(new URL(service.url).port));
  const { status, body } = await auditWays(service, 'http://www.example.com/');
  assert.equal(status, 200, TARGETS);
  assert.ok((body.environment.blocked_requests ?? 0) >= waysThatAsk.length, `${body.environment.blocked_requests}`);
  assert.equal(connections(), before);
  assert.deepEqual([...new Set(network.dialled)], [`${publicAddress} 80`]);
}
