import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FastifyRequest } from 'fastify';
import { createToClientId } from './api-keys.ts';

type Given = { ip?: string; headers?: Record<string, string>; query?: string; access?: string };

const toRequest = ({ ip = '203.0.113.1', headers = {}, query = '', access = 'key' }: Given) =>
  ({ ip, headers, query, routeOptions: { config: { access } } }) as unknown as FastifyRequest;

const toClientId = createToClientId(['one-key', 'another-key']);
const idOf = (given: Given = {}) => toClientId(toRequest(given));

test('without a key, a client is identified by its address, as for the rate limit', () => {
  assert.equal(idOf(), '203.0.113.1');
  assert.equal(idOf({ ip: '::ffff:203.0.113.1' }), idOf());
  assert.equal(idOf({ ip: '2001:db8::1' }), idOf({ ip: '2001:db8::2' }));
  assert.notEqual(idOf({ ip: '2001:db8:0:1::1' }), idOf({ ip: '2001:db8:0:2::1' }));
});

test('a service key identifies a client from any address, in any form, and is not revealed', () => {
  const id = idOf({ headers: { 'x-api-key': 'one-key' } });
  assert.equal(idOf({ ip: '198.51.100.7', headers: { authorization: 'Bearer one-key' } }), id);
  assert.equal(idOf({ headers: { 'x-goog-api-key': 'one-key' }, access: 'psi key' }), id);
  assert.equal(idOf({ query: 'key=one-key', access: 'psi key' }), id);
  assert.notEqual(idOf({ headers: { 'x-api-key': 'another-key' } }), id);
  assert.ok(!id.includes('one-key'));
});

test('a key that is unknown, or not accepted by the route, identifies no client', () => {
  assert.equal(idOf({ headers: { 'x-api-key': 'made-up' } }), idOf());
  assert.equal(idOf({ query: 'key=one-key' }), idOf());
  assert.equal(
    idOf({ headers: { 'x-api-key': 'made-up', authorization: 'Bearer one-key' } }),
    idOf({ headers: { 'x-api-key': 'one-key' } }),
  );
  assert.equal(createToClientId([])(toRequest({ headers: { 'x-api-key': 'one-key' } })), idOf());
});
