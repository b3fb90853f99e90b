import assert from 'node:assert/strict';
import { assertDocumented } from './documented.ts';

export type Answer<Body> = { status: number; headers: Headers; body: Body; text: string };

/**
 * Sends a request to the service and checks the answer against the service's own OpenAPI document. The body therefore
 * has the documented shape, and the caller may name its type.
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

/** `ask` with a JSON body. */
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
