/** `kill -9` of every kind of process: the client gets an answer, the next audit works, and nothing is left. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startFaultSite } from '../faults/fault-site.ts';
import { victims } from './audits.ts';
import { killService, killWithinService } from './kills.ts';
import { whyNoProcessTree } from './process-tree.ts';
import { startServiceProcess } from './service-process.ts';

for (const victim of victims)
  test(`a ${victim} killed during an audit costs only that audit, twice in a row`, async t => {
    if (whyNoProcessTree) return t.skip(whyNoProcessTree);
    const site = await startFaultSite(t);
    const service = await startServiceProcess(t);
    for (let time = 1; time <= 2; time += 1) {
      const { code, goneSeconds, nextAudit } = await killWithinService(service, site, victim);
      assert.ok(code === 'page_crashed' || code === 'lighthouse_unavailable', code);
      assert.ok(goneSeconds !== undefined, 'something was left after 10 s');
      assert.equal(nextAudit, 200);
    }
    assert.equal(service.errors(), '');
  });

test('a killed service leaves no process, and the next one audits and removes the leftovers', async t => {
  if (whyNoProcessTree) return t.skip(whyNoProcessTree);
  const site = await startFaultSite(t);
  const { goneSeconds, nextAudit, foldersAfterStart } = await killService(t, site);
  assert.ok(goneSeconds !== undefined, 'a process was left after 10 s');
  assert.equal(nextAudit, 200);
  assert.equal(foldersAfterStart, 0);
});
