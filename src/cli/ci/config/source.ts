/** A parsed configuration, with the line of each of its values. */

import { isAbsolute, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Document, LineCounter, parseDocument } from 'yaml';
import { messageOf } from '../../../contract/errors.ts';
import { readNamedFile } from '../../input/read-file.ts';
import { UsageError } from '../../input/usage-error.ts';

export type ConfigSource = {
  readonly path: string;
  readonly value: unknown;
  /** Returns `PATH:LINE` of the value at a JSON pointer; for a script, its path and the pointer. */
  lineOf(pointer: string): string;
};

/** An assertion and its line. */
export type PlacedText = {
  readonly text: string;
  readonly at: string;
  /** For a limit of a budget.json: the pages of later budgets, which replace this one. */
  readonly laterPages?: readonly string[];
};

/** Matches a string of JSON, or outside of strings a comment or the comma before a closing bracket. */
const notJson = /"(?:[^"\\\n]|\\.)*"|(?<comment>\/[/*]|#)|(?<comma>,)(?=\s*[\]}])/g;

/** Returns the line of what JSON does not allow although YAML does, and a sentence about it. */
function findNotJson(text: string): { line: number; said: string } | undefined {
  const lineAt = (index: number) => text.slice(0, index).split('\n').length;
  for (const { groups, index } of text.matchAll(notJson)) {
    if (groups?.comment)
      return { line: lineAt(index), said: 'JSON has no comments; remove it, or write the file as .js' };
    if (groups?.comma) return { line: lineAt(index), said: 'JSON has no comma before a closing bracket; remove it' };
  }
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const [, line] = /\(line (\d+) /.exec(String(error)) ?? [];
    return { line: Number(line ?? 1), said: 'this is not valid JSON; check quotes and brackets on this line' };
  }
}

/** Returns a path in the working folder as it is written there, and any other one as it is. */
function sayPath(path: string): string {
  const near = relative(process.cwd(), path);
  return near.startsWith('..') || isAbsolute(near) ? path : near;
}

/** Parses JSON as YAML, which includes it and reports the line of each value. @throws UsageError */
export function readText(path: string): ConfigSource {
  const counter = new LineCounter();
  const shown = sayPath(path);
  const text = readNamedFile(path);
  const isJson = path.endsWith('.json');
  const document: Document.Parsed = parseDocument(text, { lineCounter: counter, merge: !isJson });
  const [fault] = [...document.errors, ...document.warnings];
  const unlike = isJson && text.trim() !== '' ? findNotJson(text) : undefined;
  if (unlike && (!fault || /^JSON has/.test(unlike.said)))
    throw new UsageError([`${shown}:${unlike.line}: ${unlike.said}`]);
  if (fault) {
    const at = `${shown}:${fault.linePos?.[0].line ?? 1}`;
    if (fault.code === 'DUPLICATE_KEY') throw new UsageError([`${at}: this setting appears twice; remove one`]);
    throw new UsageError([
      `${at}: this is not valid ${isJson ? 'JSON' : 'YAML'}; check commas, quotes and brackets on this line and before it`,
    ]);
  }
  const lineOf = (pointer: string): string => {
    const keys = pointer.split('/').slice(1);
    for (let length = keys.length; length > 0; length -= 1) {
      const node = document.getIn(keys.slice(0, length), true) as { range?: [number, number, number] } | undefined;
      if (node?.range) return `${shown}:${counter.linePos(node.range[0]).line}`;
    }
    return `${shown}:1`;
  };
  try {
    return { path, value: document.toJS(), lineOf };
  } catch (error) {
    throw new UsageError([`${shown}: ${messageOf(error)}; write its values out`]);
  }
}

/** Returns the line of a script that threw, from the stack of its error. */
const lineOfError = (error: unknown, href: string): string => {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const [, line] = stack.slice(stack.indexOf(href) + href.length).match(/^:(\d+)/) ?? [];
  return stack.includes(href) && line !== undefined ? `:${line}` : '';
};

async function readScript(path: string): Promise<ConfigSource> {
  const { href } = pathToFileURL(path);
  try {
    const loaded = (await import(href)) as { default?: unknown };
    return { path, value: loaded.default ?? loaded, lineOf: pointer => `${sayPath(path)}: ${pointer.slice(1)}` };
  } catch (error) {
    const said = messageOf(error);
    throw new UsageError([
      `${sayPath(path)}${lineOfError(error, href)}: it cannot be loaded: ${said}; run it with node to see why`,
    ]);
  }
}

/** @throws UsageError */
export const readSource = async (path: string): Promise<ConfigSource> =>
  /\.[cm]?js$/.test(path) ? await readScript(path) : readText(path);
