import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toCurrentNames } from './older-names.ts';

const olderSide = {
  environment: { machine_id: 'a1', left_out: ['full_page_screenshot'], attempt: 2, benchmark_usual: 2000, rtt: 1 },
  runs: { asked: 5, completed: 5, chosen: 3, chosen_by: 'median_run' },
  usual_cpu: { performance: 61 },
};
const currentSide = {
  environment: { boot_id: 'a1', skipped: ['full_page_screenshot'], attempts: 2, benchmark_median: 2000, rtt: 1 },
  runs: { requested: 5, completed: 5, selected: 3, selected_by: 'median_run' },
  default_cpu: { performance: 61 },
};
const read = (value: unknown): unknown => JSON.parse(toCurrentNames(JSON.stringify(value)));

test('a result of an older version gets the current names', () => {
  assert.deepEqual(read({ url: 'https://a.test/', ...olderSide }), { url: 'https://a.test/', ...currentSide });
});

test('a comparison of an older version, and both of its sides, get the current names', () => {
  const older = { psi: olderSide, lighthouse: olderSide, comparison: { verdict: 'Same.', scores: {} } };
  const current = { psi: currentSide, lighthouse: currentSide, comparison: { explanation: 'Same.', scores: {} } };
  assert.deepEqual(read(older), current);
  assert.deepEqual(read({ ...older, lighthouse: { error: { code: 'page_error' } } }), {
    ...current,
    lighthouse: { error: { code: 'page_error' } },
  });
});

test('answers of this version are unchanged, whatever their texts contain', () => {
  for (const value of [{ ...currentSide, warnings: ['"machine_id": "x"'] }, { url: 'x', error: {} }, currentSide]) {
    const text = JSON.stringify(value);
    assert.equal(toCurrentNames(text), text);
  }
});
