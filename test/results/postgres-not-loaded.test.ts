import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { makeScratchFolder } from '../support/scratch-folder.ts';

/** A script that prints whether the PostgreSQL client was imported. */
const toScript = (place: object): string => `
  import { registerHooks } from 'node:module';
  let isLoaded = false;
  registerHooks({ resolve(name, context, next) {
    isLoaded ||= name === 'pg';
    return next(name, context);
  } });
  const { openResultStore } = await import('./src/storage/results/open-store.ts');
  const store = await openResultStore(${JSON.stringify(place)});
  await store.close();
  console.log(isLoaded);`;

const isLoadedFor = (place: object): string =>
  execFileSync(process.execPath, ['--input-type=module', '-e', toScript(place)], {
    cwd: new URL('../../', import.meta.url),
  })
    .toString()
    .trim();

test('the PostgreSQL client is loaded only with a database URL', t => {
  assert.equal(isLoadedFor({ dataDir: makeScratchFolder(t) }), 'false');
  assert.equal(isLoadedFor({}), 'false');
  assert.equal(isLoadedFor({ databaseUrl: 'postgresql://127.0.0.1:1/none' }), 'true');
});
