/** The README's table of settings and the table in the code say the same. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { settingTable } from '../../src/settings.ts';
import { readTableRows, withoutBackticks } from './markdown.ts';
import { projectRoot } from './source-files.ts';

/** What may stand in place of a default where there is none. */
const none = /^(none|unset|not set|–|—|-|)$/i;

const shownDefault = (setting: { meaning: string; default?: string; shownDefault?: string }): string =>
  withoutBackticks(setting.shownDefault ?? setting.default ?? '');

test('the README lists exactly the settings, with their defaults', () => {
  const rows = readTableRows(readFileSync(`${projectRoot}README.md`, 'utf8')).filter(([name = '']) =>
    /^`[A-Z][A-Z_]+`$/.test(name),
  );
  const documented = rows.map(([name = '', value = '']) => {
    const text = withoutBackticks(value);
    return [withoutBackticks(name), none.test(text) ? '' : text];
  });
  const expected = Object.entries(settingTable).map(([name, setting]) => [name, shownDefault(setting)]);
  assert.deepEqual(Object.fromEntries(documented), Object.fromEntries(expected));
  assert.equal(documented.length, expected.length, 'each once');
});
