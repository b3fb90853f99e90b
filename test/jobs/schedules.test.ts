/** Schedules over HTTP, with a clock of the test. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobAnswer } from '../../src/contract/jobs/job.ts';
import type { ScheduleFacts } from '../../src/contract/jobs/schedule.ts';
import type { KeptPage } from '../../src/contract/stored/kept.ts';
import { startFakePsi, toLighthouseError, toPsiBody } from '../support/analysers/fake-psi.ts';
import { ask, post, withQuery } from '../support/asking/ask.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startLocalServer } from '../support/sites/local-server.ts';
import { type Scope, type StartedService, startService } from '../support/start-service.ts';
import { createOwnSchedule } from '../support/surroundings/own-schedule.ts';
import { inTime, readUntil } from '../support/until.ts';
import { followToEnd } from './jobs.ts';
import { startReceiver } from './receiver.ts';

const secret = `whsec_${Buffer.from('a secret of thirty-two characters').toString('base64')}`;
const url = 'https://example.com/';
const hourMs = 60 * 60_000;

async function start(scope: Scope) {
  const fake = await startFakePsi(scope);
  const clock = { nowMs: Date.parse('2026-11-22T12:00:00Z') };
  const timer = createOwnSchedule();
  const service = await startService(
    scope,
    { PSI_ENDPOINT: fake.endpoint, DATA_DIR: makeScratchFolder(scope), CALLBACK_SECRET: secret },
    undefined,
    { jobs: { now: () => clock.nowMs, timer: timer.schedule, callbackFirstMs: 1 } },
  );
  return { fake, clock, timer, service };
}

type Started = Awaited<ReturnType<typeof start>>;

/** Lets the service look for work until a job newer than `after` exists, and follows that job to its end. */
async function runOnce({ timer, service }: Started, id: string, after?: string): Promise<string> {
  const readNext = async () => {
    const { body } = await ask<ScheduleFacts>(service, `/schedules/${id}`);
    const latest = body.links.last_job?.replace('/jobs/', '');
    if (latest !== undefined && latest !== after) return latest;
    await timer.runNext();
    return undefined;
  };
  const job = (await readUntil(readNext, latest => latest !== undefined, { pauseMs: 0 })) ?? assert.fail();
  let isDone = false;
  void followToEnd(service, job).then(() => {
    isDone = true;
  });
  await inTime(timer.runUntil(() => isDone));
  return job;
}

const add = async (service: StartedService, body: object): Promise<ScheduleFacts> => {
  const answer = await post<ScheduleFacts>(service, '/schedules', body);
  assert.equal(answer.status, 201, answer.text);
  assert.equal(answer.headers.get('location'), `/schedules/${answer.body.id}`);
  return answer.body;
};

/** A site of 30 articles and one page without siblings, with a sitemap. */
async function startSite(scope: Scope): Promise<string> {
  const { url: origin } = await startLocalServer(scope, ({ url: path }, response) => {
    const pages = [...Array.from({ length: 30 }, (_, at) => `/article/${1000 + at}`), '/about'];
    const locs = pages.map(page => `<url><loc>${origin}${page}</loc></url>`).join('');
    if (path === '/sitemap.xml') response.setHeader('content-type', 'application/xml').end(`<urlset>${locs}</urlset>`);
    else response.writeHead(404).end();
  });
  return `${origin}/`;
}

test('a schedule and a job measure a sample of a site, and say how many pages were found', async t => {
  const site = await startSite(t);
  const { service } = await start(t);
  const cron = '0 3 1 1 *';
  const scheduled = await add(service, { site, sample: 3, cron });
  const found = { url: site, sample: 3, found: 31 };
  assert.deepEqual([scheduled.pages, scheduled.site], [4, found]);
  const submit = () =>
    ask<JobAnswer>(service, '/jobs', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': '"one"' },
      body: JSON.stringify({ site, sample: 3 }),
    });
  const started = await submit();
  assert.deepEqual([started.status, started.body.progress.total, started.body.site], [202, 4, found]);
  assert.equal((await submit()).body.id, started.body.id);
  const { body: whole } = await post<JobAnswer>(service, '/jobs', { site });
  assert.deepEqual([whole.progress.total, whole.site], [31, { ...found, sample: null }]);
  const { body: named } = await post<JobAnswer>(service, '/jobs', { urls: [url] });
  assert.deepEqual([named.progress.total, named.site], [1, null]);
});

test('a list without pages, with two sources, with a sample of nothing, or of a site without pages is refused', async t => {
  const site = await startSite(t);
  const { service } = await start(t);
  for (const [body, status] of [
    [{}, 422],
    [{ urls: [url], site }, 422],
    [{ urls: [url], sample: 3 }, 422],
    [{ site, sample: 0 }, 422],
    [{ site, sample: 101 }, 422],
    [{ site: 'ftp://example.com/' }, 422],
    [{ site: `${site}none.xml` }, 502],
    [{ site: 'http://169.254.169.254/' }, 403],
  ] as const)
    for (const path of ['/jobs', '/schedules']) {
      const given = path === '/jobs' ? body : { ...body, cron: '0 3 * * *' };
      const answer = await post<JobAnswer>(service, path, given);
      assert.equal(answer.status, status, `${path} ${JSON.stringify(body)}: ${answer.text}`);
    }
  assert.deepEqual((await ask<{ jobs: unknown[] }>(service, '/jobs')).body.jobs, []);
});

