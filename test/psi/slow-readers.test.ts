/** Contract section 8, and what is large: readers that pause get all of it. Other forms: slow-readers.long.ts. */
import { test } from 'node:test';
import { assertWholeBatch, assertWholeResult } from './slow-readers.ts';

test('a slow reader gets all of a large result (text/event-stream, as it is)', t =>
  assertWholeResult(t, 'text/event-stream', 'as it is'));
test('a slow reader gets all of a large result (application/json, as gzip)', t =>
  assertWholeResult(t, 'application/json', 'as gzip'));
test('a slow reader gets all of a batch (application/json, as gzip)', t =>
  assertWholeBatch(t, 'application/json', 'as gzip'));
test('a slow reader gets all of a batch (text/event-stream, as it is)', t =>
  assertWholeBatch(t, 'text/event-stream', 'as it is'));
test('a slow reader gets all of a batch (application/x-ndjson, as it is)', t =>
  assertWholeBatch(t, 'application/x-ndjson', 'as it is'));
