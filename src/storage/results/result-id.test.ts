import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createResultId, isResultId } from './result-id.ts';

test('an id is a UUID of version 7 that starts with its time', () => {
  const id = createResultId(0x0123_4567_89ab);
  assert.match(id, /^01234567-89ab-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.ok(isResultId(id));
});

test('ids sort by time', () => {
  const times = [0, 1, 255, 256, 1_700_000_000_000, 1_700_000_000_001, 2 ** 48 - 1];
  const ids = times.map(createResultId);
  assert.deepEqual(ids.toSorted(), ids);
});

test('ids of the same millisecond share only the time', () => {
  const ids = Array.from({ length: 10_000 }, () => createResultId(1_700_000_000_000));
  assert.equal(new Set(ids).size, ids.length);
  assert.equal(new Set(ids.map(id => id.slice(-12))).size, ids.length);
});

test('nothing else counts as an id', () => {
  for (const text of ['', 'a', '01234567-89ab-4000-8000-000000000000', `${createResultId()} `, '../../etc/passwd'])
    assert.equal(isResultId(text), false, text);
});
