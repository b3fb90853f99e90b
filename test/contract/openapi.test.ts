/** The OpenAPI document agrees with the tables of the specification, sections 2 and 4, which are written out here. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { closeComponents, createDocumentAjv, type OpenApi, type Operation } from '../support/asking/documented.ts';
import { startService } from '../support/start-service.ts';

const service = await startService({ after });
const document = (await (await fetch(`${service.url}/openapi.json`)).json()) as OpenApi;

type Schema = Record<string, unknown>;
type Row = { type: string; required: boolean; default?: unknown; values?: string[]; items?: string[] | 'string' };

const strategies = ['mobile', 'desktop'];
const categories = ['performance', 'accessibility', 'best-practices', 'seo'];
const url: Row = { type: 'string', required: true };
const commaSeparated: Row = { type: 'string or null', required: false };
const pageQuery = {
  url,
  strategy: { type: 'string', required: false, default: 'mobile', values: strategies },
  categories: commaSeparated,
};

const nullableText: Row = { type: 'string or null', required: false };
const callbackFormat: Row = {
  ...{ type: 'string', required: false, default: 'json' },
  values: ['json', 'slack', 'teams', 'text'],
};
const labelled: Record<string, Row> = {
  ...{ label: nullableText, callback: nullableText },
  callback_format: callbackFormat,
};

const localQuery: Record<string, Row> = {
  runs: { type: 'integer or string', required: false, default: 1 },
  profile: { type: 'string', required: false, default: 'lighthouse', values: ['lighthouse', 'psi'] },
  cpu: { type: 'string', required: false, default: 'default', values: ['default', 'calibrated'] },
  exclusive: { type: 'boolean', required: false, default: false },
  ...labelled,
};

/** Section 4.6, with the parameter tables of 4.2, 4.4 and 4.5 */
const operations: Record<string, { query: Record<string, Row>; body: boolean; validates: boolean }> = {
  'GET /health': { query: {}, body: false, validates: false },
  'GET /psi': {
    query: {
      url,
      strategy: { type: 'string', required: false, default: 'both', values: [...strategies, 'both'] },
      categories: commaSeparated,
      detailed: { type: 'boolean', required: false, default: false },
    },
    body: false,
    validates: true,
  },
  'POST /psi': { query: {}, body: true, validates: true },
  'POST /cache/clear': { query: {}, body: false, validates: false },
  'GET /lighthouse': { query: pageQuery, body: false, validates: true },
  'GET /compare': { query: pageQuery, body: false, validates: true },
};

/** Section 2.1 */
const analysisRequest: Record<string, Row> = {
  url: { type: 'string or null', required: false },
  urls: { type: 'array or null', required: false, items: 'string' },
  strategy: { type: 'string', required: false, default: 'both', values: [...strategies, 'both'] },
  // An additional category that is not in the specification and never the default.
  categories: { type: 'array or null', required: false, items: [...categories, 'agentic-browsing'] },
  detailed: { type: 'boolean', required: false, default: false },
};

/** Parameters that are not in the specification: they follow those of its table and are optional. */
const addedParameters: Record<string, Record<string, Row>> = {
  'GET /psi': labelled,
  'GET /lighthouse': localQuery,
  'GET /compare': localQuery,
};

