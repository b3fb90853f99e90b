/**
 * Why two sides disagree, shown on pages with one planted reason each. Both sides are real: the remote one is a second
 * service with the settings of PSI, and its own way to the same address, where it finds another server.
 */
import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { connect } from 'node:net';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Cause, Comparison } from '../../src/compare/comparison.ts';
import type { Report } from '../../src/report/report.ts';
import type { Network } from '../../src/targets/dial.ts';
import { ask, withQuery } from '../ask.ts';
import { startLocalServer } from '../local-server.ts';
import { startSlowAnalyser } from '../slow-analyser.ts';
import { startService } from '../start-service.ts';

type Both = { psi: Report; lighthouse: Report; comparison: Comparison };

const words = '<p>Words enough to paint something that counts as the largest of all.</p>'.repeat(20);
const page = (head: string, body = '') =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A page</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="description" content="A page.">
<link rel="icon" href="data:,">${head}</head><body><main><h1>Words to paint</h1>${words}${body}</main></body></html>`;

/** A style sheet that needs another, three deep: each waits for the server once more. */
const chainedIn = (folder: string) => page(`<link rel="stylesheet" href="${folder}/1.css">`);
const sheets: Record<string, string> = { '1.css': '@import "2.css";', '2.css': '@import "3.css";', '3.css': 'h1{}' };
/** Half a second in which the page answers nobody, once it has painted. */
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

/** On the remote side everything under `/late/` comes 300 ms later. */
const serve =
  (side: 'local' | 'remote'): RequestListener =>
  async (request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://pages');
    if (side === 'remote' && pathname.startsWith('/late/')) await delay(300);
    const sheet = sheets[pathname.split('/').at(-1) ?? ''];
    response.setHeader('content-type', sheet ? 'text/css' : 'text/html; charset=utf-8');
    response.end(sheet ?? pages[pathname]?.[side] ?? page(''));
  };

/** One name for both sides; behind it each finds a server of its own. Nothing leaves this machine. */
const address = '93.184.216.34';
const networkTo = (server: { url: string }): Network => ({
  resolve: async () => [address],
  connect: () => connect(Number(new URL(server.url).port), '127.0.0.1'),
});
const localNetwork = networkTo(await startLocalServer({ after }, serve('local')));
const remoteNetwork = networkTo(await startLocalServer({ after }, serve('remote')));

const remote = await startService({ after }, {}, remoteNetwork);
const here = await startService(
  { after },
  { PSI_ENDPOINT: `${remote.url}/pagespeedonline/v5/runPagespeed` },
  localNetwork,
);

async function compare(
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

const show = ({ causes, re_audits, scores, metrics }: Comparison): string =>
  JSON.stringify({ scores, causes, re_audits, metrics });
const performanceOf = (causes: readonly Cause[]) => causes.filter(({ category }) => category === 'performance');

/** What is computed and what is left over make up the difference, as far as Lighthouse's rounding lets them. */
function assertWhole(comparison: Comparison): void {
  const sum = performanceOf(comparison.causes).reduce((total, { points }) => total + (points ?? 0), 0);
  const difference = comparison.scores.performance?.difference ?? assert.fail();
  assert.ok(Math.abs(sum - difference) <= 1.5, show(comparison));
}

test('a server that answers the remote side 300 ms later is the first cause, computed', async () => {
  const { comparison } = await compare(here, '/late/page', { categories: 'performance' });
  const [first] = comparison.causes;
  assert.deepEqual([first?.cause, first?.certainty], ['server', 'computed'], show(comparison));
  assert.ok((first?.points ?? 0) > 0, 'the local side, which was answered sooner, scores higher');
  assert.deepEqual(comparison.re_audits.order, ['server']);
  assertWhole(comparison);
});

test('a remote processor slowed down three times as much is the first cause, computed', async t => {
  const endpoint = await startSlowAnalyser(t, { cpuSlowdownMultiplier: 3.6, network: remoteNetwork });
  const service = await startService(t, { PSI_ENDPOINT: endpoint }, localNetwork);
  const { comparison } = await compare(service, '/busy', { categories: 'performance' });
  const [first] = comparison.causes;
  assert.deepEqual([first?.cause, first?.certainty], ['cpu', 'computed'], show(comparison));
  assert.ok((first?.points ?? 0) > 10, show(comparison));
  assert.deepEqual(first?.evidence[0], { fact: 'cpu_slowdown_multiplier', psi: 3.6, lighthouse: 1.2 });
  assertWhole(comparison);
});

test('a wall with status 200 in place of the page is the first cause', async () => {
  const { comparison } = await compare(here, '/wall');
  const [first] = comparison.causes;
  assert.deepEqual([first?.cause, first?.certainty], ['different_page', 'observed'], show(comparison));
  assert.ok(first?.evidence.some(({ fact }) => fact === 'document_bytes'));
  assert.match(comparison.verdict, /^The two sides did not load the same page;/);
});

test('under the same settings nothing beyond noise is claimed', async () => {
  const { comparison } = await compare(here, '/same');
  for (const { cause } of comparison.causes) assert.equal(cause, 'run_noise', show(comparison));
  // On a busy machine a server may have answered one side later; audited again, that has to come to nothing.
  assert.deepEqual(
    comparison.re_audits.order.filter(step => step !== 'server'),
    [],
    show(comparison),
  );
  assert.deepEqual(comparison.audits, { flipped: [], only_psi: [], only_lighthouse: [] });
});

test('an alternative text missing on one side is the first cause, and that side is named', async () => {
  const { comparison } = await compare(here, '/picture');
  const [first] = comparison.causes;
  assert.deepEqual([first?.cause, first?.category], ['audits', 'accessibility'], show(comparison));
  assert.deepEqual(first?.evidence, [{ fact: 'image-alt', psi: 0, lighthouse: 100 }]);
  const [flip] = comparison.audits.flipped;
  assert.deepEqual([flip?.id, flip?.fault_on], ['image-alt', 'psi']);
  assert.equal(Math.round(first?.points ?? 0), comparison.scores.accessibility?.difference);
  assert.match(comparison.verdict, /the remote side saw a fault in image-alt/);
});
