import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { startLane } from '../api-client/progress.ts';
import type { FinishedMeasurement, Measurement } from './measurements.ts';
import { showProgress } from './show-progress.ts';
import { createPaint } from './text/terminal/paint.ts';

const lane = { ...startLane({ source: 'lighthouse', strategy: 'mobile' }), isReported: true };
const job: Measurement = {
  index: 0,
  url: 'http://a/',
  strategy: 'mobile',
  call: { method: 'GET', path: 'lighthouse', lanes: [lane] },
};
const failed: FinishedMeasurement = { job, body: undefined, answer: undefined, failure: { kind: 'cut' } };

/** Returns the output for three stages and the end. */
function write(terminal: { isTTY?: boolean; columns?: number; rows?: number }, isQuiet = false): string {
  const stream = Object.assign(new PassThrough({ encoding: 'utf8' }), terminal);
  const progress = showProgress(stream, createPaint(false), [job], isQuiet);
  progress.tell(job, [{ ...lane, step: 2 }]);
  progress.tell(job, [{ ...lane, step: 2 }]);
  progress.tell(job, [{ ...lane, step: 3 }]);
  progress.end(failed);
  progress.stop();
  return (stream.read() as string | null) ?? '';
}

const steps = (text: string) => [...text.matchAll(/: ([A-Za-z ]+),/g)].map(([, step]) => step);

test('without a terminal, each page has one line, and its stages have none', () => {
  assert.deepEqual(steps(write({})), ['Failed']);
});

test('a terminal without a size gets a line, too', () => {
  assert.equal(steps(write({ isTTY: true, columns: 0, rows: 0 })).length, 1);
  assert.equal(steps(write({ isTTY: true, columns: 80, rows: 24 })).length, 0);
});

test('--quiet prints nothing', () => {
  assert.equal(write({}, true), '');
  assert.equal(write({ isTTY: true, columns: 80, rows: 24 }, true), '');
});
