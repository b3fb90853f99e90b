/** Who audits without the sandbox where it cannot be, and says so; and who does not: see sandbox-forbidden.test.ts. */
import { after, test } from 'node:test';
import { assertAuditsWithout, assertUnavailable, makeConfinedFolder, obstacle } from './confined.ts';

const folder = makeConfinedFolder({ after });

for (const user of ['user', 'root'] as const)
  test(`on loopback a ${user} without user namespaces audits without the sandbox, and every report says so`, async t => {
    if (obstacle) return t.skip(obstacle);
    await assertAuditsWithout(t, folder, user);
  });

test('with CHROME_SANDBOX=on there is no audit without a sandbox, even on loopback', t =>
  assertUnavailable(t, folder, { CHROME_SANDBOX: 'on' }));
