import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { hasBundledBrowser, unpackBundledBrowser } from './find-browser.ts';
import { sqliteStandIn, standInName, standInSymbols } from './sqlite-stand-in.ts';

const skip = hasBundledBrowser() ? false : 'no bundled browser for this machine';

test('the stand-in has every name that the certificate library requests, and no other', { skip }, async () => {
  const { executablePath } = await unpackBundledBrowser(process.env.XDG_CACHE_HOME);
  const lib = join(dirname(executablePath), 'lib');
  const library = readFileSync(join(lib, 'libsoftokn3.so'), 'latin1');
  assert.ok(library.includes(`\0${standInName}\0`), 'which still needs it');
  const wanted = new Set(library.match(/(?<=\0)sqlite3_[a-z0-9_]+(?=\0)/g));
  assert.deepEqual([...wanted].sort(), [...standInSymbols].sort());
  assert.deepEqual(readFileSync(join(lib, standInName)), sqliteStandIn());
});

test('the system can load the stand-in as a library', { skip }, t => {
  const folder = mkdtempSync(join(tmpdir(), 'rangelight-stand-in-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, standInName);
  writeFileSync(path, sqliteStandIn());
  // Node loads the library, and finds that it is not a module. A file that cannot be loaded gives another error.
  assert.throws(() => process.dlopen({ exports: {} }, path), /did not self-register/);
});
