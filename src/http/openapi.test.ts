import assert from 'node:assert/strict';
import { test } from 'node:test';
import Type, { type TSchema } from 'typebox';
import { serviceVersion } from '../contract/version.ts';
import { eventsSchema } from './answers/event-stream.ts';
import { type Guards, toOpenApi } from './openapi.ts';
import type { Operation } from './route.ts';

type Described = {
  tags: string[];
  summary: string;
  description: string;
  operationId: string;
  parameters?: unknown[];
  requestBody?: unknown;
  responses: Record<string, unknown>;
};
type Document = {
  openapi: string;
  info: { title: string; description: string; version: string };
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, unknown> };
};

const operationOf = (fields: Partial<Operation> = {}): Operation => ({
  method: 'GET',
  path: '/things',
  tag: 'analysis',
  access: 'key',
  summary: 'Things',
  description: 'All the things.',
  validates: false,
  fails: false,
  ...fields,
});

const open: Guards = { hasKeys: false, hasLimit: false };

/** Returns the document as it is sent: JSON does not contain TypeBox's own markers. */
const describe = (...operations: Operation[]): Document => JSON.parse(JSON.stringify(toOpenApi(operations, open)));
const describeOne = (fields: Partial<Operation> = {}): { described: Described; schemas: Record<string, unknown> } => {
  const { paths, components } = describe(operationOf(fields));
  const [described] = Object.values(paths).flatMap(methods => Object.values(methods));
  assert.ok(described);
  return { described, schemas: components.schemas };
};
const json = (schema: unknown) => ({ 'application/json': { schema } });

const Leaf = Type.Object({ name: Type.String() }, { $id: 'Leaf' });
const leafReference = { $ref: '#/components/schemas/Leaf' };

test('the document has its title and its version', () => {
  const { openapi, info, paths, components } = describe();
  assert.equal(openapi, '3.1.0');
  assert.deepEqual([info.title, info.version], ['Rangelight', serviceVersion]);
  assert.deepEqual([paths, components], [{}, { schemas: {} }]);
});

/** Response of every analysis as events. */
const asEvents = { 'text/event-stream': { schema: eventsSchema } };

test('an operation is listed under its path and method, with its description', () => {
  const { paths } = describe(operationOf());
  assert.deepEqual(paths, {
    '/things': {
      get: {
        tags: ['analysis'],
        summary: 'Things',
        description: 'All the things.',
        operationId: 'things_get',
        responses: { '200': { description: 'Successful Response', content: { ...json({}), ...asEvents } } },
      },
    },
  });
});

test('two methods of one path are listed together, and paths stay in order', () => {
  const { paths } = describe(
    operationOf({ path: '/z' }),
    operationOf({ path: '/a' }),
    operationOf({ path: '/z', method: 'POST' }),
  );
  assert.deepEqual(
    Object.entries(paths).map(([path, methods]) => [path, Object.keys(methods)]),
    [
      ['/z', ['get', 'post']],
      ['/a', ['get']],
    ],
  );
});

test('an operation is named after its path and method', () => {
  const idOf = (fields: Partial<Operation>) => describeOne(fields).described.operationId;
  assert.equal(idOf({ path: '/cache/clear', method: 'POST' }), 'cache_clear_post');
  assert.equal(idOf({ path: '/pagespeedonline/v5/runPagespeed' }), 'pagespeedonline_v5_runPagespeed_get');
});

test('each property of a query becomes a parameter, in order', () => {
  const query = Type.Object({
    url: Type.String({ description: 'Page to analyse' }),
    detailed: Type.Optional(Type.Boolean({ default: false })),
  });
  assert.deepEqual(describeOne({ query }).described.parameters, [
    {
      name: 'url',
      in: 'query',
      required: true,
      description: 'Page to analyse',
      schema: { type: 'string', description: 'Page to analyse' },
    },
    { name: 'detailed', in: 'query', required: false, schema: { type: 'boolean', default: false } },
  ]);
});

test('a query without required properties has no required parameter', () => {
  const [parameter] = describeOne({ query: Type.Object({ a: Type.Optional(Type.String()) }) }).described.parameters as {
    required: boolean;
  }[];
  assert.equal(parameter?.required, false);
});

test('an operation without query or body has neither parameters nor a request body', () => {
  const { described } = describeOne();
  assert.ok(!('parameters' in described));
  assert.ok(!('requestBody' in described));
});

test('a body is required and JSON', () => {
  const { described, schemas } = describeOne({ method: 'POST', body: Leaf });
  assert.deepEqual(described.requestBody, { required: true, content: json(leafReference) });
  assert.deepEqual(Object.keys(schemas), ['Leaf']);
});

test('responses are those that the operation can return', () => {
  const rows: readonly (readonly [Partial<Operation>, readonly string[]])[] = [
    [{}, ['200']],
    [{ validates: true }, ['200', '422']],
    [{ fails: true }, ['200', 'default']],
    [{ validates: true, fails: true }, ['200', '422', 'default']],
    [{ path: '/health/ready', answer: Leaf }, ['200', '503']],
    [{ path: '/health', answer: Leaf }, ['200']],
  ];
  for (const [fields, statuses] of rows)
    assert.deepEqual(Object.keys(describeOne(fields).described.responses), statuses, JSON.stringify(fields));
});

