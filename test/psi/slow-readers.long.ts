/** The other forms and codings for readers that pause: see slow-readers.test.ts. */
import { test } from 'node:test';
import { assertWholeBatch, assertWholeResult } from './slow-readers.ts';

test('a slow reader gets all of a large result (application/json, as it is)', t =>
  assertWholeResult(t, 'application/json', 'as it is'));
test('a slow reader gets all of a batch (application/json, as it is)', t =>
  assertWholeBatch(t, 'application/json', 'as it is'));
test('a slow reader gets all of a large result (text/event-stream, as gzip)', t =>
  assertWholeResult(t, 'text/event-stream', 'as gzip'));
test('a slow reader gets all of a batch (text/event-stream, as gzip)', t =>
  assertWholeBatch(t, 'text/event-stream', 'as gzip'));
test('a slow reader gets all of a batch (application/x-ndjson, as gzip)', t =>
  assertWholeBatch(t, 'application/x-ndjson', 'as gzip'));
