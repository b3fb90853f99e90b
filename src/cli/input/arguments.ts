/** The command line, read into what is wanted. Every fault is named at once. */
import { parseArgs } from 'node:util';
import { type Category, categoryNames, type Profile, profiles, type Strategy, strategies } from '../report/report.ts';
import { isSendableKey } from '../web/api-key.ts';
import type { Backend } from '../web/page-request.ts';
import { withScheme } from '../web/read-urls.ts';
import { type Assertion, readAssertion } from './assertion.ts';
import { toHint } from './nearest-name.ts';
import { UsageError } from './usage-error.ts';

export type Wanted = {
  /** As they were given; `-` stands for the standard input. */
  readonly pages: readonly string[];
  /** A file of addresses, one a line. */
  readonly file: string | undefined;
  readonly backend: Backend;
  readonly strategies: readonly Strategy[];
  /** Undefined for all. */
  readonly categories: readonly Category[] | undefined;
  readonly runs: number | undefined;
  readonly profile: Profile | undefined;
  /** Base of a running service, with a slash at its end; undefined for one of our own. */
  readonly server: string | undefined;
  readonly apiKey: string | undefined;
  readonly format: 'table' | 'json' | 'ndjson';
  /** A file, a folder, or `-`. */
  readonly html: string | undefined;
  readonly assertions: readonly Assertion[];
  readonly isQuiet: boolean;
  readonly hasColor: boolean | undefined;
};

export type Command =
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  | { readonly kind: 'serve' }
  | { readonly kind: 'measure'; readonly wanted: Wanted };

const options = {
  psi: { type: 'boolean' },
  compare: { type: 'boolean' },
  strategy: { type: 'string' },
  categories: { type: 'string' },
  runs: { type: 'string' },
  profile: { type: 'string' },
  file: { type: 'string' },
  server: { type: 'string' },
  'api-key': { type: 'string' },
  json: { type: 'boolean' },
  ndjson: { type: 'boolean' },
  html: { type: 'string' },
  assert: { type: 'string', multiple: true },
  quiet: { type: 'boolean' },
  'no-color': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const;
type Name = keyof typeof options;

const names = Object.keys(options) as Name[];
const isName = (name: string): name is Name => Object.hasOwn(options, name);

type Given = {
  readonly flags: ReadonlySet<Name>;
  readonly values: Readonly<Partial<Record<Name, string>>>;
  readonly assertions: readonly string[];
  readonly pages: readonly string[];
};

type Option = { name: string; rawName: string; value: string | undefined; inlineValue: boolean | undefined };

/** What keeps an option from being taken. What stands behind an unknown one is not repeated: it may be a key. */
function faultOf({ name, rawName, value, inlineValue }: Option): string | undefined {
  if (!isName(name)) return `there is no option ${rawName}${toHint(name, names, '--')}`;
  if (options[name].type === 'boolean') return inlineValue ? `--${name} takes no value` : undefined;
  const isMissing = value === undefined || value === '' || (!inlineValue && value !== '-' && value.startsWith('-'));
  return isMissing ? `--${name} needs a value` : undefined;
}

function readGiven(args: readonly string[], faults: string[]): Given {
  const { tokens } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true });
  const [flags, values, assertions, pages] = [
    new Set<Name>(),
    {} as Record<Name, string>,
    [] as string[],
    [] as string[],
  ];
  for (const token of tokens) {
    if (token.kind === 'positional') pages.push(token.value);
    if (token.kind !== 'option') continue;
    const fault = faultOf(token as Option);
    const name = token.name as Name;
    if (fault) faults.push(fault);
    else if (token.value === undefined) flags.add(name);
    else if (name === 'assert') assertions.push(token.value);
    else if (Object.hasOwn(values, name)) faults.push(`--${name} is given twice`);
    else values[name] = token.value;
  }
  return { flags, values, assertions, pages };
}

const isOneOf = <T extends string>(allowed: readonly T[], text: string): text is T =>
  (allowed as readonly string[]).includes(text);

function readChoice<T extends string>(
  name: Name,
  text: string | undefined,
  allowed: readonly T[],
  faults: string[],
): T | undefined {
  if (text === undefined || isOneOf(allowed, text)) return text;
  faults.push(`--${name} is ${allowed.join(', ')}; not '${text}'${toHint(text, allowed)}`);
  return undefined;
}

function readCategories(text: string | undefined, faults: string[]): readonly Category[] | undefined {
  if (text === undefined) return undefined;
  const given = text.split(',').map(name => name.trim());
  const known = given.map(name => readChoice('categories', name, categoryNames, faults));
  return categoryNames.filter(name => known.includes(name));
}

function readRuns(text: string | undefined, faults: string[]): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-5]$/.test(text)) faults.push(`--runs is a number from 1 to 5; not '${text}'`);
  return Number(text);
}

