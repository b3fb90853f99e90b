/** The tables of docs/settings.md are generated from the table of settings. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { namesInMarks, withSettingTables } from '../../build/documents/settings.ts';
import { settingTable } from '../../src/settings/setting-table.ts';
import { projectRoot } from './source-files.ts';

const document = readFileSync(`${projectRoot}docs/settings.md`, 'utf8');

test('docs/settings.md has the generated tables (npm run documents)', () => {
  assert.equal(withSettingTables(document), document);
});

test('docs/settings.md lists every setting once', () => {
  assert.deepEqual(namesInMarks(document).toSorted(), Object.keys(settingTable).toSorted());
});
