/** A batch needs memory for only a few of its results. batch-memory.long.ts covers other formats. */
import { test } from 'node:test';
import { assertBounded, urls, whyNot } from './batch-memory.ts';

test(`${urls.length} results are never in memory together (text/event-stream)`, async t => {
  if (whyNot) return t.skip(whyNot);
  await assertBounded(t, 'text/event-stream');
});
