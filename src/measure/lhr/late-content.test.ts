import assert from 'node:assert/strict';
import { test } from 'node:test';
import jpeg from 'jpeg-js';
import { buildAudit, buildMeasuredLhr } from '../../../test/support/builders/lhr.ts';
import { findLateContent } from './late-content.ts';

const width = 200;
const height = 400;

/** What a row of the view shows: text, a plain ground, the grey bars of a skeleton, a picture, a dark layer over text. */
type Look = 'text' | 'blank' | 'bars' | 'picture' | 'dimmed';

const inks: Readonly<Record<Look, (x: number, y: number) => number>> = {
  text: (x, y) => ((x * 7 + y * 13) % 11 < 4 ? 60 : 255),
  blank: () => 255,
  bars: (_, y) => (y % 20 < 12 ? 230 : 255),
  picture: (x, y) => (x * y) % 256,
  dimmed: (x, y) => ((x * 7 + y * 13) % 11 < 4 ? 24 : 102),
};

/** A picture of a view, from above: each look has an equal part of it. */
function draw(...looks: Look[]): string {
  const data = Buffer.alloc(4 * width * height, 255);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const look = looks[Math.floor((y * looks.length) / height)] ?? 'blank';
      data.fill(inks[look](x, y), 4 * (y * width + x), 4 * (y * width + x) + 3);
    }
  return `data:image/jpeg;base64,${jpeg.encode({ width, height, data }, 80).data.toString('base64')}`;
}

const stepMs = 375;

type Load = {
  frames: readonly unknown[];
  paintMs?: number;
  lastMs?: number;
  reportedMs?: number;
  requests?: readonly unknown[];
};

/** Eight frames, as Lighthouse writes them; the first picture stands for all before it. */
const load = ({ frames, paintMs = 300, lastMs = 2600, reportedMs = 900, requests = [] }: Load) =>
  buildMeasuredLhr({
    audits: [
      buildAudit('screenshot-thumbnails', {
        details: { items: frames.map((data, at) => ({ timing: (at + 1) * stepMs, data })) },
      }),
      buildAudit('metrics', {
        details: { items: [{ observedLargestContentfulPaint: paintMs, observedLastVisualChange: lastMs }] },
      }),
      buildAudit('largest-contentful-paint', { numericValue: reportedMs }),
      buildAudit('network-requests', { details: { items: requests } }),
      buildAudit('lcp-breakdown-insight', {
        details: {
          items: [
            { type: 'table', items: [] },
            { type: 'node', selector: 'body > footer' },
          ],
        },
      }),
    ],
  });

/** The first picture until the given frame, then the second. */
const change = (before: string, after: string, at = 6) => [...Array(at).fill(before), ...Array(8 - at).fill(after)];
const find = (frames: readonly unknown[], fields: Omit<Load, 'frames'> = {}) =>
  findLateContent(load({ frames, ...fields }));

const full = draw('text', 'text', 'text', 'text');
const heading = draw('text', 'blank', 'blank', 'blank');

test('content that fills the view long after the largest paint is late, with its time and the timed element', () => {
  assert.deepEqual(find(change(heading, full)), {
    appeared_ms: 2600,
    filled_before: 25,
    largest_paint: 'body > footer',
  });
  assert.equal(find(change(heading, full, 5), { lastMs: 2900 })?.appeared_ms, 2250, 'a later change is another one');
});

test('gray placeholders are not content', () => {
  assert.equal(find(change(draw('text', 'bars', 'bars', 'bars'), full))?.appeared_ms, 2600);
});

test('content in the middle of a page with a heading and a footer is late', () => {
  const frame = draw('text', 'blank', 'blank', 'blank', 'text');
  assert.equal(find(change(frame, draw('text', 'text', 'picture', 'text', 'text')))?.filled_before, 40);
});

test('a page that is complete and then changes is not late', () => {
  const changes: Readonly<Record<string, readonly [string, string]>> = {
    'a banner over its lower half': [full, draw('text', 'text', 'blank', 'text')],
    'a layer over all of it': [full, draw('dimmed', 'text', 'text', 'dimmed')],
    'a picture in place of another one': [draw('picture', 'text'), draw('text', 'text')],
    'an advertisement in a place of its own': [
      draw('text', 'blank', 'text', 'text'),
      draw('text', 'picture', 'text', 'text'),
    ],
    'text that goes': [full, heading],
    'a page with little on it': [draw('blank', 'blank', 'blank'), draw('blank', 'blank', 'blank')],
  };
  for (const [name, [before, after]] of Object.entries(changes))
    assert.equal(find(change(before, after)), undefined, name);
});

test('a small part of the view that comes late is not the main content', () => {
  const blank: Look[] = Array(9).fill('blank');
  assert.equal(find(change(draw('blank', ...blank), draw('text', ...blank))), undefined);
});

test('content that comes with the largest paint, or soon after it, is not late', () => {
  assert.equal(find(change(heading, full), { paintMs: 2500 }), undefined);
  assert.equal(find(change(heading, full, 3), { lastMs: 1200 }), undefined);
  assert.equal(find(change(heading, full), { reportedMs: 3000 }), undefined, 'the score contains the wait');
});

test('content that waits for a slow answer is late if the simulation paints before it', () => {
  const blank = draw('blank', 'blank', 'blank', 'blank');
  const slow = { networkRequestTime: 20, networkEndTime: 2480 };
  const late = { appeared_ms: 2600, filled_before: 0, largest_paint: null };
  assert.deepEqual(
    find(change(blank, full), { paintMs: 2500, requests: [{ ...slow, networkEndTime: 90 }, slow] }),
    late,
  );
  for (const [why, request, reportedMs] of [
    ['it came long before', { ...slow, networkEndTime: 1400 }, 900],
    ['it came after the paint', { ...slow, networkEndTime: 2550 }, 900],
    ['it was fast', { ...slow, networkRequestTime: 1600 }, 900],
    ['the times are unknown', {}, 900],
    ['the simulation waits for it, too', slow, 1600],
  ] as const)
    assert.equal(find(change(blank, full), { paintMs: 2500, reportedMs, requests: [request] }), undefined, why);
});

test('a filmstrip of another shape is ignored', () => {
  for (const frames of [
    [],
    Array(33).fill(full),
    [null],
    [7, full],
    change('data:image/png;base64,AAAA', full),
    change(heading, 'x'),
  ])
    assert.equal(find(frames), undefined);
  assert.equal(find(change(draw('text'), 'data:image/jpeg;base64,AAAA')), undefined);
  assert.equal(findLateContent(buildMeasuredLhr()), undefined);
});
