import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { createKeptArtifacts } from './kept-artifacts.ts';

const create = (t: TestContext) => {
  const removeFolder = (folder: string) => rm(folder, { recursive: true, force: true });
  const kept = createKeptArtifacts({
    makeFolder: async () => {
      const folder = await mkdtemp(join(tmpdir(), 'rangelight-test-'));
      t.after(() => removeFolder(folder));
      return folder;
    },
    removeFolder,
  });
  const fill = async (names: readonly string[]): Promise<string> => {
    const folder = (await kept.open()) ?? assert.fail();
    for (const name of names) await writeFile(join(folder, name), '{}');
    return folder;
  };
  return { kept, fill };
};
const whole = ['trace.json', 'devtoolslog.json', 'artifacts.json'];

test('the artifacts of an audit are found by its id until they are released', async t => {
  const { kept, fill } = create(t);
  const folder = await fill(whole);
  const id = (await kept.take(folder)) ?? assert.fail();
  assert.equal(kept.find(id), folder);
  assert.ok(!id.includes(folder));
  await kept.release(id);
  assert.deepEqual([kept.find(id), existsSync(folder)], [undefined, false]);
  await kept.release(id);
});

test('incomplete artifacts of an audit are not stored', async t => {
  const { kept, fill } = create(t);
  for (const names of [[], ['trace.json'], ['devtoolslog.json', 'artifacts.json']]) {
    const folder = await fill(names);
    assert.deepEqual([await kept.take(folder), existsSync(folder)], [undefined, false]);
  }
  assert.equal(await kept.take('/nowhere/at/all'), undefined);
});

test('artifacts beyond 128 MB are not stored', async t => {
  const { kept, fill } = create(t);
  const folder = await fill(whole);
  await truncate(join(folder, 'trace.json'), 128 * 1024 * 1024);
  assert.deepEqual([await kept.take(folder), existsSync(folder)], [undefined, false]);
});

test('a full disk for artifacts is not a failure', async () => {
  const kept = createKeptArtifacts({
    makeFolder: () => Promise.reject(new Error('ENOSPC')),
    removeFolder: async () => {},
  });
  assert.equal(await kept.open(), undefined);
});

test('an unused folder can be discarded, and closing releases all', async t => {
  const { kept, fill } = create(t);
  const [discarded, one, other] = [await fill(whole), await fill(whole), await fill(whole)];
  await kept.discard(discarded);
  const ids = [await kept.take(one), await kept.take(other)];
  await kept.close();
  for (const folder of [discarded, one, other]) assert.ok(!existsSync(folder));
  for (const id of ids) assert.equal(kept.find(id ?? assert.fail()), undefined);
});

test('compressed copies are used like the artifacts of an audit, or not at all', async t => {
  const { kept } = create(t);
  const store = await mkdtemp(join(tmpdir(), 'rangelight-test-'));
  t.after(() => rm(store, { recursive: true, force: true }));
  const paths = { trace: join(store, 'a'), networkLog: join(store, 'b'), gathered: join(store, 'c') };
  for (const [name, path] of Object.entries(paths)) await writeFile(path, gzipSync(`{"${name}":1}`));
  const id = (await kept.adopt(paths)) ?? assert.fail();
  const folder = kept.find(id) ?? assert.fail();
  assert.deepEqual(await Promise.all(whole.map(name => readFile(join(folder, name), 'utf8'))), [
    '{"trace":1}',
    '{"networkLog":1}',
    '{"gathered":1}',
  ]);
  await writeFile(paths.gathered, gzipSync('{"gathered":1}').subarray(0, 20));
  assert.equal(await kept.adopt(paths), undefined);
  assert.equal(await kept.adopt({ ...paths, trace: join(store, 'gone') }), undefined);
  await kept.close();
  assert.equal(existsSync(folder), false);
});
