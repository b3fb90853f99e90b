/** Reads the sections of a lighthouserc, with those of the files that it extends. */
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isObject, type Json } from '../../../contract/result/details.ts';
import { UsageError } from '../../input/usage-error.ts';
import { type ConfigSource, readSource } from './source.ts';

export type Layers = {
  /** `collect`, `assert` and others, merged. Keys of assertions have a colon where the file has a dot. */
  readonly sections: Json;
  /** Settings outside of the sections, which Lighthouse CI ignores. */
  readonly others: readonly { readonly at: string; readonly name: string; readonly value: unknown }[];
  /** Returns `PATH:LINE` by a JSON pointer below the sections, in the file that has the value. */
  lineOf(pointer: string): string;
};

const roots = ['ci', 'lhci', 'ci:client'];
/** Root of the settings of a Lighthouse CI server, which say nothing about pages. */
const serverRoot = 'ci:server';

/** Returns whether a configuration is a lighthouserc, whatever its file is called. */
export const isLighthouserc = (value: unknown): boolean =>
  isObject(value) && [...roots, serverRoot, 'collect'].some(name => Object.hasOwn(value, name));

/** Merges objects by key and lists by index, as Lighthouse CI does. */
export function mergeDeep(base: unknown, own: unknown): unknown {
  if (Array.isArray(base) && Array.isArray(own))
    return Array.from({ length: Math.max(base.length, own.length) }, (_, at) =>
      at < own.length ? mergeDeep(base[at], own[at]) : base[at],
    );
  if (!isObject(base) || !isObject(own)) return own;
  const merged = Object.keys(own).map(key => [key, mergeDeep(base[key], own[key])] as const);
  return { ...base, ...Object.fromEntries(merged) };
}

/** Replaces dots in keys by colons. Other values than plain objects, such as regular expressions, stay as they are. */
function withColons(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withColons);
  if (!isObject(value) || value instanceof RegExp) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key.replaceAll('.', ':'), withColons(entry)]));
}

const valueAt = (value: unknown, keys: readonly string[]): unknown =>
  keys.reduce<unknown>((at, key) => (at as Json | undefined)?.[key], value);

function readRoot({ path, value, lineOf }: ConfigSource): { root: string; sections: Json } {
  const named = roots.filter(name => isObject(value) && value[name] !== undefined && value[name] !== null);
  const [root, other] = named;
  if (!isObject(value) || root === undefined) {
    const loose = isObject(value) ? ['collect', 'assert'].find(name => Object.hasOwn(value, name)) : undefined;
    throw new UsageError([
      loose === undefined
        ? `${path}:1: it has no "ci"; write { "ci": { "collect": { "url": [ … ] } } }`
        : `${lineOf(`/${loose}`)}: "${loose}" is not read here; move it into "ci"`,
    ]);
  }
  if (other !== undefined)
    throw new UsageError([`${lineOf(`/${other}`)}: "${root}" and "${other}" mean the same; merge them into one`]);
  const sections = value[root];
  if (!isObject(sections))
    throw new UsageError([`${lineOf(`/${root}`)}: "${root}" must be an object; write it in { }`]);
  return { root, sections };
}

/** @param below paths of the files that extend this one. @throws UsageError */
export async function readLayers(source: ConfigSource, below: readonly string[] = []): Promise<Layers> {
  const { root, sections: given } = readRoot(source);
  const { extends: name, ...own } = withColons(given) as Json;
  const lineOfOwn = (pointer: string) => {
    const dotted = pointer.replaceAll(':', '.');
    const keys = (valueAt(given, pointer.split('/').slice(1)) === undefined ? dotted : pointer).slice(1);
    return source.lineOf(`/${root}/${keys}`);
  };
  const others = Object.entries(source.value as object)
    .filter(([key]) => ![root, serverRoot, '$schema'].includes(key))
    .map(([key, value]) => ({ at: source.lineOf(`/${key}`), name: key, value }));
  const loose = others.find(other => other.name === 'extends');
  if (loose) throw new UsageError([`${loose.at}: "extends" is not read here; move it into "${root}"`]);
  if (name === undefined) return { sections: own, others, lineOf: lineOfOwn };
  const at = lineOfOwn('/extends');
  if (typeof name !== 'string') throw new UsageError([`${at}: extends must be the path of a file; write it in quotes`]);
  const path = resolve(dirname(source.path), name);
  if (!existsSync(path)) throw new UsageError([`${at}: ${path} does not exist; extends is relative to its file`]);
  const above = [...below, source.path];
  if (above.includes(path)) throw new UsageError([`${at}: ${path} extends itself; remove one "extends"`]);
  const base = await readLayers(await readSource(path), above);
  return {
    sections: mergeDeep(base.sections, own) as Json,
    others: [...others, ...base.others],
    lineOf: pointer =>
      valueAt(own, pointer.split('/').slice(1)) === undefined ? base.lineOf(pointer) : lineOfOwn(pointer),
  };
}
