/** Reads the command line by the table of commands, and reports all faults at once. */
import type { Backend } from '../../api-client/page-request.ts';
import { optionsAt } from '../../contract/measuring-options.ts';
import { type Strategy, strategies } from '../../contract/names.ts';
import { joinWords } from '../../presentation/numbers.ts';
import type { Assertion } from './assertion.ts';
import { faultsOfAssertions, readAssertions } from './assertions.ts';
import {
  type CommandLine,
  collectFaults,
  type OptionTable,
  type Repeated,
  readValues,
  splitArguments,
  toFlagName,
  type Values,
} from './command-line.ts';
import {
  type CommandName,
  type CommandRow,
  commands,
  conditionLineOptions,
  conditionOptions,
  isCommandName,
} from './command-table.ts';
import { toVariants, type VariantChoices } from './experiment-changes.ts';
import { toPageUrls } from './gather-pages.ts';
import { toHelp } from './help.ts';
import { UsageError } from './usage-error.ts';

type ValuesOf<Name extends CommandName> = Values<(typeof commands)[Name]['options']>;

/** The service that a command uses; without a URL, it starts its own. */
export type ServiceOptions = { readonly server: string | undefined; readonly apiKey: string | undefined };

/** The lines of a command that state conditions: load-conditions.ts reads them. */
type Conditioned = Pick<CommandLine<OptionTable>, 'conditionLines'>;

export type MeasureArguments = ValuesOf<'measure'> &
  Conditioned & {
    readonly strategies: readonly Strategy[];
    /** Pages as given; `-` is standard input. */
    readonly pages: readonly string[];
    readonly backend: Backend;
    readonly format: 'table' | 'json' | 'ndjson';
    readonly assertions: readonly Assertion[];
  };
export type CiWanted = ValuesOf<'ci'> & Conditioned;
export type BuildsWanted = ValuesOf<'compare-builds'> &
  Conditioned & { readonly before: string; readonly after: string };
export type ExperimentWanted = ValuesOf<'experiment'> &
  Conditioned & {
    readonly url: string;
    readonly variants: readonly VariantChoices[];
  };
/** The subject is the id of a stored load, or a page to measure first. */
export type WhatIfWanted = ValuesOf<'what-if'> &
  Conditioned & {
    readonly subject: { readonly id: string } | { readonly url: string };
  };
export type HistoryWanted = ValuesOf<'history'> & { readonly url: string };
export type NoteWanted = ValuesOf<'note'> & { readonly url: string; readonly text: string };
export type SiteWanted = ValuesOf<'site'> & { readonly url: string };
export type ShowWanted = ValuesOf<'show'> & { readonly id: string };

export type WordsWanted = { readonly words: readonly string[]; readonly quiet: boolean };

export type Command =
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'version' | 'serve' }
  | ({ readonly kind: 'store' | 'import' } & WordsWanted)
  | { readonly kind: 'measure'; readonly wanted: MeasureArguments }
  | { readonly kind: 'ci'; readonly wanted: CiWanted }
  | { readonly kind: 'mcp'; readonly wanted: ServiceOptions }
  | { readonly kind: 'compare-builds'; readonly wanted: BuildsWanted }
  | { readonly kind: 'experiment'; readonly wanted: ExperimentWanted }
  | { readonly kind: 'what-if'; readonly wanted: WhatIfWanted }
  | { readonly kind: 'history'; readonly wanted: HistoryWanted }
  | { readonly kind: 'site'; readonly wanted: SiteWanted }
  | { readonly kind: 'note'; readonly wanted: NoteWanted }
  | { readonly kind: 'show'; readonly wanted: ShowWanted };

const htmlAndJson = '--html - and JSON cannot both go to standard output';

/** Options of local audits: those that `/psi` does not have. */
const localOptions = optionsAt('command')
  .map(([name]) => name)
  .filter(name => !optionsAt('psi').some(([known]) => known === name));

/** Returns the options of a command that state conditions. */
const conditionsIn = ({ given, conditionLines }: Omit<CommandLine<OptionTable>, 'values'>): string[] => [
  ...new Set(conditionLines.map(({ option }) => option)),
  ...Object.keys(conditionOptions)
    .map(toFlagName)
    .filter(name => given.has(name)),
];

