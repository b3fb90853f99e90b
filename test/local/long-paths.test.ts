/** A folder for temporary files whose path is longer than the path of a socket may be. More lengths: long-paths.long.ts. */
import { test } from 'node:test';
import { assertAuditedIn, whyNot } from './long-path.ts';

test('audits work with a TMPDIR of 200 characters or more, in a browser that also creates sockets there', async t => {
  if (whyNot) return t.skip(whyNot);
  await assertAuditedIn(t, 200);
});
