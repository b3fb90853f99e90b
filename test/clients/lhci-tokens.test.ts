/** A build token reaches the builds and labels of its own project only, and repeated or odd uploads change nothing. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { KeptPage } from '../../src/contract/stored/kept.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { buildCategory, buildMeasuredLhr, metricRefs } from '../support/builders/lhr.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startService } from '../support/start-service.ts';

const scope = { after };
const service = await startService(scope, { DATA_DIR: makeScratchFolder(scope) });

type Answer = { id: string; slug: string; token: string; message: string; branch: string };

async function send(path: string, body: unknown, { token = '', method = 'POST', to = service } = {}) {
  const headers = { 'content-type': 'application/json', 'x-lhci-build-token': token };
  const response = await fetch(`${to.url}/v1/projects${path}`, { method, headers, body: JSON.stringify(body) });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: JSON.parse(text || '{}') as Answer };
}

const createProject = async (name: string, to = service) => {
  const { id, slug, token } = (await send('', { name, baseBranch: 'main' }, { to })).body;
  const path = `/${id}/builds`;
  return {
    id,
    slug,
    path,
    build: (fields: object) =>
      send(path, { lifecycle: 'unsealed', branch: 'main', hash: 'a', ...fields }, { token, to }),
    run: (build: string, run: object) => send(`${path}/${build}/runs`, run, { token, to }),
    seal: (build: string) => send(`${path}/${build}/lifecycle`, 'sealed', { token, to, method: 'PUT' }),
  };
};

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

const toRun = (fields: object = {}, url = 'http://localhost:PORT/') => {
  const categories = [buildCategory('performance', metricRefs, 0.9)];
  const lhr = buildMeasuredLhr({ categories, configSettings: { formFactor: 'mobile' }, fetchTime: minutesAgo(5) });
  return { url, representative: false, lhr: JSON.stringify({ ...lhr, ...fields }) };
};

const labelsOf = async (url: string) =>
  (await ask<KeptPage>(service, withQuery('/results', { url }))).body.results.map(({ label }) => label ?? '');

test('labels begin with the project of the token, whatever the branch is called', async () => {
  const project = await createProject('Confined');
  assert.equal(project.slug, 'confined');
  const branches = [
    'shop:main',
    'main',
    'shop:main@x',
    ':',
    'confined-2:main',
    `${'x'.repeat(80)}:main`,
    'ｓhop：main',
  ];
  for (const [at, branch] of branches.entries()) {
    const { status, body } = await project.build({ branch, hash: `${at}` });
    assert.equal(status, 200, branch);
    assert.equal((await project.run(body.id, toRun({}, `http://localhost/${at}`))).status, 200);
    for (const label of await labelsOf(`http://localhost/${at}`)) assert.match(label, /^confined:/, branch);
  }
});

test('dates in the future are rejected, and so are dates before Lighthouse existed', async () => {
  const project = await createProject('Dates');
  for (const runAt of ['2090-01-01T00:00:00Z', minutesAgo(-60), '1999-12-31T00:00:00Z', '+275760-09-13T00:00:00Z']) {
    const { status, body } = await project.build({ runAt });
    assert.deepEqual([status, /runAt/.test(body.message)], [422, true], runAt);
  }
  const { body: build } = await project.build({ runAt: minutesAgo(10) });
  for (const fetchTime of ['2090-01-01T00:00:00Z', minutesAgo(-60), '1970-01-01T00:00:00Z']) {
    const { status, body } = await project.run(build.id, toRun({ fetchTime }));
    assert.deepEqual([status, /fetchTime/.test(body.message)], [422, true], fetchTime);
  }
  assert.equal((await project.run(build.id, toRun({ fetchTime: minutesAgo(60 * 24 * 700) }))).status, 200);
  // The clock of a runner may be a few minutes ahead.
  assert.equal((await project.run(build.id, toRun({ fetchTime: minutesAgo(-3) }))).status, 200);
});

test('a repeated upload is stored once, and two runs with the same values are two', async () => {
  const project = await createProject('Repeated');
  const { body: build } = await project.build({});
  const url = 'http://localhost/repeated';
  const run = toRun({}, url);
  const [first, second] = [await project.run(build.id, run), await project.run(build.id, run)];
  assert.deepEqual([first.status, second.status], [200, 200]);
  assert.equal(second.body.id, first.body.id);
  assert.equal((await labelsOf(url)).length, 1);
  await project.run(build.id, toRun({ fetchTime: minutesAgo(4) }, url));
  assert.equal((await labelsOf(url)).length, 2);
  const { body: other } = await project.build({ hash: 'b' });
  assert.notEqual((await project.run(other.id, run)).body.id, first.body.id);
});

test('a build that was created without a run is continued, one with runs or a seal is not', async () => {
  const project = await createProject('Continued');
  const [first, again] = [await project.build({}), await project.build({})];
  assert.deepEqual([first.status, again.status], [200, 200]);
  assert.equal(again.body.id, first.body.id);
  assert.equal((await project.run(first.body.id, toRun())).status, 200);
  const running = await project.build({});
  assert.deepEqual([running.status, /Build already exists/.test(running.body.message)], [422, true]);
  assert.equal((await project.seal(first.body.id)).status, 204);
  assert.equal((await project.build({})).status, 422);
  // A client that did not receive the first response repeats the seal.
  assert.equal((await project.seal(first.body.id)).status, 204);
});

test('values that Lighthouse could not compute are null in its JSON, and do not fail an upload', async () => {
  const project = await createProject('Nulls');
  const { body: build } = await project.build({});
  const { audits } = JSON.parse(toRun().lhr) as { audits: Record<string, object> };
  const fields = { score: 0.2, metricSavings: null, displayValue: null, description: null };
  const nulls = Object.fromEntries(Object.entries(audits).map(([id, audit]) => [id, { ...audit, ...fields }]));
  const { status, body } = await project.run(build.id, toRun({ audits: nulls, runWarnings: null, environment: null }));
  assert.equal(status, 200, body.message);
  for (const path of ['', '/report'])
    assert.equal((await fetch(`${service.url}/results/${body.id}${path}`)).status, 200);
});

test('RATE_LIMIT applies to uploads: a build counts as a page, and other requests as a tenth', async t => {
  const limited = await startService(t, { DATA_DIR: makeScratchFolder(t), RATE_LIMIT: '5' });
  const project = await createProject('Limited', limited);
  const statuses: number[] = [];
  for (let at = 0; at < 6; at += 1) statuses.push((await project.build({ hash: `${at}` })).status);
  assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429]);
  const requests = Array.from({ length: 45 }, () => send('/lookup', { token: 'unknown' }, { to: limited }));
  const answers = await Promise.all(requests);
  const refused = answers.filter(({ status }) => status === 429);
  assert.ok(refused.length > 0 && refused.length < 45, `${refused.length}`);
  for (const { headers, body } of refused) {
    assert.ok(Number(headers.get('retry-after')) > 0);
    assert.match(body.message, /requests a minute/);
  }
  assert.equal((await fetch(`${limited.url}/health`)).status, 200);
});

test('a lookup without a token finds no project', async () => {
  for (const body of [{}, { token: '' }, { token: null }, { token: ' ' }, { token: 7 }, [], { token: ['x'] }])
    assert.equal((await send('/lookup', body)).status, 404, JSON.stringify(body));
});
