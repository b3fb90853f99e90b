/** The Lighthouse CI command uploads builds to this service, and the linked page compares them. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Result } from '../../src/contract/result/result.ts';
import type { ResultsComparison } from '../../src/contract/stored/change.ts';
import type { History } from '../../src/contract/stored/history.ts';
import type { KeptPage } from '../../src/contract/stored/kept.ts';
import { runCli } from '../cli/run-cli.ts';
import { readDocument, toRequest } from '../docs/examples.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { buildCategory, buildMeasuredLhr, metricRefs } from '../support/builders/lhr.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startPages } from '../support/sites/pages.ts';
import { startService } from '../support/start-service.ts';
import { startOwnPostgres } from '../support/surroundings/own-postgres.ts';
import { createLhci } from './own-lhci.ts';

const scope = { after };
const service = await startService(scope, { DATA_DIR: makeScratchFolder(scope) });
const pages = await startPages(scope);

type Project = { id: string; slug: string; token: string };
type Build = { id: string; hash: string; branch: string; lifecycle: string };
type Run = { id: string; url: string; representative: boolean; lhr: string };

/** Sends a request of Lighthouse CI's protocol, which is not in the OpenAPI document. */
async function speak<T>(path: string, asked: RequestInit = {}, to = service): Promise<{ status: number; body: T }> {
  const response = await fetch(`${to.url}/v1/projects${path}`, asked);
  const text = await response.text();
  return { status: response.status, body: (text === '' ? undefined : JSON.parse(text)) as T };
}

const toPost = (body: object, headers: Record<string, string> = {}) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

const createProject = async (name: string, to = service): Promise<Project> => {
  const { status, body } = await speak<Project>('', toPost({ name, baseBranch: 'main' }), to);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
};

const buildLhr = (
  score: number,
  { at = 0, url = 'http://localhost:39121/', ...fields }: { at?: number; url?: string; requestedUrl?: string } = {},
) => ({
  ...buildMeasuredLhr({
    categories: [buildCategory('performance', metricRefs, score / 100), buildCategory('seo', [], 0.9)],
    configSettings: { formFactor: 'mobile' },
    fetchTime: new Date(Date.parse('2026-11-20T10:00:00Z') + at * 60_000).toISOString(),
    finalDisplayedUrl: url,
  }),
  finalUrl: url,
  ...fields,
});

type Commit = { hash: string; branch?: string; ancestor?: string };

/** The command in a folder with these saved results, as after `lhci collect`. */
async function createUploader(token: string, options: { to?: { url: string }; upload?: object } = {}) {
  const to = options.to ?? service;
  const client = await createLhci(scope, to);
  const saved = join(client.folder, '.lighthouseci');
  await client.configure({}, {}, { target: 'lhci', serverBaseUrl: to.url, token, ...options.upload });
  const environmentOf = ({ hash, branch = 'main', ancestor }: Commit) => ({
    LHCI_BUILD_CONTEXT__CURRENT_HASH: hash,
    LHCI_BUILD_CONTEXT__CURRENT_BRANCH: branch,
    LHCI_BUILD_CONTEXT__COMMIT_TIME: '2026-11-20T09:00:00Z',
    LHCI_BUILD_CONTEXT__COMMIT_MESSAGE: 'Change\u0007 a thing',
    LHCI_BUILD_CONTEXT__AUTHOR: 'A <a@example.com>',
    LHCI_BUILD_CONTEXT__AVATAR_URL: 'https://example.com/a.png',
    LHCI_BUILD_CONTEXT__ANCESTOR_HASH: ancestor ?? hash,
    LHCI_BUILD_CONTEXT__EXTERNAL_BUILD_URL: 'https://example.com/build',
  });
  return {
    ...client,
    environmentOf,
    async upload(commit: Commit, lhrs: readonly object[]) {
      await rm(saved, { recursive: true, force: true });
      await mkdir(saved);
      for (const [index, lhr] of lhrs.entries()) await writeFile(join(saved, `lhr-${index}.json`), JSON.stringify(lhr));
      return client.lhciIn(environmentOf(commit), 'upload');
    },
  };
}

