/** Options of a command line: what a row of the table of commands says about one, and how words become values. */

import { parseArgs } from 'node:util';
import { isSendableKey } from '../../api-client/api-key.ts';
import { withScheme } from '../../api-client/read-urls.ts';
import { messageOf } from '../../contract/errors.ts';
import { toHint } from '../../contract/nearest-name.ts';
import { UsageError } from './usage-error.ts';

export type Option<T = unknown> = {
  /** A line break in it is kept; each line is wrapped. */
  readonly help: string;
  /** Placeholder of the value; absent for a flag. */
  readonly value?: string;
  /** Value of an absent option. */
  readonly default: T;
  /** Environment variable that an absent option is read from. */
  readonly variable?: string;
  /** Whether it may be repeated. Repeated options are read together, because their order matters. */
  readonly isRepeated?: true;
  /** @throws Error that completes `--name …`, or UsageError with whole sentences */
  read(text: string): T;
};
export type OptionTable = Readonly<Record<string, Option>>;
export type Values<O> = { readonly [Name in keyof O]: O[Name] extends Option<infer T> ? T : never };

/** Returns the name of an option on the command line: `min-effect` for `minEffect`. */
export const toFlagName = (name: string): string => name.replaceAll(/[A-Z]/g, letter => `-${letter.toLowerCase()}`);

export const flag = (help: string): Option<boolean> => ({ help, default: false, read: () => true });

/** @param read throws an Error that completes `--name …` */
export const option = <T>(value: string, read: (given: string) => T, help: string): Option<T | undefined> => ({
  value,
  help,
  default: undefined,
  read,
});
export const text = (value: string, help: string) => option(value, given => given, help);

/** An option whose values {@link CommandLine.repeated} has. */
export const repeated = (value: string, help: string): Option<undefined> => ({
  ...option(value, () => undefined, help),
  isRepeated: true,
});
export const withDefault = <T>(given: Option<T | undefined>, value: T): Option<T> => ({
  ...(given as Option<T>),
  default: value,
});
export const withHelp = <T>(given: Option<T>, help: string): Option<T> => ({ ...given, help });

/** @throws Error that completes `--name …` */
export function readChoice<T extends string>(given: string, names: readonly T[]): T {
  const found = names.find(name => name === given);
  if (found !== undefined) return found;
  throw new Error(`must be one of ${names.join(', ')}, not '${given}'${toHint(given, names)}`);
}

export const choice = <T extends string>(value: string, names: readonly T[], help: string): Option<T | undefined> =>
  option(value, given => readChoice(given, names), help);

/** Reads the URL of a service, which is not repeated in messages because it may contain a password. @throws Error */
export function readServer(given: string): string {
  const url = URL.parse(withScheme(given));
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw new Error('must be the http or https URL of a running service, without a user name or password');
  return new URL(url.pathname.endsWith('/') ? url.pathname : `${url.pathname}/`, url.origin).href;
}

/** Reads an API key. The error about an invalid key does not repeat it. @throws Error */
export function readKey(given: string): string {
  if (isSendableKey(given)) return given;
  throw new Error('contains a space, a line break or a character beyond ASCII, which no key has');
}

const outputNames: ReadonlySet<string> = new Set(['/dev/stdout', '/dev/fd/1', '/proc/self/fd/1']);

export const readHtml = (given: string): string => (outputNames.has(given) ? '-' : given);

/** Adds the message of a thrown error to the faults. */
export function collectFaults<T>(name: string, faults: string[], work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof UsageError) faults.push(...error.faults);
    else faults.push(`${name} ${messageOf(error)}`);
    return undefined;
  }
}

export type Repeated = { readonly option: string; readonly text: string };

export type CommandLine<O> = {
  readonly values: Values<O>;
  readonly given: ReadonlySet<string>;
  /** Values of repeated options, in the given order. */
  readonly repeated: readonly Repeated[];
  /** Repeated options that state conditions of a load. */
  readonly conditionLines: readonly Repeated[];
  /** Arguments other than options. */
  readonly words: readonly string[];
};

type Token = { name: string; rawName: string; value: string | undefined; inlineValue: boolean | undefined };

/** Explains why an option is refused. The value of an unknown one is not repeated, because it may be a key. */
function faultOf({ name, rawName, value, inlineValue }: Token, known: OptionTable): string | undefined {
  const option = Object.hasOwn(known, name) ? known[name] : undefined;
  if (!option) return `unknown option ${rawName}${toHint(name, Object.keys(known), '--')}`;
  if (option.value === undefined) return inlineValue ? `--${name} takes no value` : undefined;
  const isMissing = value === undefined || value === '' || (!inlineValue && value !== '-' && value.startsWith('-'));
  return isMissing ? `--${name} needs a value` : undefined;
}

const byFlagName = (options: OptionTable): OptionTable =>
  Object.fromEntries(Object.entries(options).map(([name, option]) => [toFlagName(name), option]));

/**
 * Splits the arguments of a command into options and words, in any order. The values are read later, after the faults
 * of the words.
 * @param others options of all commands, of which those that are not `own` are refused with `sayForeign`
 */
export function splitArguments<O extends OptionTable>(
  args: readonly string[],
  { own, others, sayForeign }: { own: O; others: OptionTable; sayForeign(flagName: string): string },
  faults: string[],
): Omit<CommandLine<O>, 'values' | 'conditionLines'> & { readonly texts: ReadonlyMap<string, string> } {
  const ofCommand = byFlagName(own);
  const known = { ...byFlagName(others), ...ofCommand };
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      Object.entries(known).map(([name, { value }]) => [
        name,
        { type: value === undefined ? 'boolean' : 'string', ...shortNames[name] } as const,
      ]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const [texts, repetitions, words] = [new Map<string, string>(), [] as Repeated[], [] as string[]];
  const foreign = new Set<string>();
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value);
    if (token.kind !== 'option') continue;
    const { name, value = '' } = token;
    const fault = faultOf(token as Token, known);
    if (fault) faults.push(fault);
    else if (!Object.hasOwn(ofCommand, name)) foreign.add(name);
    else if (known[name]?.isRepeated) repetitions.push({ option: name, text: value });
    else if (texts.has(name) && known[name]?.value !== undefined) faults.push(`--${name} is given twice`);
    else texts.set(name, value);
  }
  faults.push(...[...foreign].map(sayForeign));
  return { texts, given: new Set(texts.keys()), repeated: repetitions, words };
}

const shortNames: Readonly<Record<string, { short: string }>> = { help: { short: 'h' }, version: { short: 'v' } };

/** Converts the texts of options to their values. The values are only valid if there are no faults. */
export function readValues<O extends OptionTable>(
  own: O,
  texts: ReadonlyMap<string, string>,
  env: NodeJS.ProcessEnv,
  faults: string[],
): Values<O> {
  const values = Object.entries(own).map(([name, { variable, read, default: usual }]) => {
    const flagName = toFlagName(name);
    const given = texts.get(flagName);
    const outside = (variable !== undefined && env[variable]) || undefined;
    const source = given ?? outside;
    const from = given === undefined && outside !== undefined ? variable : `--${flagName}`;
    return [name, source === undefined ? usual : (collectFaults(`${from}`, faults, () => read(source)) ?? usual)];
  });
  return Object.fromEntries(values);
}
