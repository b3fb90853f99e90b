/** Other formats and encodings for readers that pause: see slow-readers.test.ts. */
import { test } from 'node:test';
import { assertWholeBatch, assertWholeResult } from './slow-readers.ts';

const results = [
  ['application/json', 'as it is'],
  ['text/event-stream', 'as gzip'],
] as const;
for (const [type, coding] of results)
  test(`a slow reader gets all of a large result (${type}, ${coding})`, t => assertWholeResult(t, type, coding));

const batches = [
  ['application/json', 'as it is'],
  ['text/event-stream', 'as gzip'],
  ['application/x-ndjson', 'as gzip'],
] as const;
for (const [type, coding] of batches)
  test(`a slow reader gets all of a batch (${type}, ${coding})`, t => assertWholeBatch(t, type, coding));
