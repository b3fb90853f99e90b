import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toKeptAt } from './show-results.ts';

const id = '01a201e3-ac0c-7234-9a1b-bd2e414329fe';

test('a result of a running service has a short URL, one of a temporary service has a command', () => {
  const server = 'https://lights.example/measure/';
  assert.equal(toKeptAt({ server }, { body: { id } }), `${server}r/${id}`);
  assert.equal(toKeptAt({ server: undefined }, { body: { id } }), `npx rangelight show ${id}`);
});

test('a result that is not stored has neither a URL nor a command', () => {
  for (const body of [undefined, null, {}, { id: 1 }, 'id'])
    assert.equal(toKeptAt({ server: undefined }, { body }), undefined);
});
