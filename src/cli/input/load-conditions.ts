/**
 * Conditions of a load, as options, a configuration and files state them. Secrets come from files and the environment
 * only: other users of the machine see arguments, and a shell keeps them in its history.
 */
import { dirname, resolve } from 'node:path';
import { type Access, placeholdersOf } from '../../contract/access/access.ts';
import type { Conditions } from '../../contract/conditions/conditions.ts';
import { bodyBounds, findExcess } from '../../contract/json-bounds.ts';
import { isObject, type Json, listOf } from '../../contract/result/details.ts';
import type { Repeated, Values } from './command-line.ts';
import type { conditionOptions } from './option-table.ts';
import { readNamedFile } from './read-file.ts';
import { UsageError } from './usage-error.ts';

/** Source of an access: the prefix of its faults, the folder of its paths, and its variables. */
type AccessPlace = { readonly at: string; readonly folder: string; readonly env: NodeJS.ProcessEnv };

function readJsonFile(path: string): unknown {
  const text = readNamedFile(path);
  const excess = findExcess(Buffer.from(text), { ...bodyBounds, values: 20_000, members: 20_000 });
  if (excess !== undefined) throw new UsageError([`${path}: ${excess}`]);
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError([`${path}: this is not valid JSON`]);
  }
}

/** Fields that may name a file instead: what Playwright and the Recorder of DevTools wrote. */
const fromFiles: ReadonlySet<string> = new Set(['state', 'login']);
/** Fields in whose texts `${NAME}` is a variable. The service itself fills in what a login types, from `secrets`. */
const withVariables: ReadonlySet<string> = new Set(['headers', 'cookies', 'basic_auth', 'secrets']);

/** Fills variables in, down to the depth of a list of cookies. */
function fillIn(value: unknown, variableOf: (name: string) => string, depth = 3): unknown {
  if (typeof value === 'string')
    return placeholdersOf(value).reduce((text, name) => text.replaceAll(`\${${name}}`, () => variableOf(name)), value);
  if (depth === 0 || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(each => fillIn(each, variableOf, depth - 1));
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, fillIn(each, variableOf, depth - 1)]));
}

/** Returns a certificate and its key with their texts in place of their paths. */
const readPair = (pair: Json, folder: string): Json =>
  Object.fromEntries(
    Object.entries(pair).map(([name, value]) => {
      const isPath = typeof value === 'string' && !value.includes('-----');
      return [name, isPath ? readNamedFile(resolve(folder, value)) : value];
    }),
  );

/** Names that a login types and `secrets` lacks. */
function missingSecrets({ login, secrets }: Json): string[] {
  const typed = listOf(isObject(login) ? login.steps : []).flatMap(({ value }) =>
    typeof value === 'string' ? placeholdersOf(value) : [],
  );
  return typed.filter(name => !isObject(secrets) || !Object.hasOwn(secrets, name));
}

/**
 * Completes an access: files are read, and variables of the environment filled in.
 * @throws UsageError with every fault
 */
async function completeAccess(given: Json, { at, folder, env }: AccessPlace): Promise<Access> {
  const missing = new Set<string>();
  const variableOf = (name: string): string => {
    const value = env[name];
    if (!value) missing.add(name);
    return value ?? '';
  };
  const read: Json = Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      if (fromFiles.has(name) && typeof value === 'string') return [name, readJsonFile(resolve(folder, value))];
      if (name === 'client_certificate' && isObject(value)) return [name, readPair(value, folder)];
      return [name, withVariables.has(name) ? fillIn(value, variableOf) : value];
    }),
  );
  const typed = Object.fromEntries(missingSecrets(read).map(name => [name, variableOf(name)]));
  const access: Json =
    Object.keys(typed).length === 0 ? read : { ...read, secrets: { ...(read.secrets as object), ...typed } };
  // Only commands with an access need the checks of the service.
  const { findAccessFaults } = await import('../../http/input/access-faults.ts');
  const faults = [
    ...[...missing].map(name => `${at} needs the environment variable ${name}`),
    ...findAccessFaults(access, []).map(({ path, fault }) => [at, path.join('.'), fault].filter(Boolean).join(': ')),
  ];
  if (faults.length > 0) throw new UsageError(faults);
  return access;
}

/** Returns whether an access is a file, not the name of a stored one. */
const isFile = (access: string): boolean => /[/\\]|\.json$/i.test(access);

type ConditionValues = Partial<Values<typeof conditionOptions>>;

