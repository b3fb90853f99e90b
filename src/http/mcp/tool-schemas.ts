/** Schemas of what the MCP tools receive: those of the contract, as an agent reads them. */

import { fromJsonSchema, type JsonSchemaType } from '@modelcontextprotocol/server';
import Type, { type Static, type TObject } from 'typebox';
import { profileName } from '../../contract/access/access.ts';
import { ExperimentRequest } from '../../contract/experiments/request.ts';
import { described } from '../../contract/fields.ts';
import { pickOptions } from '../../contract/measuring-options.ts';
import { requestCategories, strategies } from '../../contract/names.ts';
import { optionProperties } from '../../contract/option-schemas.ts';
import { SitemapQuery } from '../../contract/sitemap.ts';
import { HistoryQuery } from '../../contract/stored/history.ts';

const idOf = (what: string) => Type.String({ minLength: 1, maxLength: 100, description: `Id of ${what}` });
const id = idOf('a stored result');
const page = (description?: string) => Type.String({ maxLength: 2000, ...(description && { description }) });
const strategy = Type.Optional(Type.Enum([...strategies], { type: 'string' }));

export const MeasureInput = Type.Object({
  url: page('Page to measure, with http or https'),
  analyser: Type.Optional(
    Type.Enum(['lighthouse', 'psi'], {
      type: 'string',
      description: 'Local Lighthouse (default) or PageSpeed Insights',
    }),
  ),
  ...optionProperties('mcp'),
});

/** A comparison has the options that both analysers have. */
export const CompareInput = Type.Object({
  url: MeasureInput.properties.url,
  ...pickOptions('psi', optionProperties('mcp')),
});

export const JobInput = Type.Object({
  job: idOf('a job'),
  wait_seconds: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 25, description: 'Seconds to wait for the job to end' }),
  ),
});

export const ResultInput = Type.Object({ id });

export const FixesInput = Type.Object({
  id,
  category: Type.Optional(Type.Enum([...requestCategories], { type: 'string' })),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 1000 })),
});

export const EvidenceInput = Type.Object({ id, audit: idOf('an audit') });

export const HistoryInput = Type.Pick(HistoryQuery, ['url', 'metric', 'strategy', 'source']);

export const ChangeInput = Type.Object({
  before: idOf('a result, or a label'),
  after: idOf('a result, or a label'),
  url: Type.Optional(page('Required if a label has results of several pages')),
  strategy,
});

/** Only the name: an experiment stores its access, and a conversation is no place for secrets. */
const access = Type.Optional(
  Type.String({ pattern: profileName.source, description: 'Name of a stored access to a private page' }),
);

export const ExperimentInput = Type.Object({
  ...Type.Pick(ExperimentRequest, ['url', 'strategy', 'metric', 'variants']).properties,
  access,
});
export const ExperimentIdInput = Type.Object({ experiment: idOf('an experiment') });

export const CompareUrlsInput = Type.Object({
  before: page('URL of the base'),
  after: page('URL to compare with it'),
  ...Type.Pick(ExperimentRequest, ['strategy', 'metric']).properties,
  access,
});

export const PagesInput = Type.Object({
  url: SitemapQuery.properties.url,
  sample: Type.Optional(described(SitemapQuery.properties.sample, 'Pages to list of each route template (default 3)')),
});

type SchemaNode = { readonly anyOf?: readonly { readonly type?: string }[]; readonly type?: unknown };

/** Removes what an agent need not read: titles that repeat names, and null where a value can be absent. */
function toPlain(key: string, value: unknown): unknown {
  // The SDK does not know the format `label`: the route checks it.
  if (key === '$id' || key === 'examples' || (key === 'format' && value === 'label')) return undefined;
  if (key === 'title' && typeof value === 'string') return undefined;
  const { anyOf, ...rest } = (value ?? {}) as SchemaNode;
  const [choice, none, more] = anyOf ?? [];
  return none?.type === 'null' && !more ? { ...choice, ...rest } : value;
}

/** Converts a schema to one for the SDK. */
export const toSchema = <Schema extends TObject>(schema: Schema) =>
  fromJsonSchema<Static<Schema>>(JSON.parse(JSON.stringify(schema, toPlain)) as JsonSchemaType);
