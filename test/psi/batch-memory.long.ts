/** Other answer formats of a batch, with the same memory limit: see batch-memory.test.ts. */
import { test } from 'node:test';
import { assertBounded, urls, whyNot } from './batch-memory.ts';

for (const accept of ['application/json', 'application/x-ndjson'])
  test(`${urls.length} results are never in memory together (${accept})`, async t => {
    if (whyNot) return t.skip(whyNot);
    await assertBounded(t, accept);
  });
