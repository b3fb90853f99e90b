import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readApiKeys } from '../settings/readers.ts';
import { isSendableKey, trimKey } from './api-key.ts';

const accepts = (key: string): boolean => {
  try {
    return readApiKeys(key).length === 1;
  } catch {
    return false;
  }
};

test('only keys that the service accepts can be sent', () => {
  for (let code = 0; code <= 0x2100; code += 1) {
    const character = String.fromCharCode(code);
    // Between keys, so in none of them.
    if (character === ',') continue;
    const key = `01234567${character}89abcdef`;
    assert.equal(isSendableKey(key), accepts(key), `U+${code.toString(16)}`);
  }
  assert.equal(isSendableKey(''), false);
});

test('invisible characters around a key are removed, and those within it are not', () => {
  for (const unseen of [
    ' ',
    '\t',
    '\n',
    '\u00a0',
    '\u00ad',
    '\u200b',
    '\u200d',
    '\u2060',
    '\ufeff',
    '\u202a',
    '\u0000',
  ])
    assert.equal(trimKey(`${unseen}${unseen}key${unseen}`), 'key', JSON.stringify(unseen));
  assert.equal(trimKey('a\u200bb c'), 'a\u200bb c');
  assert.equal(trimKey(' \u200b'), '');
});