const toExpect = ({ expectUrl: url, expectSelector: selector, expectText: text }: ConditionValues): Json =>
  Object.fromEntries(Object.entries({ url, selector, text }).filter(([, value]) => value !== undefined));

/** Reads an access as a file or a configuration states it. Its paths start next to the file. */
function readStated(stated: unknown, place: AccessPlace): { file: Json; from: AccessPlace } {
  const path = typeof stated === 'string' ? resolve(place.folder, stated) : undefined;
  const from = path === undefined ? place : { ...place, at: path, folder: dirname(path) };
  const file = path === undefined ? stated : readJsonFile(path);
  if (!isObject(file)) throw new UsageError([`${from.at}: an access must be an object; write it in { }`]);
  return { file, from };
}

/** @param stated the access of a configuration, which options complete */
async function toAccess(
  options: ConditionValues,
  stated: unknown,
  place: AccessPlace,
): Promise<{ access?: Access | string }> {
  const { access, state } = options;
  const own = [state === undefined ? {} : { state: resolve(state) }, toExpect(options)] as const;
  const isCompleted = own.some(given => Object.keys(given).length > 0);
  const named = access ?? stated;
  if (named === undefined && !isCompleted) return {};
  if (typeof named === 'string' && !isFile(named)) {
    if (!isCompleted) return { access: named };
    throw new UsageError(['a stored access has its own state and expectation: remove --state and --expect-…']);
  }
  // Paths of options start in the working folder.
  const { file, from } = readStated(named ?? {}, access === undefined ? place : { ...place, folder: process.cwd() });
  const [withState, expect] = own;
  const expected = { ...(isObject(file.expect) ? file.expect : {}), ...expect };
  const whole = { ...file, ...withState, ...(Object.keys(expected).length > 0 ? { expect: expected } : {}) };
  return { access: await completeAccess(whole, from) };
}

function toHosts(entries: readonly string[]): Readonly<Record<string, string>> {
  const pairs = entries.map(entry => {
    const [, name = '', address = ''] = /^([^=]+)=(.+)$/.exec(entry) ?? [];
    if (name === '') throw new UsageError([`--host must be NAME=ADDRESS, not '${entry}'`]);
    return [name, address] as const;
  });
  const twice = pairs.find(([name], at) => pairs.findIndex(([other]) => other === name) < at);
  if (twice) throw new UsageError([`--host names ${twice[0]} twice`]);
  return Object.fromEntries(pairs);
}

/** Returns the certificates with the CA itself in place of its path. */
async function toCertificates(
  { ca, ignoreCertificateErrors }: ConditionValues,
  stated: Conditions['certificates'] | undefined,
  { folder }: AccessPlace,
): Promise<Partial<Conditions>> {
  const certificates = {
    ...stated,
    ...(ca === undefined ? {} : { ca: resolve(ca) }),
    ...(ignoreCertificateErrors ? { ignore_errors: true } : {}),
  };
  if (Object.keys(certificates).length === 0) return {};
  const { ca: path } = certificates;
  if (!path || path.includes('-----')) return { certificates };
  const text = readNamedFile(resolve(folder, path));
  const { toFingerprints } = await import('../../measure/shown-conditions.ts');
  try {
    toFingerprints(text);
  } catch {
    throw new UsageError([`${path}: it must be one or more certificates in PEM form, without a key`]);
  }
  return { certificates: { ...certificates, ca: text } };
}

export type GivenConditions = ConditionValues & { readonly conditionLines: readonly Repeated[] };

/**
 * Returns the conditions of a command. Options replace those of a configuration.
 * @param stated conditions of a configuration, whose paths start in the folder
 * @throws UsageError with every fault
 */
export async function loadConditions(
  { conditionLines, ...options }: GivenConditions,
  env: NodeJS.ProcessEnv,
  stated: Readonly<Json> = {},
  { at = '--access', folder = process.cwd() }: Partial<AccessPlace> = {},
): Promise<Partial<Conditions>> {
  const place = { at, folder, env };
  const { access, certificates, ...others } = stated;
  const linesOf = (name: string) => conditionLines.flatMap(({ option, text }) => (option === name ? [text] : []));
  const [block, hosts] = [linesOf('block'), toHosts(linesOf('host'))];
  return {
    ...others,
    ...(block.length > 0 ? { block } : {}),
    ...(Object.keys(hosts).length > 0 ? { hosts } : {}),
    ...(await toCertificates(options, certificates as Conditions['certificates'], place)),
    // The service reads the name of a stored access, too.
    ...((await toAccess(options, access, place)) as Pick<Conditions, 'access'>),
  };
}
