/** Auditing a load again under other settings: the real pool, one real load, and what is left of it. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { startSite } from '../../demo/site.ts';
import type { FilePlace } from '../../src/contract/result/load-facts.ts';
import type { Lhr } from '../../src/measure/lhr/lhr.ts';
import { metricAudits } from '../../src/measure/lighthouse/worker/simulation/re-audit.ts';
import { descendantsOf, isAlive, isWorker, type Process, whyNoProcessTree } from '../leak/process-tree.ts';
import { createOwnPool, readOwnPage } from '../support/audits/create-own-pool.ts';
import { startLocalServer } from '../support/sites/local-server.ts';
import { until } from '../support/until.ts';

/** All that the pool writes goes here, so that it can be seen what stays. */
const scratch = await mkdtemp(join(tmpdir(), 'rangelight-test-'));
await chmod(scratch, 0o755);
process.env.TMPDIR = scratch;
const foldersLeft = () =>
  readdirSync(scratch).flatMap(home => readdirSync(join(scratch, home)).filter(name => name.startsWith('audit-')));

const site = await startSite();
const pool = createOwnPool();
after(async () => {
  await pool.close(0);
  await site.close();
  await rm(scratch, { recursive: true, force: true });
});

const staying = new AbortController().signal;
const request = {
  url: `${site.url}/faulty.html`,
  strategy: 'mobile',
  categories: ['performance', 'seo'],
  profile: 'lighthouse',
  locale: 'en-US',
} as const;
const audit = await pool.audit(request, readOwnPage, staying, { keepArtifacts: true });
const artifacts = audit.artifacts ?? assert.fail('nothing was kept');

test('unchanged settings give the measured result, changed ones their effect on it', async () => {
  const origin = site.url;
  const [same, slow, fast, late, wired] = await pool.reAudit(
    artifacts,
    [
      {},
      { cpuSlowdownMultiplier: 12 },
      { cpuSlowdownMultiplier: 1.2 },
      { latency: { additionalRttByOrigin: { [origin]: 0 }, serverResponseTimeByOrigin: { [origin]: 2000 } } },
      { rttMs: 10, throughputKbps: 100_000 },
    ],
    staying,
  );
  const lhr: Lhr = JSON.parse(audit.value.lighthouseResult.toString());
  for (const id of metricAudits) {
    const { score, numericValue } = lhr.audits[id] ?? assert.fail();
    assert.deepEqual(same?.[id], { score, value: numericValue });
  }
  const metricOf = (result: typeof same, id: string) => result?.[id]?.value ?? assert.fail();
  const [tbt, fcp] = ['total-blocking-time', 'first-contentful-paint'] as const;
  assert.ok(metricOf(slow, tbt) > 2 * metricOf(same, tbt));
  assert.ok(metricOf(fast, tbt) < metricOf(same, tbt) / 2);
  assert.ok(metricOf(late, fcp) > metricOf(same, fcp) + 1000);
  assert.ok(metricOf(wired, fcp) < metricOf(same, fcp));
});

test('a file that another load got between its paints delays the largest one alone', async t => {
  const plain = await startLocalServer(t, ({ url }, response) => {
    response.setHeader('content-type', url === '/style.css' ? 'text/css' : 'text/html');
    response.end(url === '/style.css' ? 'p { font-size: 40px }' : '<link rel=stylesheet href=/style.css><p>Boats</p>');
  });
  const page = { ...request, url: `${plain.url}/`, categories: ['performance'] } as const;
  const { artifacts: stored = '', value } = await pool.audit(page, readOwnPage, staying, { keepArtifacts: true });
  const { details } = (JSON.parse(value.lighthouseResult.toString()) as Lhr).audits.metrics ?? assert.fail();
  const { items } = details as { items: [Record<string, number>] };
  const [observed] = items;
  assert.equal(observed.observedFirstContentfulPaint, observed.observedLargestContentfulPaint, 'one frame');
  const placeAt = (place: FilePlace) => {
    const places = { [`${plain.url}/style.css`]: { place, priority: 'VeryHigh' } };
    return { page: { without: [], transferSizes: {}, scriptShares: {}, places } };
  };
  const results = await pool.reAudit(stored, (['first', 'largest', 'after'] as const).map(placeAt), staying);
  const [first, largest, after] = results.map(result =>
    ['first-contentful-paint', 'largest-contentful-paint'].map(id => result[id]?.value ?? assert.fail()),
  ) as [number, number][] as [[number, number], [number, number], [number, number]];
  assert.deepEqual([largest[0] < first[0], largest[1]], [true, first[1]]);
  assert.deepEqual([after[0], after[1] < largest[1]], [largest[0], true]);
  await pool.release(stored);
});

