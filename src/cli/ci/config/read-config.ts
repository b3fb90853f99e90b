/** Finds and reads the configuration of `rangelight ci`. Every fault names its line and a suggestion. */
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { TSchema } from 'typebox';
import { Errors } from 'typebox/value';
import { nearestNames, toChoiceHint } from '../../../contract/nearest-name.ts';
import { UsageError } from '../../input/usage-error.ts';
import { fromBudgets } from './budgets.ts';
import { CiConfig } from './config-schema.ts';
import { isLighthouserc } from './layers.ts';
import type { LhciAssertion } from './lhci-assertions.ts';
import { fromLighthouserc, type ImportedConfig } from './lighthouserc.ts';
import { type ConfigSource, type PlacedText, readSource, readText } from './source.ts';

export type ReadConfig = {
  readonly config: CiConfig;
  /** Folder of the file, in which its paths and its server command are resolved. */
  readonly folder: string;
  /** Sentences about settings of Lighthouse's files that have no counterpart. */
  readonly notes: readonly string[];
  readonly asserts: readonly PlacedText[];
  readonly lhci: readonly LhciAssertion[];
  /** Whether the file is a lighthouserc, whose server may run already, and whose paths start in the working folder. */
  readonly isLighthouserc: boolean;
  /** Returns `PATH:LINE` of a setting by its JSON pointer. */
  lineOf(pointer: string): string;
};

const ownNames = ['rangelight.config.json', 'rangelight.config.js', 'rangelight.config.mjs'] as const;
const lighthouseNames = ['cjs', 'js', 'json', 'yml', 'yaml'].flatMap(end => [
  `.lighthouserc.${end}`,
  `lighthouserc.${end}`,
]);

type SchemaFault = { keyword: string; instancePath: string; message: string; params: Record<string, unknown> };

const schemaAt = (schema: TSchema, pointer: string): TSchema =>
  pointer
    .split('/')
    .slice(1)
    .reduce<TSchema>((at, key) => {
      const { properties, items } = at as { properties?: Record<string, TSchema>; items?: TSchema };
      return properties?.[key] ?? items ?? {};
    }, schema);

const propertyNames = (schema: TSchema): string[] => Object.keys((schema as { properties?: object }).properties ?? {});

const typeWords: Readonly<Record<string, string>> = {
  array: 'must be a list; write it in [ ]',
  boolean: 'must be true or false, without quotes',
  integer: 'must be a whole number, without quotes',
  object: 'must be an object; write it in { }',
  string: 'must be a string; write it in quotes',
};

/** Examples of objects that users often write as text. */
const examples: Readonly<Record<string, string>> = {
  server: '{ "command": "npm start", "url": "http://127.0.0.1:3000/" }',
  baseline: '{ "branch": "main" }',
  output: '{ "junit": "reports/rangelight.xml" }',
};

/** Further ways to correct an object that lacks a setting. */
const required: Readonly<Record<string, string>> = { server: ', or remove server if the site already runs' };

/** Types that a setting may have. */
const choices: Readonly<Record<string, string>> = {
  runs: 'must be a number from 1 to 5, or "auto"',
  access: 'must be the path of a JSON file, the name of a stored access, or an object',
};

const limitWords: Readonly<Record<string, (limit: unknown, given: unknown) => string>> = {
  minItems: () => 'is empty; add an entry',
  maxItems: limit => `has more than ${limit} entries; remove some`,
  minLength: () => 'is empty; fill it in, or remove it',
  maxLength: limit => `has more than ${limit} characters; shorten it`,
  minimum: (limit, given) => `is ${given}; write ${limit} or more`,
  maximum: (limit, given) => `is ${given}; write ${limit} or less`,
  uniqueItems: () => 'has an entry twice; remove one',
  pattern: () => 'must have 1 to 40 letters, digits, dots, dashes or underscores; rename it',
};

/** @param given the value at the fault, for a suggestion */
function sayFault({ keyword, instancePath, message, params }: SchemaFault, given: unknown): string | undefined {
  const name = instancePath.slice(1).replaceAll('/', '.');
  if (keyword === 'additionalProperties')
    return (params.additionalProperties as string[])
      .map(key => {
        const known = propertyNames(schemaAt(CiConfig, instancePath)).filter(known => known !== '$schema');
        return `unknown setting '${key}'${toChoiceHint(key, known)}`;
      })
      .join('; ');
  if (keyword === 'required')
    return `${(params.requiredProperties as string[]).map(key => (name ? `${name}.${key}` : key)).join(', ')} is missing; add it${required[name] ?? ''}`;
  if (keyword === 'enum') {
    const allowed = (params.allowedValues as unknown[]).map(String);
    const [meant] = nearestNames(String(given), allowed);
    return `${name} must be one of ${allowed.join(', ')}${meant === undefined ? '' : `; did you mean ${meant}?`}`;
  }
  // These errors repeat those of a closed object or a union.
  if (keyword === 'boolean' || keyword === 'const') return undefined;
  if (keyword === 'anyOf') return `${name} ${choices[name] ?? message}`;
  const example = keyword === 'type' ? examples[name] : undefined;
  if (example !== undefined) return `${name} must be an object; write it like ${example}`;
  if (keyword === 'type') return `${name} ${typeWords[String(params.type)] ?? message}`;
  const said = limitWords[keyword]?.(params.limit, given);
  if (said !== undefined) return `${name} ${said}`;
  return `${name} ${message}`;
}

