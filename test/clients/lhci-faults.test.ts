/** Uploads of Lighthouse CI during and after faults of the database. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { listBuildRuns, sealUpload, storeRun, type UploadParts } from '../../src/analysis/lhci/store-upload.ts';
import { toBuild } from '../../src/analysis/lhci/uploaded-build.ts';
import { createRecorder } from '../../src/analysis/records/recorder.ts';
import { readUpload } from '../../src/analysis/threads/read-upload.ts';
import { StoreFaultError } from '../../src/storage/database/fault.ts';
import type { SqlDatabase, Statement } from '../../src/storage/database/sql.ts';
import { addBuild, findBuild } from '../../src/storage/lhci/builds.ts';
import { createResultStore } from '../../src/storage/results/create-store.ts';
import { createSqliteDatabase } from '../../src/storage/results/sqlite/database.ts';
import { buildCategory, buildMeasuredLhr, metricRefs } from '../support/builders/lhr.ts';

type Fault = 'none' | 'before the write' | 'after the write';

/** A database whose writes into one table fail on order, before or after they take effect, as with a cut connection. */
function createFaultyDatabase() {
  const database = createSqliteDatabase({ path: ':memory:' });
  let [planted, table]: [Fault, string] = ['none', ''];
  const cut = () => new StoreFaultError('unavailable', 'The connection was cut.');
  const faulty: SqlDatabase = {
    ...database,
    async write(statements: readonly Statement[]) {
      const isHit = planted !== 'none' && statements.some(({ sql }) => sql.startsWith(`INSERT INTO ${table} `));
      if (isHit && planted === 'before the write') throw cut();
      const changed = await database.write(statements);
      if (isHit) throw cut();
      return changed;
    },
  };
  return {
    database: faulty,
    plant(fault: Fault, into = '') {
      [planted, table] = [fault, into];
    },
  };
}

const startedAtMs = Date.now();

async function startUpload(t: TestContext) {
  const { database, plant } = createFaultyDatabase();
  // Only a sweep writes waiting results, so a test decides when.
  const store = createResultStore({ database, schedule: () => ({ cancel: () => {} }) });
  await store.open();
  t.after(() => store.close());
  const recorder = createRecorder({ store, machineId: 'm', keepsArtifacts: false });
  const parts: UploadParts = { store, recorder, threads: { readUpload: async order => readUpload(order) } };
  const place = { id: randomUUID(), createdAtMs: Date.now(), lifecycle: 'unsealed' } as const;
  const build = toBuild({ branch: 'main', hash: 'a' }, { id: 'p', slug: 'shop' }, place) ?? assert.fail();
  await addBuild(database, build);
  const upload = (score: number) => {
    const categories = [buildCategory('performance', metricRefs, score / 100)];
    const fetchTime = new Date(startedAtMs - score * 1000).toISOString();
    const lhr = JSON.stringify(buildMeasuredLhr({ categories, fetchTime }));
    return storeRun(parts, build, Buffer.from(JSON.stringify({ url: 'http://localhost/', lhr })));
  };
  const read = async () => (await findBuild(database, 'p', build.id)) ?? assert.fail();
  return { store, build, plant, upload, read };
}

test('a build that is sealed while its results wait for the database has a representative run', async t => {
  const { store, plant, upload, read, build } = await startUpload(t);
  plant('before the write', 'results');
  const runs = [await upload(60), await upload(90), await upload(61)];
  assert.equal(store.status().waiting, 3);
  assert.equal(await sealUpload(store, build), true);
  const representative = (await listBuildRuns(store, await read())).filter(run => run.isRepresentative);
  assert.deepEqual(representative, [{ ...runs[2], isRepresentative: true }]);
});

test('a build that another instance sealed before its results arrived gets its representative run afterwards', async t => {
  const { store, plant, upload, read, build } = await startUpload(t);
  plant('before the write', 'results');
  const runs = [await upload(60), await upload(90), await upload(61)];
  const elsewhere = { ...store, get: async () => undefined };
  assert.equal(await sealUpload(elsewhere, build), true);
  const selected = async () => (await listBuildRuns(elsewhere, await read())).filter(run => run.isRepresentative);
  assert.deepEqual(await selected(), []);
  plant('none');
  await store.sweep({});
  assert.equal(store.status().waiting, 0);
  assert.deepEqual(await selected(), [{ ...runs[2], isRepresentative: true }]);
});

for (const fault of ['before the write', 'after the write'] as const)
  for (const table of ['lhci_runs', 'results'])
    test(`an upload that is repeated after a fault ${fault} into ${table} counts once`, async t => {
      const { store, plant, upload, build } = await startUpload(t);
      plant(fault, table);
      await upload(90).catch((error: unknown) => assert.ok(error instanceof StoreFaultError));
      plant('none');
      await upload(90);
      await store.sweep({});
      assert.equal((await store.byLabel(build.label)).length, 1);
      assert.equal((await listBuildRuns(store, build)).length, 1);
    });