test('artifacts outlive other audits on the same worker', async () => {
  const other = await pool.audit({ ...request, categories: ['seo'] }, readOwnPage, staying);
  assert.equal(other.artifacts, undefined);
  assert.equal((await pool.reAudit(artifacts, [{}], staying)).length, 1);
});

test('a re-audit takes a slot like any audit, and precedes the queue', async () => {
  // A slot is free a little after its result is there.
  await until(() => pool.status().running === 0);
  const leaving = new AbortController();
  const order: string[] = [];
  const running = pool
    .audit({ ...request, categories: ['seo'] }, readOwnPage, staying)
    .then(() => order.push('running'));
  const waiting = pool.audit(request, readOwnPage, leaving.signal).then(
    () => order.push('waiting'),
    () => order.push('left'),
  );
  await new Promise(setImmediate);
  const again = pool.reAudit(artifacts, [{}], staying).then(() => order.push('again'));
  assert.deepEqual([pool.status().running, pool.status().queued], [1, 1]);
  await Promise.all([running, again]);
  leaving.abort(new Error('gone'));
  await waiting;
  assert.deepEqual(order, ['running', 'again', 'left']);
});

/** Processor time of a process in clock ticks: fields 14 and 15 of proc_pid_stat(5), after a name without blanks. */
const ticksOf = ({ pid }: Process): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(' ');
  return Number(fields[13]) + Number(fields[14]);
};

test('a client that disconnects ends a re-audit, and its slot is free again', async t => {
  if (whyNoProcessTree) return t.skip(whyNoProcessTree);
  const workers = descendantsOf(process.pid).filter(isWorker);
  assert.equal(workers.length, 1);
  const [worker = assert.fail()] = workers;
  const before = ticksOf(worker);
  const leaving = new AbortController();
  const reason = new Error('gone');
  const again = pool.reAudit(
    artifacts,
    Array.from({ length: 200 }, (_, at) => ({ rttMs: at })),
    leaving.signal,
  );
  // The worker has begun. All 200 take it some seconds.
  await until(() => ticksOf(worker) > before + 20);
  leaving.abort(reason);
  await assert.rejects(again, reason);
  // A worker that has carried out its order stays.
  await until(() => !isAlive(worker));
  assert.equal((await pool.reAudit(artifacts, [{}], staying)).length, 1);
});

test('released artifacts are gone, and requesting them is not an error', async () => {
  const failure = { code: 'lighthouse_unavailable', source: 'lighthouse' };
  await pool.release(artifacts);
  await assert.rejects(pool.reAudit(artifacts, [{}], staying), failure);
  await assert.rejects(pool.reAudit('/etc', [{}], staying), failure, 'an id is no path');
});

test('nothing is left behind by a failed audit or a closed pool', async () => {
  const missing = { ...request, url: `${site.url}/missing.html` };
  await assert.rejects(pool.audit(missing, readOwnPage, staying, { keepArtifacts: true }), { code: 'page_error' });
  const kept = await pool.audit({ ...request, categories: ['performance'] }, readOwnPage, staying, {
    keepArtifacts: true,
  });
  assert.ok(kept.artifacts);
  assert.ok(foldersLeft().length >= 1);
  await pool.close(0);
  assert.deepEqual(foldersLeft(), []);
});