test('input errors and failures have their schemas, if they are possible', () => {
  const { described, schemas } = describeOne({ validates: true, fails: true });
  assert.deepEqual(described.responses['422'], {
    description: 'Validation Error',
    content: json({ $ref: '#/components/schemas/HTTPValidationError' }),
  });
  assert.deepEqual(described.responses.default, {
    description: 'Problem',
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
  });
  assert.deepEqual(Object.keys(schemas), ['HTTPValidationError', 'Problem', 'ValidationError']);
  assert.deepEqual(describeOne().schemas, {});
});

test('a file has no schema, and is not sent as events', () => {
  const { responses } = describeOne({ fileType: 'text/html' }).described;
  const [answer] = Object.values(responses) as { content: Record<string, { schema: { type: string } }> }[];
  assert.deepEqual(Object.keys(answer?.content ?? {}), ['text/html']);
  assert.equal(answer?.content['text/html']?.schema.type, 'string');
});

test('readiness has the same body with 503', () => {
  const { responses } = describeOne({ path: '/health/ready', answer: Leaf }).described;
  assert.deepEqual(responses['503'], { description: 'Not ready', content: json(leafReference) });
});

test('a named schema is always a reference to one component', () => {
  const answer = Type.Object(
    {
      one: Leaf,
      many: Type.Array(Leaf),
      either: Type.Union([Leaf, Type.Null()]),
      byName: Type.Record(Type.String(), Leaf),
    },
    { $id: 'Tree', description: 'Of leaves' },
  );
  const { described, schemas } = describeOne({ answer });
  assert.deepEqual(described.responses['200'], {
    description: 'Successful Response',
    content: { ...json({ $ref: '#/components/schemas/Tree' }), ...asEvents },
  });
  assert.deepEqual(Object.keys(schemas), ['Leaf', 'Tree'], 'in alphabetical order');
  assert.deepEqual(schemas.Leaf, { type: 'object', required: ['name'], properties: { name: { type: 'string' } } });
  const { properties, description } = schemas.Tree as { properties: Record<string, unknown>; description: string };
  assert.equal(description, 'Of leaves');
  assert.deepEqual(properties.one, leafReference);
  assert.deepEqual(properties.many, { type: 'array', items: leafReference });
  assert.deepEqual(properties.either, { anyOf: [leafReference, { type: 'null' }] });
  assert.ok(JSON.stringify(properties.byName).includes(JSON.stringify(leafReference)));
  assert.ok(!JSON.stringify(schemas).includes('$id'));
});

test('operations share their components', () => {
  const { components } = describe(
    operationOf({ path: '/a', answer: Leaf, validates: true, fails: true }),
    operationOf({ path: '/b', answer: Type.Array(Leaf), validates: true, fails: true }),
  );
  assert.deepEqual(Object.keys(components.schemas), ['HTTPValidationError', 'Leaf', 'Problem', 'ValidationError']);
});

test('a recursive schema is finite', () => {
  const node: Record<string, unknown> = { $id: 'Node', type: 'object' };
  node.properties = { next: node };
  const { schemas } = describeOne({ answer: node as TSchema });
  assert.deepEqual(schemas, {
    Node: { type: 'object', properties: { next: { $ref: '#/components/schemas/Node' } } },
  });
});

test('validation schemas are not changed, and each document is a separate copy', () => {
  const operation = operationOf({ answer: Leaf, query: Type.Object({ a: Type.String() }), validates: true });
  const before = JSON.stringify(operation);
  const [one, other] = [toOpenApi([operation], open), toOpenApi([operation], open)];
  assert.equal(JSON.stringify(operation), before);
  assert.deepEqual(one, other);
  assert.notEqual(one, other);
});

test('operations that need a key declare it, if there are keys', () => {
  const operations = [
    operationOf({ path: '/open', access: 'open', tag: 'system' }),
    operationOf({ path: '/clear', access: 'key', tag: 'system' }),
    operationOf({ path: '/analysis', access: 'key', fails: true }),
    operationOf({ path: '/v5', access: 'psi key', tag: 'psi v5' }),
  ];
  const read = (asked: Guards) => {
    const { paths, components } = JSON.parse(JSON.stringify(toOpenApi(operations, asked)));
    const rows = Object.entries<Record<string, { responses: object; security?: object[] }>>(paths).map(
      ([path, { get }]) => [
        path,
        Object.keys(get?.responses ?? {}),
        (get?.security ?? []).flatMap(scheme => Object.keys(scheme)),
      ],
    );
    return { rows, schemes: Object.keys(components.securitySchemes ?? {}) };
  };
  assert.deepEqual(read(open), {
    rows: [
      ['/open', ['200'], []],
      ['/clear', ['200'], []],
      ['/analysis', ['200', 'default'], []],
      ['/v5', ['200'], []],
    ],
    schemes: [],
  });
  assert.deepEqual(read({ hasKeys: true, hasLimit: true }), {
    rows: [
      ['/open', ['200'], []],
      ['/clear', ['200', '401'], ['bearer', 'apiKey']],
      ['/analysis', ['200', '401', '429', 'default'], ['bearer', 'apiKey']],
      ['/v5', ['200', '401', '429'], ['bearer', 'apiKey', 'psiHeader', 'psiParameter']],
    ],
    schemes: ['bearer', 'apiKey', 'psiHeader', 'psiParameter'],
  });
});