test('each run is a job, and its results appear in the history', async t => {
  const started = await start(t);
  const { service, clock, fake } = started;
  const { id, next_at, kind: side, strategy } = await add(service, { urls: [url], interval: 'PT1H', label: 'hourly' });
  assert.deepEqual([next_at, side, strategy], ['2026-11-22T12:00:00.000Z', 'psi', 'mobile']);
  const first = await runOnce(started, id);
  clock.nowMs += hourMs;
  const second = await runOnce(started, id, first);
  const { body: job } = await ask<JobAnswer>(service, `/jobs/${second}`);
  assert.deepEqual([job.state, job.schedule, job.label], ['succeeded', id, 'hourly']);
  // A schedule does not use cached results.
  assert.equal(fake.calls.all.length, 2);
  const { body: kept } = await ask<KeptPage>(service, withQuery('/results', { label: 'hourly' }));
  assert.equal(kept.results.length, 2);
});

test('a schedule can be read, listed, paused and removed', async t => {
  const { service } = await start(t);
  const cron = { cron: '30 3 * * 1', timezone: 'America/New_York' };
  const made = await add(service, {
    urls: [url, `${url}b`],
    ...cron,
    kind: 'lighthouse',
    strategy: 'desktop',
    runs: 'auto',
  });
  assert.deepEqual([made.next_at, made.kind, made.pages], ['2026-11-23T08:30:00.000Z', 'lighthouse', 2]);
  const { body: read } = await ask<ScheduleFacts & { urls: string[] }>(service, `/schedules/${made.id}`);
  assert.deepEqual(read.urls, [url, `${url}b`]);
  const patch = (body: unknown) =>
    ask<ScheduleFacts>(service, `/schedules/${made.id}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  assert.deepEqual([(await patch({ paused: true })).body.paused, (await patch({})).status], [true, 422]);
  const { body: list } = await ask<{ schedules: ScheduleFacts[] }>(service, '/schedules');
  assert.deepEqual(
    list.schedules.map(({ id, next_at, paused }) => [id, next_at, paused]),
    [[made.id, null, true]],
  );
  assert.equal((await patch({ paused: false })).body.next_at, '2026-11-23T08:30:00.000Z');
  const gone = { method: 'DELETE' };
  assert.equal((await ask(service, `/schedules/${made.id}`, gone)).status, 200);
  const { status, body } = await ask<{ code: string }>(service, `/schedules/${made.id}`, gone);
  assert.deepEqual([status, body.code], [404, 'schedule_not_found']);
});

test('every fault of a schedule is reported', async t => {
  const { service } = await start(t);
  const faultOf = async (body: object): Promise<string> => {
    const answer = await post<{ detail: { loc: unknown[] }[] }>(service, '/schedules', { urls: [url], ...body });
    assert.equal(answer.status, 422, answer.text);
    return answer.body.detail[0]?.loc.join('.') ?? '';
  };
  assert.equal(await faultOf({}), 'body');
  assert.equal(await faultOf({ cron: '0 3 * * *', interval: 'PT1H' }), 'body');
  assert.equal(await faultOf({ urls: [], interval: 'PT1H' }), 'body.urls');
  assert.equal(await faultOf({ urls: ['nonsense'], interval: 'PT1H' }), 'body.urls.0');
  for (const cron of ['nonsense', '* * * * * *', '0 3 31 2 *', '@reboot'])
    assert.equal(await faultOf({ cron }), 'body.cron', cron);
  for (const interval of ['PT10S', 'PT', 'P1M', '3600', 'P400D', 'P1DT'])
    assert.equal(await faultOf({ interval }), 'body.interval', interval);
  assert.equal(await faultOf({ cron: '0 3 * * *', timezone: 'Europe/Nowhere' }), 'body.timezone');
  assert.equal(await faultOf({ interval: 'PT1H', timezone: 'UTC' }), 'body.timezone');
  assert.equal(await faultOf({ interval: 'PT1H', kind: 'lighthouse', strategy: 'both' }), 'body.strategy');
  assert.equal(await faultOf({ interval: 'PT1H', callback: 'http://example.com/' }), 'body.callback');
  assert.equal(await faultOf({ interval: 'PT1H', callback_when: 'verdict_changes' }), 'body.callback_when');
});

test('with verdict_changes a callback is sent only if a page starts or stops failing, or gets better or worse', async t => {
  const started = await start(t);
  const { service, clock, fake, timer } = started;
  const receiver = await startReceiver(t);
  const wanted = { callback: receiver.url, callback_when: 'verdict_changes' };
  const { id } = await add(service, { urls: [url], interval: 'PT1H', ...wanted });
  const failing = () => toLighthouseError('Lighthouse returned error: NO_FCP. Something went wrong');
  const jobs: string[] = [];
  for (const isFailing of [false, false, true, true, false]) {
    fake.answerWith(call => (isFailing ? failing() : { body: toPsiBody(call) }));
    jobs.push(await runOnce(started, id, jobs.at(-1)));
    clock.nowMs += hourMs;
  }
  await timer.runUntil(() => receiver.calls.all.length >= 2);
  const told = receiver.calls.all.map(({ body }) => {
    const { type, data } = JSON.parse(body);
    return [type, data.id];
  });
  assert.deepEqual(told, [
    ['job.failed', jobs[2]],
    ['job.succeeded', jobs[4]],
  ]);
});
