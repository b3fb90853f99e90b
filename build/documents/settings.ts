/** Writes the tables of docs/settings.md from the table of settings in the code. */
import { settingTable } from '../../src/settings/setting-table.ts';
import { withGenerated } from './marks.ts';

type Shown = { meaning: string; default?: string; shownDefault?: string };

const settings: Readonly<Record<string, Shown>> = settingTable;

const defaultOf = ({ shownDefault, default: value }: Shown): string =>
  shownDefault ?? (value === undefined ? 'none' : `\`${value}\``);

function toTable(names: string): string {
  const rows = names.split(' ').map(name => {
    const setting = settings[name];
    if (!setting) throw new Error(`${name} is not a setting`);
    return `| \`${name}\` | ${defaultOf(setting)} | ${setting.meaning} |`;
  });
  return ['', '| Setting | Default | Meaning |', '|---|---|---|', ...rows, ''].join('\n');
}

/** Each table follows a comment `<!-- settings: HOST PORT … -->` that lists its rows. */
const start = /<!-- settings: ([A-Z_ ]+) -->/g;

/** @returns the setting names of all marks, in document order */
export const namesInMarks = (document: string): string[] =>
  [...document.matchAll(start)].flatMap(([, names = '']) => names.split(' '));

/** @throws Error if a mark names a setting that does not exist */
export const withSettingTables = (document: string): string => withGenerated(document, start, toTable);