/** Returns the faults between options of a measurement. */
function faultsBetween(line: CommandLine<(typeof commands)['measure']['options']>): string[] {
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

function toWanted(line: CommandLine<(typeof commands)['measure']['options']>, faults: string[]): MeasureArguments {
  const { values, words, repeated, conditionLines } = line;
  const { strategy = 'mobile', categories } = values;
  const measured = { strategies: strategy === 'both' ? strategies : [strategy], categories };
  const wanted: MeasureArguments = {
    ...values,
    ...measured,
    conditionLines,
    pages: words,
    backend: values.compare ? 'compare' : values.psi ? 'remote' : 'local',
    format: values.ndjson ? 'ndjson' : values.json ? 'json' : 'table',
    assertions: readAssertions({ given: repeated, file: values.assertFile }, measured, faults),
  };
  faults.push(...faultsOfAssertions(wanted));
  if (faults.length === 0 && words.length === 0 && values.file === undefined)
    faults.push('no URL given: pass a URL, or --file with URLs');
  return wanted;
}

const idPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const allOptions: OptionTable = Object.assign({}, ...Object.values(commands).map(({ options }) => options));

/** Names the commands that have an option. */
const sayCommandsWith = (flagName: string): string =>
  joinWords(
    Object.entries<CommandRow>(commands).flatMap(([command, { options }]) =>
      Object.keys(options).some(name => toFlagName(name) === flagName) ? [command] : [],
    ),
  );

/** Reads arguments that are pages; invalid ones become faults. */
const readUrls = (words: readonly string[], faults: string[]): string[] =>
  collectFaults('', faults, () => toPageUrls(words)) ?? [];

type Line<Name extends CommandName> = CommandLine<(typeof commands)[Name]['options']>;

/** Converts the values and words of a command to what it runs with; faults make them invalid. */
const readers: {
  readonly [Name in Exclude<CommandName, 'serve'>]: (line: Line<Name>, faults: string[]) => Command;
} = {
  measure: (line, faults) => {
    faults.push(...faultsBetween(line));
    return { kind: 'measure', wanted: toWanted(line, faults) };
  },
  ci: ({ values, conditionLines }, faults) => {
    if (values.baseline !== undefined && values.baselineFile !== undefined)
      faults.push('pass --baseline or --baseline-file, not both');
    return { kind: 'ci', wanted: { ...values, conditionLines } };
  },
  mcp: ({ values }) => ({ kind: 'mcp', wanted: values }),
  'compare-builds': ({ values, words, conditionLines }, faults) => {
    const [before = '', after = ''] = readUrls(words, faults);
    return { kind: 'compare-builds', wanted: { ...values, conditionLines, before, after } };
  },
  experiment: ({ values, words, repeated, conditionLines }, faults) => {
    const [url = ''] = readUrls(words, faults);
    const variants = collectFaults('', faults, () => toVariants(repeated, faults)) ?? [];
    if (values.html === '-' && values.json) faults.push(htmlAndJson);
    return { kind: 'experiment', wanted: { ...values, conditionLines, url, variants } };
  },
  'what-if': (line, faults) => {
    const { values, given, words, conditionLines } = line;
    const [subject = ''] = words;
    if (!idPattern.test(subject)) {
      const [url = ''] = readUrls(words, faults);
      return { kind: 'what-if', wanted: { ...values, conditionLines, subject: { url } } };
    }
    const ofUrl = [...(given.has('strategy') ? ['strategy'] : []), ...conditionsIn(line)];
    faults.push(...ofUrl.map(name => `--${name} applies to a URL, not to a stored result`));
    return { kind: 'what-if', wanted: { ...values, conditionLines, subject: { id: subject } } };
  },
  history: ({ values, words }, faults) => {
    const [url = ''] = readUrls(words, faults);
    return { kind: 'history', wanted: { ...values, url } };
  },
  site: ({ values, words }, faults) => {
    const [url = ''] = readUrls(words, faults);
    return { kind: 'site', wanted: { ...values, url } };
  },
  note: ({ values, words: [page, text = ''] }, faults) => {
    const [url = ''] = readUrls(page === undefined ? [] : [page], faults);
    return { kind: 'note', wanted: { ...values, url, text } };
  },
  show: ({ values, words: [id = ''] }) => ({ kind: 'show', wanted: { ...values, id } }),
  store: ({ words, values }) => ({ kind: 'store', words, ...values }),
  import: ({ words, values }) => ({ kind: 'import', words, ...values }),
};

/** Reads the arguments of a command. @throws UsageError */
function readCommand(name: Exclude<CommandName, 'serve'>, args: readonly string[], env: NodeJS.ProcessEnv): Command {
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
  const read = readers[name] as (line: CommandLine<OptionTable>, faults: string[]) => Command;
  const command = read({ given, repeated, conditionLines, words: isCounted ? words : [], values }, faults);
  if (faults.length > 0) throw new UsageError(faults);
  return command;
}

/** @throws UsageError */
export function readArguments(args: readonly string[], env: NodeJS.ProcessEnv): Command {
  const [name, ...rest] = args;
  if (name === 'serve') return { kind: 'serve' };
  return isCommandName(name) ? readCommand(name, rest, env) : readCommand('measure', args, env);
}
