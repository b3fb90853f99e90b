/** Finds and reads the configuration of `rangelight ci`; every fault has its line and a suggestion. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { TSchema } from 'typebox';
import { Errors } from 'typebox/value';
import { type Document, LineCounter, parseDocument } from 'yaml';
import { nearestNames, toHint } from '../../contract/nearest-name.ts';
import { UsageError } from '../input/usage-error.ts';
import { CiConfig } from './config-schema.ts';
import { fromBudgets, fromLighthouserc } from './lighthouserc.ts';

export type ReadConfig = {
  readonly config: CiConfig;
  /** Folder of the file: its paths and its server command belong there. */
  readonly folder: string;
  /** Parts of a lighthouserc that have no counterpart, each a sentence. */
  readonly notes: readonly string[];
};

const ownNames = ['rangelight.config.json', 'rangelight.config.js', 'rangelight.config.mjs'] as const;
const lighthouseNames = [
  ...['.lighthouserc.js', 'lighthouserc.js', '.lighthouserc.cjs', 'lighthouserc.cjs', '.lighthouserc.json'],
  ...['lighthouserc.json', '.lighthouserc.yml', 'lighthouserc.yml', '.lighthouserc.yaml', 'lighthouserc.yaml'],
] as const;

type Source = { readonly path: string; readonly value: unknown; lineOf(pointer: string): string };

/** JSON is read as YAML, of which it is a part: the reader knows where each value stands. */
function readText(path: string): Source {
  const counter = new LineCounter();
  const document: Document.Parsed = parseDocument(readFileSync(path, 'utf8'), { lineCounter: counter });
  const [fault] = document.errors;
  if (fault) {
    const said = fault.message.split(/ at line \d+/)[0]?.replace(/\.$/, '') ?? '';
    throw new UsageError([`${path}:${fault.linePos?.[0].line ?? 1}: ${said}; check commas, quotes and brackets here`]);
  }
  const lineOf = (pointer: string): string => {
    const keys = pointer.split('/').slice(1);
    for (let length = keys.length; length > 0; length -= 1) {
      const node = document.getIn(keys.slice(0, length), true) as { range?: [number, number, number] } | undefined;
      if (node?.range) return `${path}:${counter.linePos(node.range[0]).line}`;
    }
    return `${path}:1`;
  };
  return { path, value: document.toJS(), lineOf };
}

async function readScript(path: string): Promise<Source> {
  try {
    const loaded = (await import(pathToFileURL(path).href)) as { default?: unknown };
    return { path, value: loaded.default ?? loaded, lineOf: pointer => `${path}: ${pointer.slice(1)}` };
  } catch (error) {
    throw new UsageError([`${path}: it cannot be loaded: ${error instanceof Error ? error.message : String(error)}`]);
  }
}

const readSource = (path: string) => (/\.[cm]?js$/.test(path) ? readScript(path) : readText(path));

type Fault = { keyword: string; instancePath: string; message: string; params: Record<string, unknown> };

const schemaAt = (schema: TSchema, pointer: string): TSchema =>
  pointer
    .split('/')
    .slice(1)
    .reduce<TSchema>((at, key) => {
      const { properties, items } = at as { properties?: Record<string, TSchema>; items?: TSchema };
      return properties?.[key] ?? items ?? {};
    }, schema);

const propertyNames = (schema: TSchema): string[] => Object.keys((schema as { properties?: object }).properties ?? {});

/** @param given what stands there, to find what was meant */
function sayFault({ keyword, instancePath, message, params }: Fault, given: unknown): string | undefined {
  const name = instancePath.slice(1).replaceAll('/', '.');
  if (keyword === 'additionalProperties')
    return (params.additionalProperties as string[])
      .map(key => {
        const known = propertyNames(schemaAt(CiConfig, instancePath)).filter(known => known !== '$schema');
        const hint = toHint(key, known) || `; there are ${known.join(', ')}`;
        return `there is no setting '${key}'${hint}`;
      })
      .join('; ');
  if (keyword === 'required') return `${(params.requiredProperties as string[]).join(', ')} is missing; add it`;
  if (keyword === 'enum') {
    const allowed = (params.allowedValues as unknown[]).map(String);
    const [meant] = nearestNames(String(given), allowed);
    return `${name} is one of ${allowed.join(', ')}${meant === undefined ? '' : `; did you mean ${meant}?`}`;
  }
  // What a closed object and a union repeat in other words.
  if (keyword === 'boolean' || keyword === 'const') return undefined;
  if (keyword === 'anyOf') return `${name} is a number from 1 to 5, or "auto"`;
  return `${name} ${message}`;
}

const valueAt = (value: unknown, pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], value);

/** @throws UsageError with every fault, each with its line */
function validate({ path, value, lineOf }: Source): CiConfig {
  if (typeof value !== 'object' || value === null)
    throw new UsageError([`${path}:1: it is not an object; see docs/ci.md`]);
  const faults = ([...Errors(CiConfig, value)] as Fault[]).flatMap(fault => {
    const unknown =
      fault.keyword === 'additionalProperties' ? (fault.params.additionalProperties as string[])[0] : undefined;
    const at = lineOf(unknown === undefined ? fault.instancePath : `${fault.instancePath}/${unknown}`);
    const said = sayFault(fault, valueAt(value, fault.instancePath));
    return said === undefined ? [] : [`${at}: ${said}`];
  });
  // Of `runs` each choice of the union says the same.
  const distinct = [...new Set(faults)].filter((said, _at, all) =>
    said.includes(' must be integer') ? !all.some(other => other.includes('a number from 1 to 5')) : true,
  );
  if (distinct.length > 0) throw new UsageError(distinct);
  return value as CiConfig;
}

/**
 * @param given the path of --config; undefined: the first known name in the folder
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
  const isForeign = /lighthouserc\.[a-z]+$/.test(found);
  const imported = isForeign ? await fromLighthouserc(source.value, source) : { config: source.value, notes: [] };
  const config = validate({ ...source, value: imported.config });
  const budgets = isForeign ? undefined : config.budgets;
  const fromFile = budgets === undefined ? [] : readBudgets(resolve(folder, budgets));
  return {
    config: fromFile.length > 0 ? { ...config, assert: [...(config.assert ?? []), ...fromFile] } : config,
    folder,
    notes: imported.notes,
  };
}

function readBudgets(path: string): string[] {
  if (!existsSync(path)) throw new UsageError([`budgets: ${path} does not exist`]);
  const source = readText(path);
  return fromBudgets(source.value, source);
}
