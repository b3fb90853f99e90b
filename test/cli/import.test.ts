/** `rangelight import`: the database of a Lighthouse CI server becomes projects, builds and results of this store. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import type { ResultsComparison } from '../../src/contract/stored/change.ts';
import type { KeptPage } from '../../src/contract/stored/kept.ts';
import { readDocument } from '../docs/examples.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { type Scope, startService } from '../support/start-service.ts';
import { runCli } from './run-cli.ts';

const scope = { after };
const folder = makeScratchFolder(scope);
const token = '3f6f2c5e-8f0c-4d7e-9a55-0f8f6b3a1c11';
const projectId = 'a1b2c3d4-0000-4000-8000-000000000001';

type Shape = { version: string; settings: object };

/** Lighthouse named the device in another way before version 7, and has final URLs of several kinds since 10. */
const shapes: readonly Shape[] = [
  { version: '6.4.1', settings: { emulatedFormFactor: 'desktop' } },
  { version: '9.6.8', settings: { formFactor: 'mobile', screenEmulation: { mobile: true } } },
  { version: '12.6.1', settings: { formFactor: 'mobile' } },
];

const toLhr = ({ version, settings }: Shape, score: number) =>
  JSON.stringify({
    lighthouseVersion: version,
    requestedUrl: 'http://localhost:4000/',
    finalUrl: 'http://localhost:4000/',
    ...(version.startsWith('12') ? { finalDisplayedUrl: 'http://localhost:4000/', mainDocumentUrl: null } : {}),
    fetchTime: '2020-05-01T10:00:00.000Z',
    runWarnings: [],
    userAgent: 'Mozilla/5.0 HeadlessChrome/84.0.0.0',
    environment: { hostUserAgent: 'Mozilla/5.0', benchmarkIndex: 800 },
    configSettings: { ...settings, throttlingMethod: 'simulate', throttling: { cpuSlowdownMultiplier: 4 } },
    audits: {
      'first-contentful-paint': {
        id: 'first-contentful-paint',
        title: 'First Contentful Paint',
        description: 'First paint',
        score: 0.9,
        scoreDisplayMode: 'numeric',
        numericValue: 1500,
      },
    },
    categories: {
      performance: { title: 'Performance', score, auditRefs: [{ id: 'first-contentful-paint', weight: 1 }] },
      pwa: { title: 'PWA', score: 0.5, auditRefs: [] },
    },
    timing: { total: 4000 },
  });

const at = (hour: number) => `2020-05-01 ${String(hour).padStart(2, '0')}:00:00.000 +00:00`;

/** @param isOld as servers before 2020 wrote it, without a base branch */
function writeLhciFile(path: string, isOld = false): void {
  const database = new DatabaseSync(path);
  database.exec(`
    CREATE TABLE projects (id UUID PRIMARY KEY, name VARCHAR(40), slug VARCHAR(40), externalUrl VARCHAR(256), token UUID,
      createdAt DATETIME, updatedAt DATETIME ${isOld ? '' : ', adminToken VARCHAR(64), baseBranch VARCHAR(80)'});
    CREATE TABLE builds (id UUID PRIMARY KEY, projectId UUID, lifecycle VARCHAR(40), hash VARCHAR(40), branch VARCHAR(40),
      commitMessage VARCHAR(80), author VARCHAR(256), avatarUrl VARCHAR(256), ancestorHash VARCHAR(40),
      externalBuildUrl VARCHAR(256), runAt DATETIME, createdAt DATETIME, updatedAt DATETIME);
    CREATE TABLE runs (id UUID PRIMARY KEY, projectId UUID, buildId UUID, representative TINYINT(1), url VARCHAR(256),
      lhr TEXT, createdAt DATETIME, updatedAt DATETIME);
  `);
  const insert = (table: string, row: Record<string, string | number>) =>
    database
      .prepare(`INSERT INTO ${table} (${Object.keys(row)}) VALUES (${Object.keys(row).map(() => '?')})`)
      .run(...Object.values(row));
  const base = isOld ? {} : { baseBranch: 'trunk' };
  insert('projects', {
    id: projectId,
    name: 'Viewer',
    slug: 'viewer',
    externalUrl: '',
    token,
    createdAt: at(1),
    ...base,
  });
  for (const [index, shape] of shapes.entries()) {
    const id = `b0000000-0000-4000-8000-00000000000${index}`;
    const hash = `${index}`.repeat(40);
    const branch = isOld ? 'master' : 'trunk';
    insert('builds', {
      id,
      projectId,
      lifecycle: 'sealed',
      hash,
      branch,
      runAt: at(index + 2),
      createdAt: at(index + 2),
    });
    const run = { projectId, buildId: id, url: 'http://localhost:PORT/', createdAt: at(index + 2) };
    for (const [place, score] of [0.5, 0.52].entries())
      insert('runs', { ...run, id: `run-${index}-${place}`, representative: 1 - place, lhr: toLhr(shape, score) });
    if (index === 2) insert('runs', { ...run, id: 'run-damaged', representative: 0, lhr: '{"audits":' });
  }
  database.close();
}

