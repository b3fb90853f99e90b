/** Reads the command line by the table of commands, and reports all faults at once. */
import type { Backend } from '../../api-client/page-request.ts';
import { optionsAt } from '../../contract/measuring-options.ts';
import { strategies } from '../../contract/names.ts';
import { joinWords } from '../../presentation/numbers.ts';
import { faultsOfAssertions, readAssertions } from './assertions.ts';
import {
  type CommandLine,
  collectFaults,
  type OptionTable,
  type Repeated,
  readValues,
  splitArguments,
  toFlagName,
} from './command-line.ts';
import { type CommandName, type CommandRow, commands, isCommandName } from './command-table.ts';
import { toVariants } from './experiment-changes.ts';
import { toPageUrls } from './gather-pages.ts';
import { toHelp } from './help.ts';
import { conditionLineOptions, conditionOptions } from './option-table.ts';
import { UsageError } from './usage-error.ts';

type Line<Name extends CommandName> = CommandLine<(typeof commands)[Name]['options']>;
type ReadName = keyof typeof readers;

/** Input of a command: the values of its options, its conditions, and what its reader adds. */
export type Wanted<Name extends ReadName> = Line<Name>['values'] &
  Pick<Line<Name>, 'conditionLines'> &
  ReturnType<(typeof readers)[Name]>;

/** The service that a command uses; without a URL, it starts its own. */
export type ServiceOptions = Pick<Wanted<'mcp'>, 'server' | 'apiKey'>;

export type Command =
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'version' | 'serve' }
  | { [Name in ReadName]: { readonly kind: Name; readonly wanted: Wanted<Name> } }[ReadName];

const htmlAndJson = '--html - and JSON cannot both go to standard output';

/** Options of local audits: those that `/psi` does not have. */
const localOptions = optionsAt('command')
  .map(([name]) => name)
  .filter(name => !optionsAt('psi').some(([known]) => known === name));

const conditionsIn = ({ given, conditionLines }: Omit<CommandLine<OptionTable>, 'values'>): string[] => [
  ...new Set(conditionLines.map(({ option }) => option)),
  ...Object.keys(conditionOptions)
    .map(toFlagName)
    .filter(name => given.has(name)),
];

function faultsBetween(line: Line<'measure'>): string[] {
  const { given, repeated, values } = line;
  const { psi, compare, json, ndjson, html, all, strict, baseline, assertFile } = values;
  const isJudged = baseline !== undefined || assertFile !== undefined || repeated.length > 0;
  return [
    psi && compare ? '--psi and --compare cannot be combined' : '',
    json && ndjson ? '--json and --ndjson cannot be combined' : '',
    html === '-' && (json || ndjson) ? htmlAndJson : '',
    all && (json || ndjson) ? '--all applies to tables: JSON contains every finding' : '',
    ...[...localOptions.filter(name => given.has(name)), ...conditionsIn(line)]
      .filter(() => psi)
      .map(name => `--${name} applies to local audits: not with --psi`),
    strict && !isJudged ? '--strict requires --baseline or --assert' : '',
    given.has('min-effect') && baseline === undefined ? '--min-effect requires --baseline' : '',
  ].filter(fault => fault !== '');
}

function readMeasure(line: Line<'measure'>, faults: string[]) {
  const { values, words: pages, repeated } = line;
  const { strategy = 'mobile', categories, psi, compare, json, ndjson, assertFile, file } = values;
  faults.push(...faultsBetween(line));
  const measured = { strategies: strategy === 'both' ? strategies : [strategy], categories };
  const backend: Backend = compare ? 'compare' : psi ? 'remote' : 'local';
  const format: 'table' | 'json' | 'ndjson' = ndjson ? 'ndjson' : json ? 'json' : 'table';
  const assertions = readAssertions({ given: repeated, file: assertFile }, measured, faults);
  faults.push(...faultsOfAssertions({ assertions, categories, backend }));
  if (faults.length === 0 && pages.length === 0 && file === undefined)
    faults.push('no URL given: pass a URL, or --file with URLs');
  return { ...measured, pages, backend, format, assertions };
}

const idPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const allOptions: OptionTable = Object.assign({}, ...Object.values(commands).map(({ options }) => options));

const sayCommandsWith = (flagName: string): string =>
  joinWords(
    Object.entries<CommandRow>(commands).flatMap(([command, { options }]) =>
      Object.keys(options).some(name => toFlagName(name) === flagName) ? [command] : [],
    ),
  );

