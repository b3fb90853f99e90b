/** Writes the lists of options in docs/command-line.md from the table of commands. */
import { toFlagName } from '../../src/cli/input/command-line.ts';
import { type CommandRow, commands } from '../../src/cli/input/command-table.ts';
import { withGenerated } from './marks.ts';

const columns = 120;

/** Wraps a list entry, whose further lines are indented. */
function toEntry(text: string): string {
  const lines: string[] = [];
  let line = '-';
  for (const word of text.split(' ')) {
    if (line.length + 1 + word.length > columns) {
      lines.push(line);
      line = ' ';
    }
    line += ` ${word}`;
  }
  return [...lines, line].join('\n');
}

/** Returns the help of options of `rangelight URL`; names of settings and characters of Markdown become code. */
function toList(names: string): string {
  const { options }: CommandRow = commands.measure;
  const entries = names.split(' ').map(name => {
    const option = Object.entries(options).find(([key]) => toFlagName(key) === name)?.[1];
    if (!option) throw new Error(`--${name} is not an option`);
    const help = option.help.replaceAll(
      /\b[A-Z]+_[A-Z_]+(?:=1)?\b|\bTARGETS\b|\bCOLUMNS=120\b|--[a-z]+/g,
      code => `\`${code}\``,
    );
    return toEntry(`\`--${name}${option.value === undefined ? '' : ` ${option.value}`}\`: ${help}`);
  });
  return ['', ...entries, ''].join('\n');
}

/** Each list follows a comment `<!-- options: psi compare … -->` that names its entries. */
const start = /<!-- options: ([a-z -]+) -->/g;

/** @throws Error if a mark names an option that does not exist */
export const withOptionLists = (document: string): string => withGenerated(document, start, toList);