const importInto = (dataDir: string, file: string, of: Scope = scope) =>
  runCli(of, ['import', file], { environment: { DATA_DIR: dataDir } });

test('projects, builds and results of Lighthouse 6, 9 and 12 are imported, and a second import adds none', async t => {
  const [file, dataDir] = [join(folder, 'lhci.db'), makeScratchFolder(t)];
  writeLhciFile(file);
  for (let time = 0; time < 2; time += 1) {
    const { code, stdout, stderr } = await importInto(dataDir, file, t);
    assert.equal(code, 1, stderr);
    assert.match(stdout, /^projects 1\nbuilds {3}3\nresults {2}6\nskipped {2}1\nskipped run run-damaged: /);
  }
  const service = await startService(t, { DATA_DIR: dataDir });
  const { body } = await ask<KeptPage>(service, withQuery('/results', { url: 'http://localhost/' }));
  assert.equal(body.results.length, 6);
  assert.deepEqual(new Set(body.results.map(({ label }) => label)).size, 3);
  assert.deepEqual(
    body.results.map(({ strategy, analyser }) => `${analyser.lighthouse_version} ${strategy}`).toSorted(),
    [...Array(2).fill('12.6.1 mobile'), ...Array(2).fill('6.4.1 desktop'), ...Array(2).fill('9.6.8 mobile')],
  );
  assert.equal(body.results[0]?.fetched_at, '2020-05-01T10:00:00.000Z');

  const lookup = await fetch(`${service.url}/v1/projects/lookup`, { method: 'POST', body: JSON.stringify({ token }) });
  assert.equal(((await lookup.json()) as { id: string }).id, projectId);
  const link = `${service.url}/app/projects/viewer/compare/b0000000-0000-4000-8000-000000000002`;
  const { headers } = await fetch(link, { redirect: 'manual' });
  const asked = new URL(headers.get('location') ?? '', link).searchParams;
  const [before, after] = ['before', 'after'].map(name => asked.get(name) ?? '') as [string, string];
  assert.match(before, /^viewer:trunk@1111111-/);
  const compared = await ask<ResultsComparison>(service, withQuery('/compare-results', { before, after }));
  assert.equal(compared.status, 200);
});

test('an odd run is skipped with its reason, and the others are imported', async t => {
  const [file, dataDir] = [join(folder, 'odd.db'), makeScratchFolder(t)];
  writeLhciFile(file);
  const database = new DatabaseSync(file);
  const whole = JSON.parse(toLhr(shapes[2] ?? assert.fail(), 0.5));
  const withAudit = (fields: object) => ({
    ...whole,
    audits: { 'first-contentful-paint': { ...whole.audits['first-contentful-paint'], score: 0.1, ...fields } },
  });
  const odd: readonly (readonly [id: string, lhr: unknown])[] = [
    ['null-savings', withAudit({ metricSavings: null })],
    ['from-2090', { ...whole, fetchTime: '2090-01-01T00:00:00.000Z' }],
    ['list-of-rows', withAudit({ details: { type: 'table', items: [null, 7, { url: null }] } })],
    ['no-title', withAudit({ title: null })],
    ['half-a-character', { ...whole, lighthouseVersion: '13.\ud800' }],
  ];
  const add = database.prepare(
    `INSERT INTO runs SELECT ? AS id, projectId, buildId, 0 AS representative, url, ? AS lhr, createdAt, updatedAt
      FROM runs WHERE id = 'run-0-0'`,
  );
  for (const [id, lhr] of odd) add.run(id, JSON.stringify(lhr));
  add.run('bytes', Buffer.from('{}'));
  database.exec("UPDATE runs SET createdAt = '2019-01-01 00:00:00.000 +00:00' WHERE id NOT LIKE 'run-%'");
  database.close();
  const { code, stdout, stderr } = await importInto(dataDir, file, t);
  assert.equal(code, 1, stdout + stderr);
  const skipped = [...stdout.matchAll(/^skipped run (\S+): (.+)$/gm)].map(([, id]) => id);
  assert.deepEqual(skipped.toSorted(), ['bytes', 'from-2090', 'no-title', 'run-damaged']);
  assert.match(stdout, /^results {2}9$/m);
});

