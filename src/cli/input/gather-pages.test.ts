import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toPageUrls } from './gather-pages.ts';
import { UsageError } from './usage-error.ts';

const faultOf = (text: string): string => {
  try {
    toPageUrls([text]);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  return assert.fail(`${text} is an address`);
};

test('what is no address is told with a sentence for its reason', () => {
  for (const [text, reason] of [
    ['javascript:alert(1)', 'only http and https pages are measured'],
    ['ftp://x', 'only http and https pages are measured'],
    ['file:///etc/hosts', 'only http and https pages are measured'],
    ['mailto:a@b.c', 'only http and https pages are measured'],
    ['http://a.com/b c', 'spaces are not allowed: write %20'],
  ] as const)
    assert.equal(faultOf(text), `'${text}' is not the address of a page: ${reason}`);
  assert.match(faultOf(`http://a.com/${'x'.repeat(2048)}`), /x' is not the address of a page: it is longer than 2048 /);
});
