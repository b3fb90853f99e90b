/** The tables of the documents name every field of what they describe, and no other. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { TSchema } from 'typebox';
import { Comparison } from '../../src/contract/analysis/comparison.ts';
import { Health } from '../../src/contract/health.ts';
import { Problem } from '../../src/contract/problem.ts';
import { Result } from '../../src/contract/result/result.ts';
import { Sitemap } from '../../src/contract/sitemap.ts';
import { ResultsComparison } from '../../src/contract/stored/change.ts';
import { History } from '../../src/contract/stored/history.ts';
import { WhatIf } from '../../src/contract/stored/what-if.ts';
import { readTableRows } from './markdown.ts';
import { projectRoot } from './source-files.ts';

/** The parts of a schema that this test looks into. */
type Node = {
  properties?: Record<string, TSchema>;
  patternProperties?: Record<string, TSchema>;
  items?: TSchema;
  anyOf?: TSchema[];
};

/** Every field with its path: items of a list go by the list's name, free keys of a map by `NAME`. */
function pathsOf(schema: TSchema, path = ''): string[] {
  const { properties = {}, patternProperties = {}, items, anyOf = [] } = schema as Node;
  const fields = [
    ...Object.entries(properties),
    ...Object.values(patternProperties).map((child): [string, TSchema] => ['NAME', child]),
  ];
  return [
    ...fields.flatMap(([name, child]) => {
      const here = path === '' ? name : `${path}.${name}`;
      return [here, ...pathsOf(child, here)];
    }),
    ...(items ? pathsOf(items, path) : []),
    ...anyOf.flatMap(choice => pathsOf(choice, path)),
  ];
}

/** A first cell of a table may name several fields. Those of an object of ours begin in lower case. */
const documentedIn = (document: string, heads: readonly string[]): string[] =>
  readTableRows(readFileSync(`${projectRoot}${document}`, 'utf8'))
    .flatMap(([first = '']) => [...first.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name))
    .filter(name => heads.includes(name.split('.', 1)[0] ?? ''));

/** `NAME` in a document is any one name, and so is `NAME` in a schema. */
const isCovered = (path: string, documented: readonly string[]): boolean => {
  const parts = path.split('.');
  return documented.some(name => {
    const words = name.split('.');
    return words.length === parts.length && words.every((word, at) => word === 'NAME' || word === parts[at]);
  });
};

/** An object needs no row of its own, only what is in it. */
const isLeafOf = (paths: readonly string[], path: string): boolean =>
  !paths.some(other => other.startsWith(`${path}.`)) && !path.endsWith('.NAME');

const rows: readonly (readonly [what: string, schema: TSchema, document: string])[] = [
  ['a result', Result, 'docs/results.md'],
  ['a comparison', Comparison, 'docs/compare.md'],
  ['the health', Health, 'docs/operations.md'],
  ['a Problem', Problem, 'docs/errors.md'],
  ['a history', History, 'docs/changes.md'],
  ['a comparison of kept results', ResultsComparison, 'docs/changes.md'],
  ['a what-if', WhatIf, 'docs/what-if.md'],
  ['a sitemap', Sitemap, 'docs/sitemaps.md'],
];

for (const [what, schema, document] of rows)
  test(`${document} names every field of ${what}, and no other`, () => {
    const paths = [...new Set(pathsOf(schema))];
    assert.ok(paths.length > 8);
    const heads = [...new Set(paths.map(path => path.split('.', 1)[0] ?? ''))];
    const documented = documentedIn(document, heads);
    assert.deepEqual(
      paths.filter(path => isLeafOf(paths, path) && !isCovered(path, documented)),
      [],
      'not documented',
    );
    const unknown = documented.filter(name => !paths.some(path => isCovered(path, [name])));
    assert.deepEqual(unknown, [], 'not in the schema');
  });
