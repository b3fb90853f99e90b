/** Memory that clients cost if they never read, on few connections and on many. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memoryUnder, startWithLargeResult, targets } from './never-reading.ts';

/** The memory limit in compose.yaml, in MB; the process takes about 170 MB before. */
const bound = 512;

for (const connections of [3, 30, 300])
  test(`${connections} connections that pipeline and never read leave the service below ${bound} MB, and others are answered`, async t => {
    for (const target of targets) {
      const service = await startWithLargeResult(t);
      const { most, open } = await memoryUnder(service, { connections, target });
      t.diagnostic(`${target.slice(0, 14)}: ${most} MB, ${open} connections were not closed`);
      assert.ok(most < bound, `${target}: ${most} MB`);
      service.child.kill('SIGKILL');
    }
  });
