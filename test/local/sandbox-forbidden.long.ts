/** A root whose audits cannot have the sandbox, nor another user: see sandbox-forbidden.test.ts. */
import { test } from 'node:test';
import { assertAuditsWithout, makeConfinedFolder, obstacle } from './confined.ts';

test('on loopback a root without user namespaces audits without the sandbox, and every place says so', async t => {
  if (obstacle) return t.skip(obstacle);
  await assertAuditsWithout(t, makeConfinedFolder(t), 'root');
});
