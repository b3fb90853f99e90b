import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createJsonLineReader } from './streams.ts';

const read = (...chunks: readonly string[]): unknown[] => {
  const values: unknown[] = [];
  const reader = createJsonLineReader(value => values.push(value));
  for (const chunk of chunks) reader.feed(chunk);
  reader.end();
  return values;
};

test('each line is a value, however the text is split, with or without a final newline', () => {
  const whole = '{"index":0}\r\n{"index":1,"url":"ü"}\n\n{"total":2}';
  for (let cut = 0; cut <= whole.length; cut += 1)
    assert.deepEqual(read(whole.slice(0, cut), whole.slice(cut)), [{ index: 0 }, { index: 1, url: 'ü' }, { total: 2 }]);
});

test('the callback runs as soon as a line ends', () => {
  const values: unknown[] = [];
  const reader = createJsonLineReader(value => values.push(value));
  reader.feed('{"index":0}\n{"ind');
  assert.deepEqual(values, [{ index: 0 }]);
});

test('an incomplete last line is an error, not a value', () => {
  assert.throws(() => read('{"index":0}\n{"ind'), SyntaxError);
});
