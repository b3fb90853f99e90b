/** Checks every answer of the service against its OpenAPI document. */
import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

type Schema = Record<string, unknown>;
export type Parameter = { name: string; in: string; required: boolean; schema: Schema };
type Content = Record<string, { schema: Schema }>;
export type Operation = {
  tags: string[];
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, { description: string; content: Content }>;
};
export type OpenApi = {
  openapi: string;
  info: { title: string; version: string };
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

const formats = {
  uri: (text: string) => URL.canParse(text),
  'date-time': (text: string) =>
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text) && !Number.isNaN(Date.parse(text)),
};

/** Optimising the generated validators would take longer than any test saves by it. */
const quickly = { code: { optimize: false }, inlineRefs: false } as const;

export const createDocumentAjv = (): Ajv2020 => new Ajv2020({ strict: false, allErrors: true, formats, ...quickly });

/** A Problem may carry members of its own (RFC 9457). */
const openByDesign = new Set(['Problem']);

/** The same schema without additional properties; an object without declared properties stays open. */
function close(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(close);
  if (typeof schema !== 'object' || schema === null) return schema;
  const closed = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, close(value)]));
  const names =
    'properties' in schema && typeof schema.properties === 'object' ? Object.keys(schema.properties ?? {}) : [];
  return names.length > 0 && !('additionalProperties' in closed) ? { ...closed, additionalProperties: false } : closed;
}

export const closeComponents = ({ components }: OpenApi): Schema =>
  Object.fromEntries(
    Object.entries(components.schemas).map(([name, schema]) => [name, openByDesign.has(name) ? schema : close(schema)]),
  );

/** For `{ $ref: 'http://document/#/components/schemas/…' }`. */
const base = 'http://document/';

class Document {
  readonly openapi: OpenApi;
  readonly #ajv = createDocumentAjv();
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(openapi: OpenApi) {
    this.openapi = openapi;
    this.#ajv.addSchema({ $id: base, components: { schemas: closeComponents(openapi) } });
  }

  validator(schema: Schema): ValidateFunction {
    const text = JSON.stringify(close(schema)).replaceAll('"#/', `"${base}#/`);
    const known = this.#validators.get(text) ?? this.#ajv.compile(JSON.parse(text));
    this.#validators.set(text, known);
    return known;
  }
}

const documents = new Map<string, Promise<Document>>();
/** Most services of a process serve the same document, so each text is parsed once. */
const byText = new Map<string, Document>();

const readDocument = async (origin: string): Promise<Document> => {
  const response = await fetch(`${origin}/openapi.json`);
  const text = await response.text();
  const document = byText.get(text) ?? new Document(JSON.parse(text) as OpenApi);
  byText.set(text, document);
  return document;
};

const documentOf = (origin: string): Promise<Document> => {
  const known = documents.get(origin) ?? readDocument(origin);
  documents.set(origin, known);
  return known;
};

/** A route that does not exist and a wrong method are the only answers that the document does not declare. */
const assertUndeclared = (status: number, body: unknown): void => {
  const words: Record<number, string> = { 404: 'Not Found', 405: 'Method Not Allowed' };
  assert.deepEqual(body, { detail: words[status] }, `status ${status} is not in the document`);
};

const isProblem = (body: unknown): boolean => typeof body === 'object' && body !== null && 'code' in body;

/** Finds an operation by its literal path, or by a template in which each parameter matches one path segment. */
const findOperation = ({ paths }: OpenApi, pathname: string, method: string): Operation | undefined => {
  const fits = (path: string) => new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]*')}$`).test(pathname);
  return (paths[pathname] ?? Object.entries(paths).find(([path]) => fits(path))?.[1])?.[method.toLowerCase()];
};

/**
 * Asserts that a response is documented: its status and content type are declared, and its body has every field that
 * the schema requires and none that the schema does not name.
 */
export async function assertDocumented(
  { url, status, headers }: Pick<Response, 'url' | 'status' | 'headers'>,
  body: unknown,
  method = 'GET',
): Promise<void> {
  const { origin, pathname } = new URL(url);
  const document = await documentOf(origin);
  const operation = findOperation(document.openapi, pathname.replace(/\/$/, '') || '/', method);
  // A 404 with a code comes from a route that exists: the requested resource does not.
  const isRouted = operation && (status !== 404 || isProblem(body)) && status !== 405;
  if (!isRouted) return assertUndeclared(status, body);
  const declared = operation.responses[status] ?? operation.responses.default;
  assert.ok(declared, `${method} ${pathname} answered ${status}, which is not in the document`);
  // Google sends a charset, and so does our PSI v5 endpoint; no other operation does.
  const given = headers.get('content-type') ?? '';
  const type = operation.tags.includes('psi v5') ? given.replace(/; charset=UTF-8$/, '') : given;
  const schema = declared.content[type]?.schema;
  assert.ok(schema, `${method} ${pathname} answered ${status} as ${type}, which is not in the document`);
  const validate = document.validator(schema);
  assert.ok(
    validate(body),
    `${method} ${pathname} ${status}: ${JSON.stringify(validate.errors?.slice(0, 5), null, 2)}`,
  );
}
