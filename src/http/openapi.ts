import type { TObject, TSchema } from 'typebox';
import { HTTPValidationError, Problem } from '../contract/problem.ts';
import { serviceVersion } from '../contract/version.ts';
import { eventStream, eventsSchema } from './answers/event-stream.ts';
import { accessOf, type Operation } from './route.ts';

type OpenApi = Record<string, unknown>;

/** Properties of this instance that affect its clients. */
export type Guards = { hasKeys: boolean; hasLimit: boolean };

const securitySchemes = {
  bearer: { type: 'http', scheme: 'bearer' },
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
  psiHeader: { type: 'apiKey', in: 'header', name: 'X-Goog-Api-Key' },
  psiParameter: { type: 'apiKey', in: 'query', name: 'key' },
} as const;

/** Security schemes of each kind of operation; any one of them is enough. */
const schemesOf: Readonly<Record<ReturnType<typeof accessOf>, readonly (keyof typeof securitySchemes)[]>> = {
  open: [],
  key: ['bearer', 'apiKey'],
  'psi key': ['bearer', 'apiKey', 'psiHeader', 'psiParameter'],
};

/**
 * Copies a schema and replaces every schema that has an `$id` with a reference; these become components. The same
 * schemas validate input and define types, so the document cannot drift from the code.
 */
function toReferences(schema: unknown, components: Map<string, OpenApi>): unknown {
  if (Array.isArray(schema)) return schema.map(entry => toReferences(entry, components));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $id, ...rest } = schema as OpenApi;
  const copied = () =>
    Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, toReferences(value, components)]));
  if (typeof $id !== 'string') return copied();
  if (!components.has($id)) {
    components.set($id, {});
    components.set($id, copied());
  }
  return { $ref: `#/components/schemas/${$id}` };
}

const toParameters = (query: TObject, refer: (schema: TSchema) => unknown): OpenApi[] =>
  Object.entries(query.properties).map(([name, schema]) => {
    const { description } = schema as { description?: string };
    return {
      name,
      in: 'query',
      required: (query.required as string[] | undefined)?.includes(name) ?? false,
      ...(description ? { description } : {}),
      schema: refer(schema as TSchema),
    };
  });

const content = (schema: unknown, type = 'application/json') => ({ content: { [type]: { schema } } });

const toAnswer = (
  { answer, fileType, streams, tag, isEventStream }: Operation,
  refer: (schema: TSchema) => unknown,
): OpenApi => {
  if (isEventStream) return content(eventsSchema, eventStream);
  if (fileType === 'text/html')
    return content({ type: 'string', description: 'One self-contained HTML file' }, fileType);
  if (fileType) return content({ type: 'string', format: 'binary' }, fileType);
  return {
    content: {
      ...content(answer ? refer(answer) : {}).content,
      ...(streams ? content(refer(streams.line), streams.contentType).content : {}),
      ...(tag === 'analysis' ? content(eventsSchema, eventStream).content : {}),
    },
  };
};

/** Responses to requests that are refused before the operation runs. Google documents the response bodies of PSI v5. */
const toRefusals = (operation: Operation, { hasKeys, hasLimit }: Guards, problem: () => unknown): OpenApi => {
  const { tag } = operation;
  const body = () => (tag === 'psi v5' ? {} : content(problem(), 'application/problem+json'));
  return {
    ...(hasKeys && accessOf(operation) !== 'open'
      ? { '401': { description: 'Missing or invalid key', ...body() } }
      : {}),
    ...(hasLimit && (tag === 'analysis' || tag === 'psi v5')
      ? { '429': { description: 'Too many pages per minute', ...body() } }
      : {}),
  };
};

const toResponses = (operation: Operation, asked: Guards, refer: (schema: TSchema) => unknown): OpenApi => ({
  [operation.status ?? 200]: { description: 'Successful Response', ...toAnswer(operation, refer) },
  ...(operation.accepts
    ? { '202': { description: 'Accepted: with `Prefer: respond-async`', ...content(refer(operation.accepts)) } }
    : {}),
  ...(operation.isEventStream ? { '204': { description: 'No further events' } } : {}),
  ...((operation.validates ?? (operation.query ?? operation.body) !== undefined)
    ? { '422': { description: 'Validation Error', ...content(refer(HTTPValidationError)) } }
    : {}),
  ...(operation.path === '/health/ready'
    ? { '503': { description: 'Not ready', ...content(refer(operation.answer as TSchema)) } }
    : {}),
  ...toRefusals(operation, asked, () => refer(Problem)),
  ...((operation.fails ?? true)
    ? { default: { description: 'Problem', ...content(refer(Problem), 'application/problem+json') } }
    : {}),
  ...(operation.failure ? { default: { description: 'Failure', ...content(refer(operation.failure)) } } : {}),
});

const toOperationId = ({ method, path }: Operation) =>
  `${path.slice(1).replaceAll(/\W+/g, '_')}_${method.toLowerCase()}`;

const toSecurity = (operation: Operation, { hasKeys }: Guards): OpenApi => {
  const access = accessOf(operation);
  return hasKeys && access !== 'open' ? { security: schemesOf[access].map(name => ({ [name]: [] })) } : {};
};

const toPathParameters = (path: string): OpenApi[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));

const toAllParameters = ({ path, query }: Operation, refer: (schema: TSchema) => unknown): OpenApi => {
  const parameters = [...toPathParameters(path), ...(query ? toParameters(query, refer) : [])];
  return query || parameters.length > 0 ? { parameters } : {};
};

const toOperation = (operation: Operation, asked: Guards, refer: (schema: TSchema) => unknown): OpenApi => ({
  tags: [operation.tag],
  summary: operation.summary,
  description: operation.description,
  operationId: toOperationId(operation),
  ...toAllParameters(operation, refer),
  ...(operation.body ? { requestBody: { required: true, ...content(refer(operation.body)) } } : {}),
  ...toSecurity(operation, asked),
  responses: toResponses(operation, asked, refer),
});

export function toOpenApi(operations: readonly Operation[], asked: Guards): OpenApi {
  const components = new Map<string, OpenApi>();
  const refer = (schema: TSchema) => toReferences(schema, components);
  const paths: Record<string, OpenApi> = {};
  for (const operation of operations) {
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method.toLowerCase()]: toOperation(operation, asked, refer),
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Rangelight',
      description: 'Measures web pages with PageSpeed Insights and with local Lighthouse, side by side.',
      version: serviceVersion,
    },
    paths,
    components: {
      schemas: Object.fromEntries([...components].toSorted(([a], [b]) => (a < b ? -1 : 1))),
      ...(asked.hasKeys ? { securitySchemes } : {}),
    },
  };
}
