import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildResult } from '../../../test/web/reports.ts';
import { framesAt, sharedTimes, toFrames, toPaints } from './filmstrip.ts';

const withItems = (items: unknown) =>
  buildResult({
    lighthouse_result: { audits: { 'screenshot-thumbnails': { details: { type: 'filmstrip', items } } } },
  });

const picture = 'data:image/jpeg;base64,/9j/4AAQ==';

test('frames are in order of time', () => {
  const frames = toFrames(
    withItems([
      { timing: 750, data: picture },
      { timing: 375, data: picture },
    ]),
  );
  assert.deepEqual(
    frames.map(({ atMs }) => atMs),
    [375, 750],
  );
});

test('only embedded pictures are shown: nothing is fetched from a page under test', () => {
  const wrong = [
    'https://example.com/x.png',
    'data:image/svg+xml;base64,AAAA',
    'data:text/html,x',
    `${picture}"><script>`,
    7,
    null,
  ];
  assert.deepEqual(toFrames(withItems(wrong.map(data => ({ timing: 1, data })))), []);
});

test('without a full result there are no frames', () => {
  assert.deepEqual(toFrames(buildResult()), []);
  assert.deepEqual(toFrames(withItems('none')), []);
});

const frame = (atMs: number) => ({ atMs, source: `${picture}${atMs}` });

test('loads of different lengths share their times, and the shorter one keeps its last picture', () => {
  const [short, long] = [
    [frame(400), frame(800)],
    [frame(500), frame(1600)],
  ];
  const times = sharedTimes([short, long]);
  assert.deepEqual(times, [200, 400, 600, 800, 1000, 1200, 1400, 1600]);
  const shown = framesAt(short, [], times).map(({ source }) => source);
  assert.deepEqual(shown, [undefined, frame(400).source, frame(400).source, ...Array(5).fill(frame(800).source)]);
  assert.deepEqual(sharedTimes([[], []]), []);
});

test('a paint is at the first picture that shows it, and one after the last picture at the last', () => {
  const paints = [
    { name: 'fcp', atMs: 400 },
    { name: 'lcp', atMs: 401 },
    { name: 'complete', atMs: 9000 },
  ] as const;
  const marks = framesAt([frame(400), frame(800)], paints, [400, 800]).map(entry => entry.paints);
  assert.deepEqual(marks, [['fcp'], ['lcp', 'complete']]);
});

test('paints are the observed ones, as far as Lighthouse reports them', () => {
  const items = [
    { observedFirstContentfulPaint: 420, observedLargestContentfulPaint: 'x', firstContentfulPaint: 1900 },
  ];
  assert.deepEqual(toPaints({ audits: { metrics: { details: { type: 'debugdata', items } } } }), [
    { name: 'fcp', atMs: 420 },
  ]);
  assert.deepEqual(toPaints({}), []);
});
