/** A batch takes the memory of a few of its results. Its other forms: batch-memory.long.ts. */
import { test } from 'node:test';
import { assertBounded, urls, whyNot } from './batch-memory.ts';

test(`${urls.length} results together never stand in memory (text/event-stream)`, async t => {
  if (whyNot) return t.skip(whyNot);
  await assertBounded(t, 'text/event-stream');
});
