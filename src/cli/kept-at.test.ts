import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toKeptAt } from './show-results.ts';

const id = '01a201e3-ac0c-7234-9a1b-bd2e414329fe';
const job = {
  index: 0,
  url: 'http://localhost/a?b',
  strategy: 'mobile',
  call: { method: 'GET', path: '', lanes: [] },
} as const;
const wanted = { server: undefined, backend: 'local', categories: undefined } as const;

test('a result of a running service has a URL, one of a temporary service has a command', () => {
  assert.equal(
    toKeptAt({ ...wanted, server: 'https://lights.example/measure/' }, { job, body: { id } }),
    `https://lights.example/measure/?url=http%3A%2F%2Flocalhost%2Fa%3Fb&backend=local&strategy=mobile&result=${id}`,
  );
  assert.equal(toKeptAt(wanted, { job, body: { id } }), `rangelight show ${id}`);
});

test('a result that is not stored has neither a URL nor a command', () => {
  for (const body of [undefined, null, {}, { id: 1 }, 'id']) assert.equal(toKeptAt(wanted, { job, body }), undefined);
});
