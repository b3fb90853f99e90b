/** A real load, simulated again as another one would have been: the real pool, one audit, and what is computed of it. */
import assert from 'node:assert/strict';
import type { RequestListener } from 'node:http';
import { after, test } from 'node:test';
import type { PageChanges } from '../../src/measure/lighthouse/messages.ts';
import { busyFor, toPage, toPng } from '../compare/laboratory/site.ts';
import { createOwnPool, readOwnPage } from '../support/audits/create-own-pool.ts';
import { toPatientAudits } from '../support/audits/quick-audits.ts';
import { startLocalServer } from '../support/sites/local-server.ts';

const hero = toPng(1_500_000);
const files: Readonly<Record<string, [type: string, body: string | Buffer]>> = {
  '/': [
    'text/html',
    toPage({
      body: `<img src="hero.png" alt="A boat" width="380" height="380">
<script src="ads.js" defer></script><script src="starter.js" defer></script>`,
    }),
  ],
  '/hero.png': ['image/png', hero],
  // After the first paint, where it blocks.
  '/ads.js': ['text/javascript', `requestAnimationFrame(() => setTimeout(() => ${busyFor(250)}, 60));`],
  '/starter.js': [
    'text/javascript',
    `const next = document.createElement('script'); next.src = 'started.js'; document.body.append(next);`,
  ],
  '/started.js': ['text/javascript', '{}'],
};
const serve: RequestListener = ({ url = '' }, response) => {
  const [type, body] = files[url] ?? ['text/plain', ''];
  response.setHeader('content-type', type).end(body);
};

const server = await startLocalServer({ after }, serve);
const pool = createOwnPool(toPatientAudits({ reAuditMs: 60_000 }));
after(() => pool.close(0));
const { signal } = new AbortController();
const audit = await pool.audit(
  { url: `${server.url}/`, strategy: 'mobile', categories: ['performance'], profile: 'lighthouse', locale: 'en-US' },
  readOwnPage,
  signal,
  { keepArtifacts: true },
);
const artifacts = audit.artifacts ?? assert.fail('nothing was kept');

const page = (changes: Partial<PageChanges>) => ({
  page: { without: [], transferSizes: {}, scriptShares: {}, ...changes },
});
const at = (name: string) => `${server.url}/${name}`;

test('a smaller picture paints sooner, and a page without a script blocks less; files that start others stay', async () => {
  const [same, small, quiet, third, tied, last] = await pool.reAudit(
    artifacts,
    [
      {},
      page({ transferSizes: { [at('hero.png')]: 20_000 } }),
      page({ without: [at('ads.js')] }),
      page({ scriptShares: { [at('ads.js')]: 0.2 } }),
      page({ without: [at('starter.js')] }),
      {},
    ],
    signal,
  );
  const metricOf = (result: typeof same, id: string) => result?.[id]?.value ?? assert.fail(id);
  const [lcp, tbt] = ['largest-contentful-paint', 'total-blocking-time'];
  assert.ok(
    metricOf(small, lcp) < metricOf(same, lcp) - 2000,
    `${metricOf(small, lcp)} against ${metricOf(same, lcp)}`,
  );
  assert.ok(metricOf(quiet, tbt) < metricOf(same, tbt) - 500, `${metricOf(quiet, tbt)} against ${metricOf(same, tbt)}`);
  assert.ok(metricOf(third, tbt) < metricOf(same, tbt) - 300, `${metricOf(third, tbt)} against ${metricOf(same, tbt)}`);
  assert.deepEqual(tied, {}, 'a script that asked for another one is not taken out');
  assert.deepEqual(last, same, 'an experiment changes nothing for what comes after it');
  assert.equal(same?.performance?.score, (audit.value.result.scores.performance ?? assert.fail()) / 100);
});

test('the facts of a real load list its files, their timing, and the work of scripts', async () => {
  const { files, isSimulated, latencyMs, benchmarkIndex, otherCpuMs } = await pool.readFacts(artifacts, signal);
  const paths = Object.keys(files).map(url => url.slice(server.url.length));
  assert.deepEqual(paths.toSorted(), ['/', '/ads.js', '/hero.png', '/started.js', '/starter.js']);
  const of = (path: string) => files[`${server.url}${path}`] ?? assert.fail(path);
  assert.deepEqual([of('/').type, of('/').place, of('/hero.png').type], ['Document', 'first', 'Image']);
  assert.ok(of('/hero.png').bytes >= hero.length && of('/hero.png').resourceBytes >= hero.length);
  assert.ok(of('/ads.js').cpuMs > 50 && of('/starter.js').cpuMs < 50);
  assert.ok(isSimulated && Number(benchmarkIndex) > 0 && otherCpuMs >= 0);
  assert.ok((latencyMs[server.url] ?? -1) >= 0);
});

test('the largest paint of a real load waits for the files before it', async () => {
  const place = (name: 'largest' | 'after') => ({
    page: {
      without: [],
      transferSizes: {},
      scriptShares: {},
      places: { [`${server.url}/hero.png`]: { place: name, priority: 'High' } },
    },
  });
  const [before, after] = await pool.reAudit(artifacts, [place('largest'), place('after')], signal);
  const paintOf = (again: typeof before) => again?.['largest-contentful-paint']?.value ?? assert.fail('no paint');
  // 1.5 MB at 1.6 Mbit/s, half of which counts (the mean of two simulations) at least.
  assert.ok(paintOf(before) - paintOf(after) > 2000, `${paintOf(before)} − ${paintOf(after)}`);
});