const hashOf = (digit: string) => digit.repeat(40);
const linkIn = (output: string): string => /View build diff at (\S+)/.exec(output)?.[1] ?? assert.fail(output);

async function follow(link: string): Promise<URLSearchParams> {
  const { status, headers } = await fetch(link, { redirect: 'manual' });
  assert.equal(status, 302);
  const target = new URL(headers.get('location') ?? '', link);
  assert.equal(target.pathname, '/', target.href);
  return target.searchParams;
}

const fast = [90, 91, 92, 90, 91].map((score, at) => buildLhr(score, { at }));
const slow = [60, 61, 62, 60, 61].map((score, at) => buildLhr(score, { at: at + 60 }));

test("two builds are uploaded, and the link that the command prints compares them with this project's statistics", async () => {
  const project = await createProject('Two builds');
  const uploader = await createUploader(project.token);
  const first = await uploader.upload({ hash: hashOf('a') }, fast);
  assert.equal(first.status, 0, first.output);
  assert.equal(
    (await fetch(linkIn(first.output), { redirect: 'manual' })).headers.get('location')?.slice(0, 20),
    '../../../../results/',
  );

  const second = await uploader.upload({ hash: hashOf('b'), branch: 'topic', ancestor: hashOf('a') }, slow);
  assert.equal(second.status, 0, second.output);
  const asked = await follow(linkIn(second.output));
  assert.match(asked.get('before') ?? '', /^two-builds:main@aaaaaaa-[0-9a-f]{8}$/);
  assert.match(asked.get('after') ?? '', /^two-builds:topic@bbbbbbb-[0-9a-f]{8}$/);
  const { before = '', after = '', page: url = '', strategy = '' } = Object.fromEntries(asked);
  assert.equal(url, 'http://localhost/');
  const compared = await ask<ResultsComparison>(
    service,
    withQuery('/compare-results', { before, after, url, strategy }),
  );
  assert.deepEqual([compared.body.before.runs, compared.body.after.runs], [5, 5]);
  assert.equal(compared.body.verdict.status, 'worse');

  const history = await ask<History>(service, withQuery('/history', { url, strategy, source: 'lighthouse' }));
  assert.equal(history.body.points.length, 10);
  const { body } = await ask<KeptPage>(service, withQuery('/results', { label: after }));
  const { analyser, source, label } = body.results[0] ?? assert.fail();
  assert.deepEqual([analyser.kind, analyser.machine_id, source, label], ['uploaded', null, 'lighthouse', after]);
});