/** Reads arguments that are pages; invalid ones become faults. */
const readUrls = (words: readonly string[], faults: string[]): string[] =>
  collectFaults('', faults, () => toPageUrls(words)) ?? [];

const readPage = ({ words }: { readonly words: readonly string[] }, faults: string[]): { readonly url: string } => ({
  url: readUrls(words, faults)[0] ?? '',
});

/** Returns the id of a stored load, or a page to measure first. */
function readSubject(line: Line<'what-if'>, faults: string[]): { readonly id: string } | { readonly url: string } {
  const { given, words } = line;
  const [id = ''] = words;
  if (!idPattern.test(id)) return readPage(line, faults);
  const ofUrl = [...(given.has('strategy') ? ['strategy'] : []), ...conditionsIn(line)];
  faults.push(...ofUrl.map(name => `--${name} applies to a URL, not to a stored result`));
  return { id };
}

/** Convert the words of a command to what it runs with, next to its values; faults make them invalid. */
const readers = {
  measure: readMeasure,
  ci: ({ values: { baseline, baselineFile } }: Line<'ci'>, faults: string[]) => {
    if (baseline !== undefined && baselineFile !== undefined)
      faults.push('pass --baseline or --baseline-file, not both');
    return {};
  },
  mcp: () => ({}),
  'compare-builds': ({ words }: Line<'compare-builds'>, faults: string[]) => {
    const [before = '', after = ''] = readUrls(words, faults);
    return { before, after };
  },
  experiment: (line: Line<'experiment'>, faults: string[]) => {
    const page = readPage(line, faults);
    const variants = collectFaults('', faults, () => toVariants(line.repeated, faults)) ?? [];
    if (line.values.html === '-' && line.values.json) faults.push(htmlAndJson);
    return { ...page, variants };
  },
  'what-if': (line: Line<'what-if'>, faults: string[]) => ({ subject: readSubject(line, faults) }),
  history: readPage,
  site: readPage,
  note: ({ words: [page, text = ''] }: Line<'note'>, faults: string[]) => ({
    ...readPage({ words: page === undefined ? [] : [page] }, faults),
    text,
  }),
  show: ({ words: [id = ''] }: Line<'show'>) => ({ id }),
  store: ({ words }: Line<'store'>) => ({ words }),
  import: ({ words }: Line<'import'>) => ({ words }),
};

/** Reads the arguments of a command. @throws UsageError */
function readCommand(name: ReadName, args: readonly string[], env: NodeJS.ProcessEnv): Command {
  const faults: string[] = [];
  const { options, words: count, wordsFault }: CommandRow = commands[name];
  const sayForeign = (flagName: string) =>
    name === 'measure'
      ? `--${flagName} is an option of rangelight ${sayCommandsWith(flagName)}`
      : `rangelight ${name} has no option --${flagName}`;
  const { texts, ...split } = splitArguments(args, { own: options, others: allOptions, sayForeign }, faults);
  const { given, words } = split;
  const isCondition = ({ option }: Repeated) =>
    option in conditionLineOptions && conditionLineOptions[option] === options[option];
  const conditionLines = split.repeated.filter(isCondition);
  const repeated = split.repeated.filter(each => !isCondition(each));
  const lacksWords = (name === 'store' || name === 'import') && args.length === 0;
  if (given.has('help') || lacksWords) return { kind: 'help', text: toHelp(name) };
  if (given.has('version')) return { kind: 'version' };
  if (count !== undefined && words.length !== count) faults.push(`rangelight ${name} ${wordsFault}`);
  const values = readValues(options, texts, env, faults);
  const isCounted = count === undefined || words.length === count;
  const read = readers[name] as (line: CommandLine<OptionTable>, faults: string[]) => object;
  const added = read({ given, repeated, conditionLines, words: isCounted ? words : [], values }, faults);
  if (faults.length > 0) throw new UsageError(faults);
  const wanted: object = { ...values, conditionLines, ...added };
  return { kind: name, wanted } as Command;
}

/** @throws UsageError */
export function readArguments(args: readonly string[], env: NodeJS.ProcessEnv): Command {
  const [name, ...rest] = args;
  if (name === 'serve') return { kind: 'serve' };
  return isCommandName(name) ? readCommand(name, rest, env) : readCommand('measure', args, env);
}