test('a project without a token is imported, and no request without a token finds it', async t => {
  for (const missing of ['NULL', "''", "'   '", '7', "x'00'"]) {
    const [file, dataDir] = [join(makeScratchFolder(t), 'lhci.db'), makeScratchFolder(t)];
    writeLhciFile(file);
    const database = new DatabaseSync(file);
    database.exec(`UPDATE projects SET token = ${missing}`);
    database.close();
    assert.equal((await importInto(dataDir, file, t)).code, 1);
    const service = await startService(t, { DATA_DIR: dataDir });
    for (const body of [{}, { token: '' }, { token: ' ' }, { token: null }, { token: 7 }]) {
      const lookup = { method: 'POST', body: JSON.stringify(body) };
      assert.equal((await fetch(`${service.url}/v1/projects/lookup`, lookup)).status, 404, JSON.stringify(body));
    }
    const write = { method: 'POST', body: '{}', headers: { 'x-lhci-build-token': '' } };
    assert.equal((await fetch(`${service.url}/v1/projects/${projectId}/builds`, write)).status, 403);
    assert.equal((await fetch(`${service.url}/v1/projects/${projectId}`)).status, 200);
  }
});

test('docs/lighthouse-ci.md shows a command that imports a file', async t => {
  const [, words = ''] = /^npx rangelight (import \S+)$/m.exec(readDocument('docs/lighthouse-ci.md')) ?? [];
  const file = join(folder, 'documented.db');
  writeLhciFile(file);
  const args = words.replace('lhci.db', file).split(' ');
  const { stdout } = await runCli(t, args, { environment: { DATA_DIR: makeScratchFolder(t) } });
  assert.match(stdout, /^results {2}6$/m);
});

test('a file of an older server has no base branch: it is master', async t => {
  const [file, dataDir] = [join(folder, 'old.db'), makeScratchFolder(t)];
  writeLhciFile(file, true);
  assert.equal((await importInto(dataDir, file, t)).code, 1);
  const service = await startService(t, { DATA_DIR: dataDir });
  const answer = await fetch(`${service.url}/v1/projects/slug:viewer`);
  assert.equal(((await answer.json()) as { baseBranch: string }).baseBranch, 'master');
});

test('a file that is not a Lighthouse CI database is rejected with its name', async t => {
  const dataDir = makeScratchFolder(t);
  const [text, other] = [join(folder, 'notes.txt'), join(folder, 'other.db')];
  writeFileSync(text, 'No database at all, but long enough to be read as one.'.repeat(20));
  new DatabaseSync(other).exec('CREATE TABLE things (id)');
  const refusals: readonly (readonly [file: string, reason: RegExp])[] = [
    [join(folder, 'missing.db'), /There is no file .*missing\.db/],
    [text, /notes\.txt cannot be read as a SQLite file/],
    [other, /other\.db is not the database of a Lighthouse CI server: it has no table projects, builds, runs/],
  ];
  for (const [file, reason] of refusals) {
    const { code, stderr } = await importInto(dataDir, file, t);
    assert.equal(code, 3);
    assert.match(stderr, reason);
  }
  assert.equal((await runCli(t, ['import', text, other])).code, 2);
  const known = join(folder, 'known.db');
  writeLhciFile(known);
  assert.equal((await importInto('none', known, t)).code, 2);
});