test('rangelight ci finds an uploaded build as the baseline of its branch, although it has no port', async t => {
  const url = `${pages.url}/good`;
  const { body: measured } = await ask<{ lighthouse_result: object }>(
    service,
    withQuery('/lighthouse', { url, categories: 'seo' }),
  );
  const { slug, token } = await createProject('Baseline of a branch');
  const uploader = await createUploader(token);
  const uploaded = await uploader.upload({ hash: hashOf('d'), branch: 'release' }, [measured.lighthouse_result]);
  assert.equal(uploaded.status, 0, uploaded.output);

  const folder = makeScratchFolder(t);
  const config = {
    urls: [url],
    strategies: ['mobile'],
    categories: ['seo'],
    runs: 1,
    service: service.url,
    project: slug,
    baseline: { branch: 'release' },
  };
  await writeFile(join(folder, 'rangelight.config.json'), JSON.stringify(config));
  const args = ['ci', '--config', join(folder, 'rangelight.config.json'), '--label', 'topic@1', '--json'];
  const { code, stdout, stderr } = await runCli(t, args);
  assert.equal(code, 0, stdout + stderr);
  const [{ baseline, state, runs, explanation }] = JSON.parse(stdout).results;
  assert.match(baseline, /^baseline-of-a-branch:release@ddddddd-[0-9a-f]{8}$/);
  assert.deepEqual(runs, [1, 1]);
  // Two loads of one page with one Lighthouse version can only be incomparable because of the machine's speed.
  if (state === 'not_compared') assert.match(explanation, /cannot be compared \(.*speed of the machine/);
  else assert.ok(['no_difference', 'undecided'].includes(state), explanation);
});

test('clients read projects, builds, runs and statistics', async () => {
  const { id, slug, token } = await createProject('Reads of a client');
  const uploader = await createUploader(token);
  await uploader.upload({ hash: hashOf('a') }, fast);
  await uploader.upload({ hash: hashOf('b') }, slow);
  const get = async <T>(path: string) => (await speak<T>(path)).body;
  const known = (await get<Project[]>('')).find(project => project.id === id);
  assert.deepEqual([known?.slug, known?.token], [slug, '']);
  assert.equal((await get<Project>(`/slug:${slug}`)).id, id);
  assert.deepEqual(await get(`/${id}/branches`), [{ branch: 'main' }]);
  assert.deepEqual(await get(`/${id}/urls`), [{ url: 'http://localhost:PORT/' }]);
  const [newest, oldest] = await get<Build[]>(`/${id}/builds`);
  assert.deepEqual([newest?.hash, newest?.lifecycle, oldest?.hash], [hashOf('b'), 'sealed', hashOf('a')]);
  assert.deepEqual(await get(`/${id}/builds?hash=${hashOf('a')}&limit=1`), [oldest]);
  const path = `/${id}/builds/${newest?.id}`;
  assert.equal((await get<Build>(`${path}/ancestor`)).id, oldest?.id);
  assert.equal((await speak(`/${id}/builds/${oldest?.id}/ancestor`)).status, 404);
  const runs = await get<Run[]>(`${path}/runs?representative=true`);
  assert.equal(runs.length, 1);
  assert.equal(JSON.parse(runs[0]?.lhr ?? '').categories.performance.score, 0.61);
  const statistics = await get<{ name: string; value: number; url: string }[]>(`${path}/statistics`);
  const statisticOf = (name: string) => statistics.find(statistic => statistic.name === name)?.value;
  assert.equal(statistics.length, 18);
  assert.deepEqual(
    ['category_performance_median', 'category_performance_min', 'category_seo_max', 'category_accessibility_max'].map(
      statisticOf,
    ),
    [0.61, 0.6, 0.9, -1],
  );
  assert.deepEqual(['meta_lighthouse_version', 'audit_interactive_median'].map(statisticOf), [130_500, 1300]);
  const { output } = await uploader.lhciIn({}, 'healthcheck');
  assert.match(output, /Healthcheck passed!/);
});

test('routes after a # are different pages, although the client names them by one document', async () => {
  const project = await createProject('Routes');
  const uploader = await createUploader(project.token);
  const document = 'http://localhost:39121/app?lang=en';
  const routes = ['', '#/cart', '#/orders/7'];
  const lhrs = routes.flatMap((route, page) =>
    [0, 1, 2].map(at =>
      buildLhr(60 + 10 * page + at, { at: at + 10 * page, url: document, requestedUrl: document + route }),
    ),
  );
  const { status, output } = await uploader.upload({ hash: hashOf('e') }, lhrs);
  assert.equal(status, 0, output);
  const [build] = (await speak<Build[]>(`/${project.id}/builds`)).body;
  const { body: runs } = await speak<Run[]>(`/${project.id}/builds/${build?.id}/runs?representative=true`);
  assert.deepEqual(
    runs.map(({ url }) => url).toSorted(),
    routes.map(route => document.replace('39121', 'PORT') + route).toSorted(),
  );
  assert.equal((await fetch(linkIn(output), { redirect: 'manual' })).status, 302);
});

test('a build whose upload did not end is not compared with', async () => {
  const project = await createProject('An upload that did not end');
  const headers = { 'x-lhci-build-token': project.token };
  const addBuild = async (at: number, lhr?: object) => {
    const hash = hashOf(`${at}`);
    const runAt = new Date(Date.UTC(2026, 10, 20, 9, at)).toISOString();
    const asked = { lifecycle: 'unsealed', branch: 'main', hash, ancestorHash: hashOf(`${at - 1}`), runAt };
    const { body } = await speak<Build>(`/${project.id}/builds`, toPost(asked, headers));
    const path = `/${project.id}/builds/${body.id}`;
    if (!lhr) return path;
    const run = { url: 'http://localhost:PORT/', lhr: JSON.stringify(lhr), representative: false };
    assert.equal((await speak(`${path}/runs`, toPost(run, headers))).status, 200);
    const sealing = { method: 'PUT', headers, body: '"sealed"' };
    assert.equal((await speak(`${path}/lifecycle`, sealing)).status, 204);
    return path;
  };
  await addBuild(1, buildLhr(90));
  await addBuild(2);
  const newest = await addBuild(3, buildLhr(60));
  assert.equal((await speak<Build>(`${newest}/ancestor`)).body.hash, hashOf('1'));
});

test('a build is uploaded once: a second one fails, or is skipped if the client requests that', async () => {
  const { token } = await createProject('Duplicates');
  const commit = { hash: hashOf('c') };
  const uploader = await createUploader(token);
  assert.equal((await uploader.upload(commit, [buildLhr(90)])).status, 0);
  const again = await uploader.upload(commit, [buildLhr(90)]);
  assert.equal(again.status, 1);
  assert.match(again.output, /Build already exists/);
  const lenient = await createUploader(token, { upload: { ignoreDuplicateBuildFailure: true } });
  assert.equal((await lenient.upload(commit, [buildLhr(90)])).status, 0);
});

test('a Lighthouse result of 30 MB is stored', async () => {
  const { token, id } = await createProject('Large results');
  const uploader = await createUploader(token);
  const padding = randomUUID().repeat(Math.ceil((30 * 1024 * 1024) / 36));
  const { status, output } = await uploader.upload({ hash: hashOf('d') }, [buildLhr(90, { padding } as never)]);
  assert.equal(status, 0, output);
  assert.equal((await speak<Build[]>(`/${id}/builds`)).body[0]?.lifecycle, 'sealed');
});

test('a page that failed is stored as a failure, and the build can be sealed', async () => {
  const { token } = await createProject('Failed pages');
  const uploader = await createUploader(token);
  const failed = buildLhr(0, { runtimeError: { code: 'NO_FCP', message: 'Nothing was painted.' } } as never);
  const { status, output } = await uploader.upload({ hash: hashOf('e') }, [failed]);
  assert.equal(status, 0, output);
  const { body } = await ask<KeptPage>(service, withQuery('/results', { kind: 'failure' }));
  assert.equal(body.results[0]?.error_code, 'page_blank');
  // The link of the build leads to its first page that has a result.
  const url = 'http://localhost:8080/other';
  const other = buildLhr(90, {
    requestedUrl: url,
    finalUrl: url,
    finalDisplayedUrl: url,
    mainDocumentUrl: url,
  } as never);
  const { output: again } = await uploader.upload({ hash: hashOf('7') }, [failed, other]);
  const { url: shown } = await fetch(linkIn(again));
  const { body: result } = await ask<Result>(service, new URL(shown).pathname);
  assert.equal(result.url, 'http://localhost/other');
});

test('autorun collects from this service and uploads to it', async () => {
  const { token, id } = await createProject('Autorun');
  const uploader = await createUploader(token);
  await uploader.configure(
    { url: [`${pages.url}/good`] },
    { 'categories:performance': ['warn', { minScore: 0.01 }] },
    { target: 'lhci', serverBaseUrl: service.url, token },
  );
  const { status, output } = await uploader.lhciIn(uploader.environmentOf({ hash: hashOf('f') }), 'autorun');
  assert.equal(status, 0, output);
  assert.match(output, /Done running autorun/);
  assert.equal((await speak<Build[]>(`/${id}/builds`)).body.length, 1);
});

test('docs/lighthouse-ci.md shows a request and a configuration that work', async () => {
  const text = readDocument('docs/lighthouse-ci.md').replaceAll('http://127.0.0.1:8000', service.url);
  const [, command = ''] = /```sh\n\s*(curl [^`]+)```/.exec(text) ?? [];
  const { url, init } = toRequest(command.replaceAll(/\\\n\s*/g, ''));
  const { token } = (await (await fetch(url, init)).json()) as Project;
  const [, config = ''] = /```json\n([^`]+)```/.exec(text) ?? [];
  const { upload } = JSON.parse(config.replace('TOKEN', token)).ci;
  const uploader = await createUploader(token, { upload });
  const { status, output } = await uploader.upload({ hash: hashOf('a') }, [buildLhr(90)]);
  assert.equal(status, 0, output);
});

test('an unknown token cannot upload', async () => {
  const uploader = await createUploader(randomUUID());
  const { status, output } = await uploader.upload({ hash: hashOf('a') }, [buildLhr(90)]);
  assert.equal(status, 1);
  assert.match(output, /Could not find active project with provided token/);
});

const writes = async (project: Project, headers: Record<string, string>, to = service) => {
  const build = { lifecycle: 'unsealed', hash: hashOf('9'), branch: 'main' };
  return (await speak(`/${project.id}/builds`, toPost(build, headers), to)).status;
};

test("only a project's token can write to it", async () => {
  const [project, other] = [await createProject('First of two'), await createProject('First of two')];
  assert.notEqual(project.slug, other.slug);
  assert.deepEqual(
    [await writes(project, {}), await writes(project, { 'x-lhci-build-token': other.token })],
    [403, 403],
  );
  assert.equal(await writes(project, { 'x-lhci-build-token': project.token }), 200);
});

test('a request that cannot be stored is rejected with its reason', async () => {
  const project = await createProject('Refusals');
  const send = async (path: string, body: unknown, method = 'POST') => {
    const asked = { ...toPost(body as object, { 'x-lhci-build-token': project.token }), method };
    return speak<{ id: string; message: string }>(`/${project.id}/builds${path}`, asked);
  };
  const commit = { hash: hashOf('1'), branch: 'main' };
  assert.equal((await send('', { ...commit, lifecycle: 'sealed' })).status, 422);
  assert.equal((await send('', { lifecycle: 'unsealed', branch: 'main' })).status, 422);
  const { id } = (await send('', { ...commit, lifecycle: 'unsealed' })).body;
  const lhr = JSON.stringify(buildLhr(90));
  const refused: readonly (readonly [body: object, reason: RegExp])[] = [
    [{ url: 'http://localhost:PORT/', lhr: buildLhr(90) }, /JSON string/],
    [{ url: 'http://localhost:PORT/', lhr: '{}' }, /not a readable Lighthouse result/],
    [{ url: 'http://localhost:PORT/', lhr, representative: true }, /representative/],
    [{ url: `http://localhost/${'x'.repeat(256)}`, lhr }, /256 characters/],
    [{ url: 'no url', lhr }, /not the URL of a page/],
  ];
  for (const [body, reason] of refused) {
    const answer = await send(`/${id}/runs`, body);
    assert.equal(answer.status, 422);
    assert.match(answer.body.message, reason);
  }
  assert.equal((await send(`/${id}/lifecycle`, 'sealed', 'PUT')).status, 422);
  assert.equal((await send(`/${id}/runs`, { url: 'http://localhost:PORT/', lhr })).status, 200);
  assert.equal((await send(`/${id}/lifecycle`, 'sealed', 'PUT')).status, 204);
  assert.equal((await send(`/${id}/runs`, { url: 'http://localhost:PORT/', lhr })).status, 422);
  assert.equal((await speak('', toPost({ name: 'abc' }))).status, 422);
});

test('with API_KEYS an operator creates projects, a token uploads, and reading needs a token or a key', async t => {
  const [operator, key] = ['an-operators-long-key', 'a-clients-own-long-key'];
  const keys = { API_KEYS: `${operator},${key}`, ADMIN_KEYS: operator };
  const locked = await startService(t, { DATA_DIR: makeScratchFolder(t), ...keys });
  const create = (given: string) =>
    speak<Project>('', toPost({ name: 'Locked' }, { authorization: `Bearer ${given}` }), locked);
  assert.equal((await create(key)).status, 403);
  const { body: project } = await create(operator);
  const uploader = await createUploader(project.token, { to: locked });
  const { status, output } = await uploader.upload({ hash: hashOf('a') }, [buildLhr(90)]);
  assert.equal(status, 0, output);
  const read = async (headers: Record<string, string>) =>
    (await speak(`/${project.id}/builds`, { headers }, locked)).status;
  const basic = (password: string) => `Basic ${Buffer.from(`lhci:${password}`).toString('base64')}`;
  assert.equal(await read({}), 401);
  assert.equal(await read({ 'x-lhci-build-token': project.token }), 200);
  assert.equal(await read({ 'x-api-key': key }), 200);
  assert.equal(await read({ authorization: basic(key) }), 200);
  assert.equal(await read({ authorization: basic('another-long-key-1') }), 401);
  assert.equal(await writes(project, { authorization: basic(key) }, locked), 403);
});

test('a public service shows uploaded results of pages that it must not measure itself', async t => {
  const open = await startService(t, { DATA_DIR: makeScratchFolder(t), TARGETS: 'public' });
  const { token } = await createProject('Builds of a pipeline', open);
  const uploader = await createUploader(token, { to: open });
  const { status, output } = await uploader.upload({ hash: hashOf('a') }, [buildLhr(90)]);
  assert.equal(status, 0, output);
  const { body } = await ask<KeptPage>(open, withQuery('/results', { url: 'http://localhost/' }));
  assert.equal(body.results.length, 1);
});

test('PostgreSQL stores builds like SQLite', async t => {
  const postgres = await startOwnPostgres(t);
  const shared = await startService(t, { DATABASE_URL: await postgres.createDatabase() });
  const project = await createProject('In PostgreSQL', shared);
  const headers = { 'x-lhci-build-token': project.token };
  const addBuild = async (commit: Commit, lhr: object) => {
    const asked = { lifecycle: 'unsealed', branch: 'main', hash: commit.hash, runAt: new Date().toISOString() };
    const created = await speak<Build>(`/${project.id}/builds`, toPost(asked, headers), shared);
    const path = `/${project.id}/builds/${created.body.id}`;
    const run = { url: 'http://localhost:PORT/', lhr: JSON.stringify(lhr), representative: false };
    assert.equal((await speak(`${path}/runs`, toPost(run, headers), shared)).status, 200);
    const sealing = { method: 'PUT', headers, body: '"sealed"' };
    assert.equal((await speak(`${path}/lifecycle`, sealing, shared)).status, 204);
    assert.equal((await speak(`/${project.id}/builds`, toPost(asked, headers), shared)).status, 422);
    return path;
  };
  await addBuild({ hash: hashOf('a') }, buildLhr(90));
  const path = await addBuild({ hash: hashOf('b') }, buildLhr(60));
  assert.equal((await speak<Build>(`${path}/ancestor`, {}, shared)).body.hash, hashOf('a'));
  assert.equal((await speak<Run[]>(`${path}/runs?representative=true`, {}, shared)).body.length, 1);
  assert.equal((await speak<object[]>(`${path}/statistics`, {}, shared)).body.length, 18);
  assert.equal((await speak<object[]>(`/${project.id}/urls`, {}, shared)).body.length, 1);
});

test('a service without a store says so', async t => {
  const { url } = await startService(t);
  const { status, output } = await (await createUploader(randomUUID(), { to: { url } })).upload({ hash: hashOf('a') }, [
    buildLhr(90),
  ]);
  assert.equal(status, 1);
  assert.match(output, /stores no results: set DATA_DIR or DATABASE_URL/);
});
