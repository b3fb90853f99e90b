/** The tables of docs/settings.md and the table in the code say the same. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { settingTable } from '../../src/settings/setting-table.ts';
import { readTableRows, withoutBackticks } from './markdown.ts';
import { projectRoot } from './source-files.ts';

/** What may stand in place of a default where there is none. */
const none = /^(none|unset|not set|–|—|-|)$/i;

type Shown = { meaning: string; default?: string; shownDefault?: string };

const shownDefault = (setting: Shown): string => withoutBackticks(setting.shownDefault ?? setting.default ?? '');

const rows = readTableRows(readFileSync(`${projectRoot}docs/settings.md`, 'utf8')).filter(([name = '']) =>
  /^`[A-Z][A-Z_]+`$/.test(name),
);

test('docs/settings.md lists exactly the settings, with their defaults', () => {
  const documented = rows.map(([name = '', value = '']) => {
    const text = withoutBackticks(value);
    return [withoutBackticks(name), none.test(text) ? '' : text];
  });
  const expected = Object.entries(settingTable).map(([name, setting]) => [name, shownDefault(setting)]);
  assert.deepEqual(Object.fromEntries(documented), Object.fromEntries(expected));
  assert.equal(documented.length, expected.length, 'each once');
});

test('docs/settings.md gives each setting the meaning that --help prints', () => {
  const documented = rows.map(([name = '', , meaning = '']) => [withoutBackticks(name), meaning]);
  const expected = Object.entries<Shown>(settingTable).map(([name, { meaning }]) => [name, meaning]);
  assert.deepEqual(Object.fromEntries(documented), Object.fromEntries(expected));
});
