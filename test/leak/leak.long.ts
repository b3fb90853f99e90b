/** A short form of `npm run leak`: faults, deadlines, kills and disconnects, with nothing left afterwards. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startFaultSite } from '../faults/fault-site.ts';
import { whyNoProcessTree } from './process-tree.ts';
import { startServiceProcess } from './service-process.ts';
import { findLeaks, takeWave } from './waves.ts';

test('faults, deadlines, kills and disconnects leave no process, folder, file, timer or memory behind', async t => {
  if (whyNoProcessTree) return t.skip(whyNoProcessTree);
  const site = await startFaultSite(t);
  const service = await startServiceProcess(t, { LIGHTHOUSE_TIMEOUT: '25' });
  const settings = { site, faults: ['closed-port', 'crash'] } as const;
  const baseline = await takeWave(service, settings);
  const measured = await takeWave(service, settings);
  assert.deepEqual(findLeaks(baseline, [measured]), []);
  assert.equal(service.errors(), '');
  assert.equal(service.hasEnded(), false);
});
