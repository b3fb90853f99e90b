/** Jobs with 540 pages in total, on three services over one PostgreSQL, while services and the database are killed. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Health } from '../../src/contract/health.ts';
import type { JobAnswer, JobPage } from '../../src/contract/jobs/job.ts';
import { startFakePsi, toPsiBody } from '../support/analysers/fake-psi.ts';
import { ask } from '../support/asking/ask.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startListening, withoutBrowser } from '../support/start-process.ts';
import { startOwnPostgres } from '../support/surroundings/own-postgres.ts';
import { until } from '../support/until.ts';
import { askForJob } from './jobs.ts';

const jobCount = 6;
const pagesOfJob = 90;
const killEveryPages = 60;
const isUnfinished = (state: JobPage['state']): boolean => state === 'waiting' || state === 'running';
const postgres = await startOwnPostgres({ after }, { isKilled: true });

test('every one of 540 pages is measured and stored while services and the database are killed in turn', async t => {
  const fake = await startFakePsi(t);
  fake.answerWith(async call => {
    await delay(200);
    return { body: toPsiBody(call) };
  });
  const environment = {
    DATABASE_URL: await postgres.createDatabase(),
    PSI_ENDPOINT: fake.endpoint,
    PSI_RATE: '100000',
    ...withoutBrowser,
  };
  /** Each has its own folder: results that wait there for the database are found by the next process. */
  const folders = [makeScratchFolder(t), makeScratchFolder(t), makeScratchFolder(t)];
  const start = (at: number) => startListening(t, { environment: { ...environment, DATA_DIR: folders[at] ?? '' } });
  const services = await Promise.all([start(0), start(1), start(2)]);
  const serviceAt = (at: number) => services[at % services.length] ?? assert.fail();
  const ids: string[] = [];
  for (let job = 0; job < jobCount; job += 1) {
    const urls = Array.from({ length: pagesOfJob }, (_, at) => `https://example.com/${job}/${at}`);
    ids.push((await askForJob(serviceAt(job), { urls, strategy: 'mobile' })).body.id);
  }
  const readJob = (id: string, limit = 0) => ask<JobAnswer>(serviceAt(0), `/jobs/${id}?limit=${limit}`);
  /** The number of pages that have ended; undefined while the database is away. */
  const countDone = async (): Promise<number | undefined> => {
    const answers = await Promise.all(ids.map(id => readJob(id)));
    if (answers.some(({ status }) => status !== 200)) return undefined;
    return answers.reduce((sum, { body }) => sum + body.progress.done, 0);
  };
  const readPages = async (): Promise<JobPage[]> =>
    (await Promise.all(ids.map(id => readJob(id, pagesOfJob)))).flatMap(({ body }) => body.pages);
  const total = jobCount * pagesOfJob;
  let kills = 0;
  /** A kill costs seconds, in which other instances take over. */
  const slowly = { limitMs: 600_000 };
  /** Pages that the last kill interrupted. A page has two attempts, and the next kill must not interrupt both. */
  let cut: readonly string[] = [];
  const isAgain = async (): Promise<boolean> => {
    const open = new Set((await readPages()).filter(({ state }) => isUnfinished(state)).map(({ url }) => url));
    return !cut.some(url => open.has(url));
  };
  for (let target = killEveryPages; target < total; target += killEveryPages) {
    await until(async () => ((await countDone()) ?? 0) >= target && (await isAgain()), slowly);
    if (target === 4 * killEveryPages) {
      await postgres.kill();
      await delay(3000);
      await postgres.start();
      await until(async () => (await countDone()) !== undefined);
    } else {
      const at = kills % services.length;
      serviceAt(at).child.kill('SIGKILL');
      await serviceAt(at).exited;
      services[at] = await start(at);
      kills += 1;
    }
    cut = (await readPages()).filter(({ state }) => state === 'running').map(({ url }) => url);
  }
  await until(async () => (await countDone()) === total, slowly);
  const isStored = async (service: { url: string }): Promise<boolean> =>
    (await ask<Health>(service, '/health')).body.results.waiting === 0;
  for (const service of services) await until(() => isStored(service));
  const pages = await readPages();
  const links: string[] = [];
  for (const { state, url, results, attempts: tries, error } of pages) {
    assert.equal(state, 'succeeded', `${url}, try ${tries}: ${JSON.stringify(error)}`);
    links.push(...results.map(({ links: { self } }) => self ?? assert.fail(url)));
  }
  assert.deepEqual([pages.length, links.length, new Set(links).size], [total, total, total]);
  for (const link of links) assert.equal((await ask(serviceAt(0), link)).status, 200, link);
  const again = pages.filter(({ attempts: tries }) => tries === 2).length;
  t.diagnostic(`${pages.length} of ${total} pages after ${kills} kills of a service; ${again} had a second try`);
});
