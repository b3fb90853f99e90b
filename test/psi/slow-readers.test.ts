/** Contract section 8: readers that pause get all of a large answer. slow-readers.long.ts has other formats. */
import { test } from 'node:test';
import { assertWholeBatch, assertWholeResult } from './slow-readers.ts';

const results = [
  ['text/event-stream', 'as it is'],
  ['application/json', 'as gzip'],
] as const;
for (const [type, coding] of results)
  test(`a slow reader gets all of a large result (${type}, ${coding})`, t => assertWholeResult(t, type, coding));

const batches = [
  ['application/json', 'as gzip'],
  ['text/event-stream', 'as it is'],
  ['application/x-ndjson', 'as it is'],
] as const;
for (const [type, coding] of batches)
  test(`a slow reader gets all of a batch (${type}, ${coding})`, t => assertWholeBatch(t, type, coding));
