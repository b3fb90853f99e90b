import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildCategory, buildMeasuredLhr, metricRefs } from '../../../test/support/builders/lhr.ts';
import type { HostConditions } from '../../measure/lhr/to-result.ts';
import { writeWireAnswer } from './tasks.ts';

const conditions: HostConditions = {
  benchmarkTakenAt: '2026-11-20T10:00:00.000Z',
  benchmarkConcurrentAudits: 0,
  concurrentAudits: 0,
  machineId: '0123456789abcdef',
  processors: 2,
  benchmarkUsual: null,
  blockedRequests: 0,
  leftOut: [],
  processorWait: null,
};

const lhr = {
  ...buildMeasuredLhr({ runWarnings: ['Careful.'] }),
  categories: { performance: buildCategory('performance', metricRefs, 0.5) },
};

const write = (given: Partial<HostConditions>) => {
  const written = writeWireAnswer({
    bytes: Buffer.from(JSON.stringify(lhr)),
    strategy: 'mobile',
    conditions: { ...conditions, ...given },
    fields: 'all',
    isPwaAsked: false,
    indent: 0,
  });
  assert.ok('answer' in written);
  const body = JSON.parse(Buffer.from(written.answer).toString());
  return { warnings: body.lighthouseResult.runWarnings as string[], disturbance: written.result.disturbance };
};

test('a v5 answer lists the disturbance of the load in its run warnings', () => {
  assert.deepEqual(write({}), { warnings: ['Careful.'], disturbance: undefined });
  const without = { performance: 1, totalBlockingMs: 0 };
  const { warnings, disturbance } = write({ processorWait: { waitedMs: 300, without } });
  assert.match(warnings[0] ?? '', /^This run was disturbed: main-thread tasks waited 300 ms for a CPU/);
  assert.equal(warnings[1], 'Careful.');
  assert.deepEqual(disturbance?.kinds, ['processor_wait']);
});
