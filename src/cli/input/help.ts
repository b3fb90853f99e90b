/** Writes the help of the commands from their table, in at most 80 columns, the usual width of a terminal. */
import { wrapText } from '../text/terminal/width.ts';
import { toFlagName } from './command-line.ts';
import { type CommandName, type CommandRow, commands } from './command-table.ts';

const columns = 80;
const optionColumn = 23;
const summaryColumn = 39;
const indent = 2;

const toParagraphs = (text: string): string[] => text.split('\n').flatMap(line => wrapText(line, columns));

/** Returns a name with its meaning in a second column; a longer name has a line of its own. */
function toRows(name: string, meaning: string, column: number): string[] {
  const lines = meaning.split('\n').flatMap(line => wrapText(line, columns - column));
  const head = `${' '.repeat(indent)}${name}`;
  const isShort = head.length < column;
  const [first = ''] = lines;
  const below = (isShort ? lines.slice(1) : lines).map(line => ' '.repeat(column) + line);
  return [isShort ? head.padEnd(column) + first : head, ...below];
}

function toOptions({ options, headings = {} }: CommandRow): string[] {
  const shortNames: Readonly<Record<string, string>> = { help: ', -h', version: ', -v' };
  return Object.entries(options).flatMap(([name, { value, help }]) => [
    ...(headings[name] === undefined ? [] : ['', headings[name]]),
    ...toRows(
      `--${toFlagName(name)}${value === undefined ? (shortNames[name] ?? '') : ` ${value}`}`,
      help,
      optionColumn,
    ),
  ]);
}

const toLists = ({ lists = [] }: CommandRow): string[] =>
  lists.flatMap(({ title, rows }) => {
    const widest = Math.max(...rows.map(([name]) => name.length));
    return ['', title, ...rows.flatMap(([name, meaning]) => toRows(name, meaning, Math.max(7, widest + indent + 2)))];
  });

const usageOf = (name: string, usage: string): string =>
  name === 'measure' ? `rangelight ${usage}` : `rangelight ${name} ${usage}`;

export function toHelp(name: CommandName): string {
  const row: CommandRow = commands[name];
  const usages =
    name === 'measure'
      ? Object.entries<CommandRow>(commands).flatMap(([each, { usage, summary }]) =>
          toRows(usageOf(each, usage), summary, summaryColumn),
        )
      : [`  ${usageOf(name, row.usage)}`];
  const isLong = row.headings !== undefined;
  return [
    ...toParagraphs(row.about),
    '',
    ...usages,
    ...(isLong ? [] : ['']),
    ...toOptions(row),
    ...toLists(row),
    ...(row.notes === undefined ? [] : ['', ...toParagraphs(row.notes)]),
  ].join('\n');
}