/** Operations that are not in the specification. */
const results = ['GET /psi/report', 'GET /lighthouse/report', 'GET /compare/report'];
const kept = [
  'GET /history',
  'GET /compare-results',
  'GET /results',
  'GET /sites',
  'DELETE /results',
  'GET /results/{id}',
  'DELETE /results/{id}',
];
const jobs = [
  'GET /jobs',
  'GET /jobs/{id}',
  'DELETE /jobs/{id}',
  'GET /jobs/{id}/events',
  'GET /jobs/{id}/pages/{index}',
  'GET /schedules',
  'POST /schedules',
  'GET /schedules/{id}',
  'PATCH /schedules/{id}',
  'DELETE /schedules/{id}',
  'POST /schedules/{id}/run',
  'POST /compare',
  'POST /callbacks/test',
  'POST /experiments',
  'POST /jobs',
  'POST /lighthouse',
  'GET /experiments/{id}',
  'GET /experiments/{id}/report',
  'POST /results/{id}/what-if',
];
const keptFiles = ['report', 'screenshot', 'trace', 'network-log', 'har', 'what-if'].map(
  part => `GET /results/{id}/${part}`,
);
const additions = [
  ...results,
  ...jobs,
  ...kept,
  ...keptFiles,
  'GET /access',
  'GET /access/{name}',
  'PUT /access/{name}',
  'DELETE /access/{name}',
  'GET /sitemap',
  'GET /notes',
  'POST /notes',
  'DELETE /notes/{id}',
  'GET /health/ready',
  'GET /metrics',
  'GET /pagespeedonline/v5/runPagespeed',
];

const find = (name: string): Operation => {
  const [method = '', path = ''] = name.split(' ');
  const operation = document.paths[path]?.[method.toLowerCase()];
  assert.ok(operation, `${name} is not in the document`);
  return operation;
};
const refer = (schema: Schema | undefined): Schema => {
  const name = typeof schema?.$ref === 'string' ? schema.$ref.replace('#/components/schemas/', '') : undefined;
  return name === undefined ? (schema ?? {}) : refer(document.components.schemas[name]);
};

function toRow(given: Schema, required: boolean): Row {
  const choices = (given.anyOf as Schema[] | undefined) ?? [given];
  const types = choices.map(choice => String(choice.type));
  const items = choices.find(choice => choice.type === 'array')?.items as Schema | undefined;
  return {
    type: types.join(' or '),
    required,
    ...('default' in given ? { default: given.default } : {}),
    ...('enum' in given ? { values: given.enum as string[] } : {}),
    ...(items ? { items: (items.enum as string[] | undefined) ?? (items.type as 'string') } : {}),
  };
}

const toRows = (schema: Schema): Record<string, Row> => {
  const required = (schema.required as string[] | undefined) ?? [];
  const properties = schema.properties as Record<string, Schema>;
  return Object.fromEntries(
    Object.entries(properties).map(([name, given]) => [name, toRow(given, required.includes(name))]),
  );
};

test('the document has version 2.0.0 and is OpenAPI 3.1', () => {
  assert.match(document.openapi, /^3\.1\.\d$/);
  assert.equal(document.info.version, '2.0.0');
});

test('the operations are those of the specification, and the additions', () => {
  const names = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map(method => `${method.toUpperCase()} ${path}`),
  );
  assert.deepEqual(names.toSorted(), [...Object.keys(operations), ...additions].toSorted());
});

test('every operation has the parameters, body and responses of the specification', () => {
  for (const [name, { query, body, validates }] of Object.entries(operations)) {
    const operation = find(name);
    const parameters = operation.parameters ?? [];
    const all = { ...query, ...addedParameters[name] };
    const rows = parameters.map(({ name: parameter, schema, required }) => [parameter, toRow(schema, required)]);
    assert.deepEqual(Object.fromEntries(rows), all, name);
    assert.deepEqual(
      parameters.map(parameter => [parameter.in, parameter.name]),
      Object.keys(all).map(parameter => ['query', parameter]),
      `${name}: in the order of the table`,
    );
    assert.equal(operation.requestBody?.required, body ? true : undefined, name);
    assert.ok('application/json' in (operation.responses['200']?.content ?? {}), name);
    assert.equal('422' in operation.responses, validates, name);
  }
});

test('a report has the parameters and failures of its operation, and returns an HTML file', () => {
  for (const name of results) {
    const { parameters = [], responses } = find(name);
    const isOfReport = (parameter: { name: string }) =>
      !['detailed', 'callback', 'callback_format'].includes(parameter.name);
    const own = find(name.replace('/report', ''));
    // A report always has full details, and is never a job.
    assert.deepEqual(parameters, own.parameters?.filter(isOfReport));
    assert.deepEqual(Object.keys(responses['200']?.content ?? {}), ['text/html'], name);
    const { 200: _, ...failures } = responses;
    const { 200: __, 202: ___, ...ownFailures } = own.responses;
    assert.deepEqual(failures, ownFailures, name);
  }
});

