import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { startLane } from '../web/progress.ts';
import type { Job, Measured } from './jobs.ts';
import { createPaint } from './paint.ts';
import { showProgress } from './show-progress.ts';

const lane = { ...startLane({ source: 'lighthouse', strategy: 'mobile' }), isTold: true };
const job: Job = {
  ...{ index: 0, url: 'http://a/', strategy: 'mobile' },
  call: { method: 'GET', path: 'lighthouse', lanes: [lane] },
};
const failed: Measured = { job, body: undefined, result: undefined, trouble: { kind: 'cut' } };

/** What is written for three tellings, two of which say the same, and the end. */
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

test('without a terminal there is a line for each change, and none for what stays the same', () => {
  assert.deepEqual(steps(write({})), ['Loading the page', 'Gathering', 'Failed']);
});

test('a terminal without a size gets lines too', () => {
  assert.equal(steps(write({ isTTY: true, columns: 0, rows: 0 })).length, 3);
  assert.equal(steps(write({ isTTY: true, columns: 80, rows: 24 })).length, 0);
});

test('quiet is nothing at all', () => {
  assert.equal(write({}, true), '');
  assert.equal(write({ isTTY: true, columns: 80, rows: 24 }, true), '');
});
