/** Jobs with 540 pages in all, on three services over one PostgreSQL, while services and the database are killed. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { JobAnswer, JobPage } from '../../src/contract/jobs/job.ts';
import { startFakePsi, toPsiBody } from '../support/analysers/fake-psi.ts';
import { ask } from '../support/asking/ask.ts';
import { startListening, withoutBrowser } from '../support/start-process.ts';
import { startOwnPostgres } from '../support/surroundings/own-postgres.ts';
import { until } from '../support/until.ts';
import { askForJob } from './jobs.ts';

const jobCount = 6;
const pagesOfJob = 90;
const killEveryPages = 60;
const postgres = await startOwnPostgres({ after }, { isKilled: true });

test('every page of 540 is measured and stored while services and the database are killed in turn', async t => {
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
  const start = () => startListening(t, { environment });
  const services = [await start(), await start(), await start()];
  const serviceAt = (at: number) => services[at % services.length] ?? assert.fail();
  const ids: string[] = [];
  for (let job = 0; job < jobCount; job += 1) {
    const urls = Array.from({ length: pagesOfJob }, (_, at) => `https://example.com/${job}/${at}`);
    ids.push((await askForJob(serviceAt(job), { urls, strategy: 'mobile' })).body.id);
  }
  const readJob = (id: string, limit = 0) => ask<JobAnswer>(serviceAt(0), `/jobs/${id}?limit=${limit}`);
  /** Pages that have ended; undefined while the database is away. */
  const countDone = async (): Promise<number | undefined> => {
    const answers = await Promise.all(ids.map(id => readJob(id)));
    if (answers.some(({ status }) => status !== 200)) return undefined;
    return answers.reduce((sum, { body }) => sum + body.progress.done, 0);
  };
  const total = jobCount * pagesOfJob;
  let kills = 0;
  for (let target = killEveryPages; target < total; target += killEveryPages) {
    await until(async () => ((await countDone()) ?? 0) >= target);
    if (target === 4 * killEveryPages) {
      await postgres.kill();
      await delay(3000);
      await postgres.start();
      continue;
    }
    const at = kills % services.length;
    serviceAt(at).child.kill('SIGKILL');
    await serviceAt(at).exited;
    services[at] = await start();
    kills += 1;
  }
  await until(async () => (await countDone()) === total);
  const pages: JobPage[] = [];
  for (const id of ids) pages.push(...(await readJob(id, pagesOfJob)).body.pages);
  const links: string[] = [];
  for (const { state, url, results } of pages) {
    assert.equal(state, 'succeeded', url);
    links.push(...results.map(({ links: { self } }) => self ?? assert.fail(url)));
  }
  assert.deepEqual([pages.length, links.length, new Set(links).size], [total, total, total]);
  for (const link of links) assert.equal((await ask(serviceAt(0), link)).status, 200, link);
  const again = pages.filter(({ tries }) => tries === 2).length;
  t.diagnostic(`${pages.length} of ${total} pages after ${kills} kills of a service; ${again} had a second try`);
});
