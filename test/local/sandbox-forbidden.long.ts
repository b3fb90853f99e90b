/** Who audits without the sandbox where it cannot be, and says so: see sandbox-forbidden.test.ts. */
import { after, test } from 'node:test';
import { assertAuditsWithout, makeConfinedFolder, obstacle } from './confined.ts';

const folder = makeConfinedFolder({ after });

for (const user of ['user', 'root'] as const)
  test(`on loopback a ${user} without user namespaces audits without the sandbox, and every place says so`, async t => {
    if (obstacle) return t.skip(obstacle);
    await assertAuditsWithout(t, folder, user);
  });
