import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildResult } from '../../../test/web/reports.ts';
import { toFrames } from './filmstrip.ts';

const withItems = (items: unknown) =>
  buildResult({
    lighthouse_result: { audits: { 'screenshot-thumbnails': { details: { type: 'filmstrip', items } } } },
  });

const picture = 'data:image/jpeg;base64,/9j/4AAQ==';

test('frames come in the order of time', () => {
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

test('only pictures that carry their bytes are shown: nothing is fetched for a page under test', () => {
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

test('without a whole result there are none', () => {
  assert.deepEqual(toFrames(buildResult()), []);
  assert.deepEqual(toFrames(withItems('none')), []);
});