const valueAt = (value: unknown, pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], value);

/** Returns whether a setting is missing only because its name is misspelled, which is a fault of its own. */
function isMisspelled({ keyword, instancePath, params }: SchemaFault, all: readonly SchemaFault[]): boolean {
  if (keyword !== 'required') return false;
  const missing = params.requiredProperties as string[];
  const unknown = all
    .filter(other => other.keyword === 'additionalProperties' && other.instancePath === instancePath)
    .flatMap(other => other.params.additionalProperties as string[]);
  return missing.every(name => unknown.some(key => nearestNames(key, missing).includes(name)));
}

/** @throws UsageError with every fault and its line */
function validate({ path, value, lineOf }: ConfigSource): CiConfig {
  if (typeof value !== 'object' || value === null)
    throw new UsageError([`${path}:1: it is not an object; write { "urls": ["https://example.com/"] }`]);
  const all = [...Errors(CiConfig, value)] as SchemaFault[];
  const unions = new Set(all.filter(({ keyword }) => keyword === 'anyOf').map(({ instancePath }) => instancePath));
  // Each choice of a union has an error of its own, which is less helpful than that of the union.
  const told = all.filter(({ keyword, instancePath }) => keyword === 'anyOf' || !unions.has(instancePath));
  const faults = told
    .filter(fault => !isMisspelled(fault, told))
    .flatMap(fault => {
      const unknown =
        fault.keyword === 'additionalProperties' ? (fault.params.additionalProperties as string[])[0] : undefined;
      const at = lineOf(unknown === undefined ? fault.instancePath : `${fault.instancePath}/${unknown}`);
      const said = sayFault(fault, valueAt(value, fault.instancePath));
      return said === undefined ? [] : [`${at}: ${said}`];
    });
  const distinct = [...new Set(faults)];
  if (distinct.length > 0) throw new UsageError(distinct);
  return value as CiConfig;
}

/**
 * @param given the path of --config; undefined for the first known name in the folder
 * @throws UsageError
 */
export async function readConfig(given: string | undefined, cwd: string): Promise<ReadConfig> {
  const names = given === undefined ? [...ownNames, ...lighthouseNames] : [given];
  const found = names.map(name => resolve(cwd, name)).find(path => existsSync(path));
  if (found === undefined)
    throw new UsageError([
      given === undefined
        ? 'there is no rangelight.config.json here; write one with "urls" (docs/ci.md), or name one with --config'
        : `--config ${given} does not exist`,
    ]);
  const folder = dirname(found);
  const source = await readSource(found);
  const isOfLighthouse = isLighthouserc(source.value) || /lighthouserc(?:\.[a-z]+)?$/.test(found);
  const imported = isOfLighthouse ? await fromLighthouserc(source, [cwd, folder]) : fromOwn(source);
  const { lhci, lineOf } = imported;
  const config = validate({ path: source.path, value: imported.config, lineOf });
  const budgets = readBudgets(config.budgets, folder, lineOf);
  return {
    config,
    folder,
    notes: [...imported.notes, ...budgets.notes],
    asserts: [...imported.asserts, ...budgets.asserts],
    lhci,
    isLighthouserc: isOfLighthouse,
    lineOf,
  };
}

function fromOwn({ value, lineOf }: ConfigSource): ImportedConfig {
  const texts = (value as { assert?: unknown } | null)?.assert;
  const asserts = (Array.isArray(texts) ? texts : []).map((text, at) => ({
    text: String(text),
    at: lineOf(`/assert/${at}`),
  }));
  return { config: value as Record<string, unknown>, notes: [], asserts, lhci: [], lineOf };
}

function readBudgets(budgets: string | undefined, folder: string, lineOf: ReadConfig['lineOf']) {
  if (budgets === undefined) return { asserts: [], notes: [] };
  const path = resolve(folder, budgets);
  if (!existsSync(path))
    throw new UsageError([`${lineOf('/budgets')}: ${path} does not exist; paths are relative to the configuration`]);
  return fromBudgets(readText(path));
}
