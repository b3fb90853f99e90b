/** A job with secrets of its own and a schedule with a stored login, measured with the real browser. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, test } from 'node:test';
import type { JobAnswer, JobFacts } from '../../src/contract/jobs/job.ts';
import type { ScheduleFacts } from '../../src/contract/jobs/schedule.ts';
import type { Result } from '../../src/contract/result/result.ts';
import type { History } from '../../src/contract/stored/history.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { captureLog } from '../support/captured-log.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startLocalServer } from '../support/sites/local-server.ts';
import { privateSite, startPrivateSite } from '../support/sites/private-site.ts';
import { startService } from '../support/start-service.ts';
import { findTextsInFiles } from '../support/texts-in-files.ts';
import { readUntil } from '../support/until.ts';

const { user, password } = privateSite;
const site = await startPrivateSite({ after });
const folder = makeScratchFolder({ after });
const { log, text: logged } = captureLog();
const settings = { DATA_DIR: folder, ACCESS_KEY: randomBytes(32).toString('base64'), KEEP_ARTIFACTS: '10' };
const service = await startService({ after }, settings, undefined, { log });
const url = `${site.url}/account`;
const secrets = [password, 'session-Sentinel06'];

const send = async <T>(path: string, body: object, method = 'POST', headers: Record<string, string> = {}) =>
  ask<T>(service, path, {
    ...{ method, headers: { 'content-type': 'application/json', ...headers } },
    body: JSON.stringify(body),
  });

const access = {
  origins: [site.url],
  login: {
    steps: [
      { type: 'navigate', url: `${site.url}/login` },
      { type: 'change', selectors: [['input[name=name]']], value: user },
      { type: 'change', selectors: [['input[type=password]']], value: `\${PASSWORD}` },
      { type: 'click', selectors: [['button']], assertedEvents: [{ type: 'navigation' }] },
    ],
  },
  secrets: { PASSWORD: password },
  expect: { selector: '#account' },
};

const readEnded = (job: string) =>
  readUntil(
    async () => (await ask<JobAnswer>(service, job)).body,
    ({ ended_at: at }) => at !== null,
  );

async function readResult(job: JobAnswer): Promise<Result> {
  assert.equal(job.state, 'succeeded', JSON.stringify(job.pages));
  const { body } = await ask<Result>(service, job.pages[0]?.links.self ?? '');
  assert.equal(body.final_url, url);
  return body;
}

test('a job logs in with its own secrets, and leaves none of them', async () => {
  const body = { url, access, categories: ['performance'] };
  const accepted = await send<JobFacts>('/lighthouse', body, 'POST', { prefer: 'respond-async' });
  assert.equal(accepted.status, 202, accepted.text);
  const result = await readResult(await readEnded(accepted.body.links.self));
  assert.deepEqual(result.conditions?.access?.kinds, ['login', 'origins']);
  assert.deepEqual(await findTextsInFiles(folder, secrets), []);
});

test('the secrets of a job go to no host that only its site names', async t => {
  const elsewhere = await startLocalServer(t, (_, response) => {
    response.writeHead(200, { 'content-type': 'application/xml' });
    response.end(`<urlset><url><loc>${url}</loc></url></urlset>`);
  });
  const body = { site: `${elsewhere.url}/sitemap.xml`, kind: 'lighthouse', categories: ['performance'] };
  const refused = await send('/jobs', { ...body, access: { ...access, origins: [] } });
  assert.equal(refused.status, 422, refused.text);
  assert.match(refused.text, new RegExp(`"access"\\].*the site has pages of ${site.url}: list it in`));
  assert.equal((await send('/jobs', { ...body, access })).status, 202);
});

test('a schedule logs in as a stored user, whose results are a page of their own', async () => {
  assert.equal((await send('/access/shopper', access, 'PUT')).status, 200);
  const wanted = { urls: [url], interval: 'P1D', kind: 'lighthouse', categories: ['performance'], access: 'shopper' };
  const { body: schedule } = await send<ScheduleFacts>('/schedules', wanted);
  await ask(service, `/schedules/${schedule.id}/run`, { method: 'POST' });
  const { links } = await readUntil(
    async () => (await ask<ScheduleFacts>(service, `/schedules/${schedule.id}`)).body,
    each => each.links.last_job !== undefined,
  );
  const result = await readResult(await readEnded(links.last_job ?? ''));
  assert.deepEqual([result.conditions?.access?.name, result.conditions?.id], ['shopper', schedule.conditions]);
  const { body: history } = await ask<History>(
    service,
    withQuery('/history', { url, source: 'lighthouse', conditions: String(schedule.conditions) }),
  );
  assert.equal(history.points.length, 1);
  assert.deepEqual(
    [await findTextsInFiles(folder, secrets), secrets.filter(text => logged().includes(text))],
    [[], []],
  );
});