/** An address may hold a password, so it is not repeated. */
function readServer(text: string | undefined, faults: string[]): string | undefined {
  if (text === undefined) return undefined;
  const url = URL.parse(withScheme(text));
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    faults.push('--server is the http or https address of a running service, without a name or password in it');
    return undefined;
  }
  return new URL(url.pathname.endsWith('/') ? url.pathname : `${url.pathname}/`, url.origin).href;
}

/** Names of the standard output. */
const outputNames: ReadonlySet<string | undefined> = new Set(['/dev/stdout', '/dev/fd/1', '/proc/self/fd/1']);

const readHtml = ({ html }: Given['values']): string | undefined => (outputNames.has(html) ? '-' : html);

/** What no header could carry is not repeated. */
function readKey(option: string | undefined, variable: string | undefined, faults: string[]): string | undefined {
  const key = option ?? (variable || undefined);
  if (key === undefined || isSendableKey(key)) return key;
  const name = option === undefined ? 'RANGELIGHT_API_KEY' : '--api-key';
  faults.push(`${name} has a space, a line break or a letter beyond ASCII in it: no key has one`);
  return undefined;
}

function readAssertions(texts: readonly string[], faults: string[]): Assertion[] {
  return texts.flatMap(text => {
    try {
      return [readAssertion(text)];
    } catch (error) {
      faults.push(`--assert '${text}': ${error instanceof Error ? error.message : String(error)}`);
      return [];
    }
  });
}

const both = (flags: ReadonlySet<Name>, one: Name, other: Name): boolean => flags.has(one) && flags.has(other);

function faultsBetween({ flags, values }: Given): string[] {
  const isRemote = flags.has('psi');
  return [
    both(flags, 'psi', 'compare') ? '--psi and --compare exclude each other' : '',
    both(flags, 'json', 'ndjson') ? '--json and --ndjson exclude each other' : '',
    readHtml(values) === '-' && (flags.has('json') || flags.has('ndjson'))
      ? '--html - and JSON cannot both go to the standard output'
      : '',
    isRemote && values.runs !== undefined ? '--runs are local ones: not with --psi' : '',
    isRemote && values.profile !== undefined ? '--profile is of the local side: not with --psi' : '',
  ].filter(fault => fault !== '');
}

/** An assertion about what is not measured could never pass. */
function faultsOfAssertions({ assertions, categories, backend }: Wanted): string[] {
  const sides = { remote: ['psi'], local: ['lighthouse'], compare: ['psi', 'lighthouse'] }[backend];
  return assertions.flatMap(({ text, side, subject }) => {
    const needed = subject.kind === 'score' ? subject.name : 'performance';
    if (side && !sides.includes(side)) return [`--assert '${text}': ${side} is not measured here`];
    return categories && !categories.includes(needed)
      ? [`--assert '${text}': it needs the category ${needed}, which --categories leaves out`]
      : [];
  });
}

const toBackend = (flags: ReadonlySet<Name>): Backend => {
  if (flags.has('compare')) return 'compare';
  return flags.has('psi') ? 'remote' : 'local';
};

const toFormat = (flags: ReadonlySet<Name>): Wanted['format'] => {
  if (flags.has('ndjson')) return 'ndjson';
  return flags.has('json') ? 'json' : 'table';
};

function toWanted(given: Given, env: NodeJS.ProcessEnv, faults: string[]): Wanted {
  const { flags, values, pages } = given;
  const strategy = readChoice('strategy', values.strategy, [...strategies, 'both'], faults) ?? 'mobile';
  return {
    pages,
    file: values.file,
    backend: toBackend(flags),
    strategies: strategy === 'both' ? strategies : [strategy],
    categories: readCategories(values.categories, faults),
    runs: readRuns(values.runs, faults),
    profile: readChoice('profile', values.profile, profiles, faults),
    server: readServer(values.server, faults),
    apiKey: readKey(values['api-key'], env.RANGELIGHT_API_KEY, faults),
    format: toFormat(flags),
    html: readHtml(values),
    assertions: readAssertions(given.assertions, faults),
    isQuiet: flags.has('quiet'),
    hasColor: flags.has('no-color') ? false : undefined,
  };
}

/** @throws UsageError */
export function readArguments(args: readonly string[], env: NodeJS.ProcessEnv): Command {
  if (args[0] === 'serve') return { kind: 'serve' };
  const faults: string[] = [];
  const given = readGiven(args, faults);
  if (given.flags.has('help')) return { kind: 'help' };
  if (given.flags.has('version')) return { kind: 'version' };
  faults.push(...faultsBetween(given));
  const wanted = toWanted(given, env, faults);
  faults.push(...faultsOfAssertions(wanted));
  if (faults.length === 0 && wanted.pages.length === 0 && wanted.file === undefined)
    faults.push('no page is named: give an address, or --file with addresses');
  if (faults.length > 0) throw new UsageError(faults);
  return { kind: 'measure', wanted };
}
