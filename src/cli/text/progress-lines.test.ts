import assert from 'node:assert/strict';
import { test } from 'node:test';
import stringWidth from 'string-width';
import { startLane } from '../../api-client/progress.ts';
import { drawBar, drawProgress, type JobProgress, sayEnd, sayLanes } from './progress-lines.ts';
import { createPaint } from './terminal/paint.ts';

const plain = createPaint(false);
const lane = { ...startLane({ source: 'lighthouse', strategy: 'mobile' }), isReported: true, step: 3 };
const toJob = (facts: Partial<JobProgress> = {}): JobProgress => ({
  url: 'https://example.com/',
  strategy: 'mobile',
  lanes: [lane],
  begunMs: 1000,
  ended: undefined,
  ...facts,
});

test('one page is one line: time, URL, strategy and stage', () => {
  assert.deepEqual(drawProgress(plain, [toJob()], 13_000, 80), [
    ' 12\u00a0s  https://example.com/  mobile · Gathering',
  ]);
});

test('a bar is shown above several running pages', () => {
  const jobs = [toJob({ ended: 'well' }), toJob({ ended: 'badly' }), toJob(), toJob({ begunMs: undefined })];
  const lines = drawProgress(plain, jobs, 2000, 80);
  assert.equal(lines.length, 2);
  assert.equal(lines[0], `${'━'.repeat(12)}${'─'.repeat(12)} 2 of 4`);
});

test('a bar is empty at the start and full only at the end', () => {
  assert.match(drawBar(plain, 0, 100), /^─{24} /);
  assert.match(drawBar(plain, 99, 100), /─ 99 of 100$/);
  assert.match(drawBar(plain, 100, 100), /^━{24} /);
});

test('no line is wider than the terminal', () => {
  const long = `https://example.com/${'長'.repeat(200)}`;
  for (let columns = 30; columns < 160; columns += 1)
    for (const url of [long, 'https://example.com/'])
      for (const line of drawProgress(plain, [toJob({ url })], 5000, columns))
        assert.ok(stringWidth(line) < columns, `${stringWidth(line)} of ${columns}: ${line}`);
});

test('the stages of both sides are shown, and equal ones once', () => {
  const remote = { ...startLane({ source: 'psi', strategy: 'mobile' }), isReported: true, step: 2 };
  assert.equal(sayLanes([remote, lane]), 'Measuring · Gathering');
  assert.equal(sayLanes([lane, lane]), 'Gathering');
  assert.equal(sayLanes([startLane(lane)]), 'Sent');
});

test('a finished page is one line with its number', () => {
  assert.equal(sayEnd(toJob({ ended: 'well' }), 2, 3, 2000), '[2/3] https://example.com/ (mobile): Done, 1\u00a0s');
  assert.equal(sayEnd(toJob({ ended: 'badly' }), 1, 1, 2000), '[1/1] https://example.com/ (mobile): Failed, 1\u00a0s');
});
