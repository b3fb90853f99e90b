/** Writes docs/fields.md: every field of the responses, from the schemas that also make `/openapi.json`. */
import type { TSchema } from 'typebox';
import { Comparison } from '../../src/contract/analysis/comparison.ts';
import { Health } from '../../src/contract/health.ts';
import { Problem } from '../../src/contract/problem.ts';
import { Result } from '../../src/contract/result/result.ts';
import { Sitemap } from '../../src/contract/sitemap.ts';
import { ResultsComparison } from '../../src/contract/stored/change.ts';
import { History } from '../../src/contract/stored/history.ts';
import { WhatIf } from '../../src/contract/stored/what-if.ts';

type Node = {
  type?: string;
  format?: string;
  enum?: unknown[];
  const?: unknown;
  description?: string;
  properties?: Record<string, TSchema>;
  patternProperties?: Record<string, TSchema>;
  items?: TSchema;
  anyOf?: TSchema[];
};

const maxCharacters = 120;

/** Returns the schema behind a nullable one, which is a choice between that schema and null. */
function withoutNull(schema: TSchema): Node {
  const node = schema as Node;
  const choices = node.anyOf?.filter(choice => (choice as Node).type !== 'null') ?? [];
  const [only] = choices;
  return only && choices.length === 1 ? withoutNull(only) : node;
}

const isNullable = (schema: TSchema): boolean =>
  (schema as Node).anyOf?.some(choice => (choice as Node).type === 'null') ?? false;

const describe = (schema: TSchema): string | undefined =>
  (schema as Node).description ?? withoutNull(schema).description;

/** Fields of an object, of the items of a list, or of the values of a map (`NAME`). */
function childrenOf(schema: TSchema): [name: string, schema: TSchema][] {
  const { properties = {}, patternProperties = {}, items } = withoutNull(schema);
  if (items) return childrenOf(items);
  return [
    ...Object.entries(properties),
    ...Object.values(patternProperties).map((child): [string, TSchema] => ['NAME', child]),
  ];
}

function sayType(schema: TSchema): string {
  const node = withoutNull(schema);
  const values = node.enum ?? (node.const === undefined ? undefined : [node.const]);
  if (values && values.length <= 8) return values.map(value => `\`${value}\``).join(', ');
  if (node.items) return `list of ${sayType(node.items)}`;
  if (node.format === 'date-time') return 'time';
  if (node.properties ?? node.patternProperties) return 'object';
  const choices = node.anyOf?.filter(choice => (choice as Node).type !== 'null');
  return node.type ?? (choices ? [...new Set(choices.map(sayType))].join(' or ') : 'value');
}

/** A list item with hanging indent, in lines of at most 120 characters. */
export function toItem(text: string): string {
  const lines = [''];
  for (const word of `- ${text}`.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line === '') lines[lines.length - 1] = word;
    else if (line.length + 1 + word.length <= maxCharacters) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(`  ${word}`);
  }
  return lines.join('\n');
}

const shapeOf = (schema: TSchema): string => JSON.stringify(childrenOf(schema));

/** `(integer or null): Seconds since …` */
function sayField(schema: TSchema, former: string | undefined): string {
  const description = describe(schema);
  const type = `(${sayType(schema)}${isNullable(schema) ? ' or null' : ''})`;
  const meaning = [
    ...(description === undefined ? [] : [`${description}.`]),
    ...(former === undefined ? [] : [`Fields as \`${former}\`.`]),
  ];
  return meaning.length === 0 ? type : `${type}: ${meaning.join(' ')}`;
}

/** One item for each field below a schema. A field with the same fields as an earlier sibling refers to it. */
function toItems(schema: TSchema, path = ''): string[] {
  const seen = new Map<string, string>();
  return childrenOf(schema).flatMap(([name, child]) => {
    const here = path === '' ? name : `${path}.${name}`;
    const shape = shapeOf(child);
    const former = shape === '[]' ? undefined : seen.get(shape);
    if (former === undefined) seen.set(shape, here);
    return [toItem(`\`${here}\` ${sayField(child, former)}`), ...(former === undefined ? toItems(child, here) : [])];
  });
}

/** Links use the headings as anchors, so do not change them. */
const parts: readonly (readonly [heading: string, schema: TSchema, introduction: string])[] = [
  ['Result', Result, 'Response of `/psi` for one strategy and of `/lighthouse`: see [results.md](results.md).'],
  ['Comparison', Comparison, '`comparison` in the response of `/compare`: see [compare.md](compare.md).'],
  ['Comparison of results', ResultsComparison, 'Response of `/compare-results`: see [changes.md](changes.md).'],
  ['History', History, 'Response of `/history`: see [changes.md](changes.md#read-the-history-of-a-page).'],
  ['What-if', WhatIf, 'Response of `/results/{id}/what-if`: see [what-if.md](what-if.md).'],
  ['Sitemap', Sitemap, 'Response of `/sitemap`: see [sitemaps.md](sitemaps.md).'],
  ['Problem', Problem, 'Every failure except a 422, a 404 for a path, and a 405: see [errors.md](errors.md).'],
  ['Health', Health, 'Response of `/health` and `/health/ready`: see [operations.md](operations.md#check-the-health).'],
];

/** Field paths use `NAME` for the key of a map, and the name of a list for its items. */
export const toFieldsDocument = (): string =>
  [
    '# Fields',
    '',
    'Every field of every response. `npm run documents` writes this page from the schemas of the API.',
    '',
    'In a path, `NAME` is the key of a map, such as a category or a metric, and the items of a list have the name of the',
    'list. `null` means: not measured, or not known. Differences are local minus PSI, or after minus before.',
    ...parts.flatMap(([heading, schema, introduction]) => [
      '',
      `## ${heading}`,
      '',
      introduction,
      '',
      ...toItems(schema),
    ]),
    '',
  ].join('\n');
