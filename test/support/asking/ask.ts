import assert from 'node:assert/strict';
import { assertDocumented } from './documented.ts';

export type Answer<Body> = { status: number; headers: Headers; body: Body; text: string };

/**
 * Asks the service over HTTP and holds what it answers against its own document. So the body is what the document says
 * of it, and the client may name its type.
 */
export async function ask<Body>(
  service: { url: string },
  target: string,
  init: RequestInit = {},
): Promise<Answer<Body>> {
  const response = await fetch(new URL(target, service.url), init);
  const text = await response.text();
  const type = response.headers.get('content-type') ?? '';
  assert.match(type, /^application\/(problem\+)?json(; charset=UTF-8)?$/, `not JSON: ${text.slice(0, 200)}`);
  const body: unknown = JSON.parse(text);
  await assertDocumented(response, body, init.method);
  return { status: response.status, headers: response.headers, body: body as Body, text };
}

/** The same, for a request with a body of JSON. */
export const post = <Body>(service: { url: string }, target: string, body: unknown): Promise<Answer<Body>> =>
  ask<Body>(service, target, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

type Value = string | boolean | number;

/** `/psi?url=…`: a path with its query, encoded. */
export const withQuery = (path: string, query: Readonly<Record<string, Value | readonly Value[]>>): string => {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map(entry => `${name}=${encodeURIComponent(String(entry))}`),
  );
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`;
};