test('parameters beyond the tables of the specification are optional', () => {
  for (const rows of Object.values(addedParameters))
    for (const [name, { required }] of Object.entries(rows)) assert.equal(required, false, name);
});

test('the analysis request has the fields of section 2.1', () => {
  const schema = refer(find('POST /psi').requestBody?.content['application/json']?.schema);
  assert.equal(schema.type, 'object');
  const all = { ...analysisRequest, ...labelled };
  assert.deepEqual(toRows(schema), all);
  assert.deepEqual(Object.keys(toRows(schema)), Object.keys(all));
});

test('the 422 body is the validation error of section 2.3', () => {
  for (const name of Object.keys(operations).filter(name => operations[name]?.validates)) {
    const schema = refer(find(name).responses['422']?.content['application/json']?.schema);
    const { detail } = schema.properties as Record<string, Schema>;
    const item = refer(detail?.items as Schema);
    assert.equal(detail?.type, 'array');
    assert.deepEqual((item.required as string[]).toSorted(), ['loc', 'msg', 'type']);
    const { loc, msg, type } = item.properties as Record<string, Schema>;
    assert.deepEqual([loc?.type, msg?.type, type?.type], ['array', 'string', 'string']);
    assert.deepEqual(loc?.items, { anyOf: [{ type: 'string' }, { type: 'integer' }] });
  }
});

test('every failure is documented as a Problem', () => {
  for (const name of Object.keys(operations).filter(name => operations[name]?.validates)) {
    const content = find(name).responses.default?.content ?? {};
    assert.deepEqual(Object.keys(content), ['application/problem+json'], name);
    assert.ok('retryable' in (refer(content['application/problem+json']?.schema).properties as object));
  }
});

test('every schema in the document is valid JSON Schema 2020-12', () => {
  const ajv = createDocumentAjv();
  ajv.addSchema({ $id: 'http://document/', components: document.components });
  for (const name of Object.keys(document.components.schemas))
    assert.doesNotThrow(() => ajv.compile({ $ref: `http://document/#/components/schemas/${name}` }), name);
  const inline = Object.keys(operations).flatMap(name => [
    ...(find(name).parameters ?? []).map(({ schema }) => schema),
    ...Object.values(find(name).responses).flatMap(({ content }) => Object.values(content).map(({ schema }) => schema)),
  ]);
  for (const schema of inline) {
    const text = JSON.stringify(schema).replaceAll('"#/', '"http://document/#/');
    assert.doesNotThrow(() => ajv.compile(JSON.parse(text)), text);
  }
});

test('every reference in the document can be resolved', () => {
  const names = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference = '']) => reference);
  assert.ok(names.length > 0);
  for (const reference of names) {
    assert.match(reference, /^#\/components\/schemas\/\w+$/);
    assert.ok(reference.replace('#/components/schemas/', '') in document.components.schemas, reference);
  }
});

test('every operation has a unique name, a summary and a tag', () => {
  const all = Object.values(document.paths).flatMap(methods => Object.values(methods)) as (Operation & {
    operationId?: string;
    summary?: string;
  })[];
  const ids = all.map(({ operationId }) => operationId);
  assert.equal(new Set(ids).size, all.length);
  for (const { operationId, summary, tags } of all) assert.ok(operationId && summary && tags.length === 1);
});

test('the tests validate answers against a schema that allows no unknown field', () => {
  const schemas = closeComponents(document) as Record<string, Schema>;
  assert.equal(schemas.Result?.additionalProperties, false);
  assert.equal(schemas.ValidationError?.additionalProperties, false);
  assert.equal(schemas.Health?.additionalProperties, false);
  assert.ok(!('additionalProperties' in (schemas.Problem ?? {})));
});
