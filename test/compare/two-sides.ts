/**
 * Two sides that measure pages with one planted reason each to disagree. The remote side is a second service with the
 * settings of PSI, and its own way to the same address, where it finds another server.
 */
import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Cause, Comparison } from '../../src/contract/analysis/comparison.ts';
import type { Result } from '../../src/contract/result/result.ts';
import type { DialNetwork } from '../../src/measure/egress/dial.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { usualAudits } from '../support/audits/quick-audits.ts';
import { startLocalServer } from '../support/sites/local-server.ts';
import { type Scope, startService } from '../support/start-service.ts';

export type Both = { psi: Result; lighthouse: Result; comparison: Comparison };

const words = '<p>Words enough to paint something that counts as the largest of all.</p>'.repeat(20);
const page = (head: string, body = '') =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A page</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="description" content="A page.">
<link rel="icon" href="data:,">${head}</head><body><main><h1>Words to paint</h1>${words}${body}</main></body></html>`;

/** A style sheet that imports another, three levels deep; each level waits for the server once more. */
const chainedIn = (folder: string) => page(`<link rel="stylesheet" href="${folder}/1.css">`);
const sheets: Record<string, string> = { '1.css': '@import "2.css";', '2.css': '@import "3.css";', '3.css': 'h1{}' };
/** A page that blocks the main thread for 400 ms after its paint. */
const busy = page(
  '',
  `<script>requestAnimationFrame(() => setTimeout(() => {
    const end = performance.now() + 400;
    while (performance.now() < end);
  }, 50));</script>`,
);
const wall =
  '<!doctype html><html lang="en"><head><title>Wait</title></head><body><h1>Are you a robot?</h1></body></html>';
const picture = (alt: string) =>
  page(
    '',
    `<img ${alt} width="10" height="10" src="data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7">`,
  );

const pages: Record<string, { local: string; remote: string }> = {
  '/late/page': { local: chainedIn('/late'), remote: chainedIn('/late') },
  '/busy': { local: busy, remote: busy },
  '/wall': { local: page(''), remote: wall },
  '/same': { local: chainedIn(''), remote: chainedIn('') },
  '/picture': { local: picture('alt="A dot"'), remote: picture('') },
};

/** Delays everything under `/late/` by 300 ms on the remote side. */
const serve =
  (side: 'local' | 'remote'): RequestListener =>
  async (request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://pages');
    if (side === 'remote' && pathname.startsWith('/late/')) await delay(300);
    const sheet = sheets[pathname.split('/').at(-1) ?? ''];
    response.setHeader('content-type', sheet ? 'text/css' : 'text/html; charset=utf-8');
    response.end(sheet ?? pages[pathname]?.[side] ?? page(''));
  };

/** One address for both sides; each is connected to a server of its own. Nothing leaves this machine. */
const address = '93.184.216.34';
const networkTo = (server: { url: string }): DialNetwork => ({
  resolve: async () => [address],
  connect: () => connect(Number(new URL(server.url).port), '127.0.0.1'),
});
export async function startSides(scope: Scope) {
  const localNetwork = networkTo(await startLocalServer(scope, serve('local')));
  const remoteNetwork = networkTo(await startLocalServer(scope, serve('remote')));
  const remote = await startService(scope, {}, remoteNetwork, { audits: usualAudits });
  const endpoint = `${remote.url}/pagespeedonline/v5/runPagespeed`;
  const service = await startService(scope, { PSI_ENDPOINT: endpoint }, localNetwork, { audits: usualAudits });
  return { service, localNetwork, remoteNetwork };
}

export async function compare(
  service: { url: string },
  path: string,
  query: Record<string, string | number> = {},
): Promise<Both> {
  const target = withQuery('/compare', { url: `http://www.example.com${path}`, profile: 'psi', ...query });
  const { status, body } = await ask<Both>(service, target);
  assert.equal(status, 200, JSON.stringify(body));
  assert.ok(body.comparison, JSON.stringify(body));
  return body;
}

export const show = ({ causes, re_audits, scores, metrics }: Comparison): string =>
  JSON.stringify({ scores, causes, re_audits, metrics });
const performanceOf = (causes: readonly Cause[]) => causes.filter(({ category }) => category === 'performance');

/** Asserts that the points of all causes add up to the difference, within Lighthouse's rounding. */
export function assertWhole(comparison: Comparison): void {
  const sum = performanceOf(comparison.causes).reduce((total, { points }) => total + (points ?? 0), 0);
  const difference = comparison.scores.performance?.difference ?? assert.fail();
  assert.ok(Math.abs(sum - difference) <= 1.5, show(comparison));
}

/** Compares with the same settings on both sides. */
export async function comparePerformance(service: { url: string }, url: string): Promise<Comparison> {
  const query = { url, profile: 'psi', categories: 'performance' };
  const { status, body } = await ask<Both>(service, withQuery('/compare', query));
  assert.equal(status, 200, JSON.stringify(body));
  return body.comparison;
}
