/** Folders for temporary files whose paths are about as long as the path of a socket may be: see long-paths.test.ts. */
import { test } from 'node:test';
import { assertAuditedIn, whyNot } from './long-path.ts';

for (const bytes of [26, 80])
  test(`audits work with a TMPDIR of ${bytes} characters or more, in a browser that also creates sockets there`, async t => {
    if (whyNot) return t.skip(whyNot);
    await assertAuditedIn(t, bytes);
  });
