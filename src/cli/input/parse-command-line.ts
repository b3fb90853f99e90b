/** Splits the command line into options and arguments. */
import { parseArgs } from 'node:util';
import { isSendableKey } from '../../api-client/api-key.ts';
import { withScheme } from '../../api-client/read-urls.ts';
import { toHint } from '../../contract/nearest-name.ts';

const options = {
  psi: { type: 'boolean' },
  compare: { type: 'boolean' },
  strategy: { type: 'string' },
  categories: { type: 'string' },
  runs: { type: 'string' },
  profile: { type: 'string' },
  cpu: { type: 'string' },
  exclusive: { type: 'boolean' },
  label: { type: 'string' },
  baseline: { type: 'string' },
  'baseline-file': { type: 'string' },
  'min-effect': { type: 'string' },
  strict: { type: 'boolean' },
  metric: { type: 'string' },
  source: { type: 'string' },
  since: { type: 'string' },
  until: { type: 'string' },
  file: { type: 'string' },
  server: { type: 'string' },
  'api-key': { type: 'string' },
  json: { type: 'boolean' },
  ndjson: { type: 'boolean' },
  html: { type: 'string' },
  junit: { type: 'string' },
  markdown: { type: 'string' },
  gitlab: { type: 'string' },
  config: { type: 'string' },
  'print-schema': { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  all: { type: 'boolean' },
  assert: { type: 'string', multiple: true },
  'assert-preset': { type: 'string', multiple: true },
  'assert-file': { type: 'string' },
  quiet: { type: 'boolean' },
  'no-color': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const;
export type OptionName = keyof typeof options;
type Name = OptionName;

const names = Object.keys(options) as Name[];
const isName = (name: string): name is Name => Object.hasOwn(options, name);

type GivenAssertion = { readonly option: 'assert' | 'assert-preset'; readonly text: string };

export type Given = {
  readonly flags: ReadonlySet<Name>;
  readonly values: Readonly<Partial<Record<Name, string>>>;
  /** Assertions in the given order. */
  readonly assertions: readonly GivenAssertion[];
  readonly pages: readonly string[];
};

type Option = { name: string; rawName: string; value: string | undefined; inlineValue: boolean | undefined };

/** Explains why an option is refused. The value of an unknown one is not repeated, because it may be a key. */
function faultOf({ name, rawName, value, inlineValue }: Option): string | undefined {
  if (!isName(name)) return `unknown option ${rawName}${toHint(name, names, '--')}`;
  if (options[name].type === 'boolean') return inlineValue ? `--${name} takes no value` : undefined;
  const isMissing = value === undefined || value === '' || (!inlineValue && value !== '-' && value.startsWith('-'));
  return isMissing ? `--${name} needs a value` : undefined;
}

/** Reads options and URLs in any order. */
export function readGiven(args: readonly string[], faults: string[]): Given {
  const { tokens } = parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true });
  const [flags, values, assertions, pages] = [
    new Set<Name>(),
    {} as Record<Name, string>,
    [] as GivenAssertion[],
    [] as string[],
  ];
  for (const token of tokens) {
    if (token.kind === 'positional') pages.push(token.value);
    if (token.kind !== 'option') continue;
    const fault = faultOf(token as Option);
    const name = token.name as Name;
    if (fault) faults.push(fault);
    else if (token.value === undefined) flags.add(name);
    else if (name === 'assert' || name === 'assert-preset') assertions.push({ option: name, text: token.value });
    else if (Object.hasOwn(values, name)) faults.push(`--${name} is given twice`);
    else values[name] = token.value;
  }
  return { flags, values, assertions, pages };
}

const isOneOf = <T extends string>(allowed: readonly T[], text: string): text is T =>
  (allowed as readonly string[]).includes(text);

export function readChoice<T extends string>(
  name: Name,
  text: string | undefined,
  allowed: readonly T[],
  faults: string[],
): T | undefined {
  if (text === undefined || isOneOf(allowed, text)) return text;
  faults.push(`--${name} must be one of ${allowed.join(', ')}, not '${text}'${toHint(text, allowed)}`);
  return undefined;
}

/** Reads the URL of a service, which is not repeated in messages because it may contain a password. */
export function readServer(text: string | undefined, faults: string[]): string | undefined {
  if (text === undefined) return undefined;
  const url = URL.parse(withScheme(text));
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    faults.push('--server must be the http or https URL of a running service, without a user name or password');
    return undefined;
  }
  return new URL(url.pathname.endsWith('/') ? url.pathname : `${url.pathname}/`, url.origin).href;
}

/** Reads an API key. The error about an invalid key does not repeat it. */
export function readKey(
  option: string | undefined,
  variable: string | undefined,
  faults: string[],
): string | undefined {
  const key = option ?? (variable || undefined);
  if (key === undefined || isSendableKey(key)) return key;
  const name = option === undefined ? 'RANGELIGHT_API_KEY' : '--api-key';
  faults.push(`${name} contains a space, a line break or a character beyond ASCII, which no key has`);
  return undefined;
}

/** Names that mean standard output. */
const outputNames: ReadonlySet<string | undefined> = new Set(['/dev/stdout', '/dev/fd/1', '/proc/self/fd/1']);

export const htmlAndJson = '--html - and JSON cannot both go to standard output';

export const readHtml = ({ html }: Given['values']): string | undefined => (outputNames.has(html) ? '-' : html);
