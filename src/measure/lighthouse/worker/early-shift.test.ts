import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toEarlyShift } from './early-shift.ts';

const frame = 'F1';

const event = (name: string, ts: number, data: object = {}, of = frame) => ({
  name,
  cat: 'blink.user_timing,loading,devtools.timeline',
  ph: 'I',
  pid: 20,
  tid: 21,
  ts: ts * 1_000,
  args: { frame: of, data: { frame: of, ...data } },
});
const started = [
  event('TracingStartedInBrowser', 0, { frames: [{ frame, processId: 20, url: 'about:blank', name: '' }] }),
  { ...event('thread_name', 0), cat: '__metadata', ph: 'M', args: { name: 'CrRendererMain' } },
  event('FrameCommittedInBrowser', 0, {
    frame: 'F2',
    parent: frame,
    processId: 20,
    url: 'https://ads.example/',
    name: '',
  }),
];
const navigated = (ts: number, documentLoaderURL = 'https://example.com/') =>
  event('navigationStart', ts, {
    documentLoaderURL,
    navigationId: 'N1',
    isLoadingMainFrame: true,
    isOutermostMainFrame: true,
  });
const url = 'https://example.com/';
const parsed = (
  ts: number,
  of = frame,
  { durUs = 60, ...begun }: { durUs?: number; url?: string; stackTrace?: object[] } = {},
) => ({
  ...event('ParseHTML', ts),
  ph: 'X',
  dur: durUs,
  args: { beginData: { frame: of, url, ...begun } },
});
const received = (ts: number, requestId = 'N1') => event('ResourceReceivedData', ts, { requestId });
const painted = (ts: number, of = frame) => event('Paint', ts, {}, of);
const shift = (ts: number, weighted_score_delta: number, fields: object = {}, of = frame) =>
  event(
    'LayoutShift',
    ts,
    { is_main_frame: of === frame, had_recent_input: false, weighted_score_delta, ...fields },
    of,
  );

const read = (...events: object[]) => toEarlyShift({ traceEvents: [...started, ...events] as never });

test('shifts count until the whole HTML is painted', () => {
  const events = [navigated(1), painted(2), shift(3, 0.5), painted(4), parsed(5)];
  assert.equal(read(...events, shift(6, 0.25), painted(7), shift(8, 0.125)), 0.75);
  assert.equal(read(...events, shift(6, 0.25), painted(6, 'F2')), 0.75);
  assert.equal(read(navigated(1), parsed(4), painted(5), shift(6, 0.125)), 0);
});

test('a shift long after the end of the HTML has another cause, even if nothing was painted in between', () => {
  assert.equal(read(navigated(1), painted(2), parsed(5), shift(90, 0.5), painted(91)), 0.5);
  assert.equal(read(navigated(1), painted(2), parsed(5), shift(110, 0.5), painted(111)), 0);
});

test('the end of an answer that stayed open is not a part of the HTML, and HTML that a script inserts is not either', () => {
  const events = [navigated(1), received(2), parsed(3), painted(4), shift(5, 0.5)];
  assert.equal(read(...events, parsed(7, frame, { durUs: 10 }), painted(8)), 0);
  assert.equal(read(...events, received(6, 'N2'), parsed(7, frame, { durUs: 10 }), painted(8)), 0, 'of another file');
  assert.equal(read(...events, parsed(7, frame, { stackTrace: [] }), painted(8)), 0);
  assert.equal(read(...events, received(6), parsed(7, frame, { durUs: 10 }), painted(8)), 0.5);
  assert.equal(read(...events, parsed(7), painted(8)), 0.5, 'received before, and parsed after a script');
});

test('only what the metric counts is early: the worst burst, without shifts after input', () => {
  const events = [navigated(1), shift(2, 0.25), parsed(3), painted(4)];
  assert.equal(read(...events, shift(2_000, 0.75)), 0, 'another burst is the metric');
  assert.equal(read(...events, shift(2_000, 0.125)), 0.125, 'without the first burst, the second would be the metric');
  assert.equal(read(navigated(1), shift(600, 0.5, { had_recent_input: true }), parsed(601), painted(602)), 0);
});

test('the empty document before the page is not the page', () => {
  assert.equal(read(navigated(1), parsed(2), painted(3), shift(4, 0.5), parsed(5, frame, { url: '' })), 0);
});

test('only the main frame counts', () => {
  assert.equal(read(navigated(1), shift(2, 0.5, {}, 'F2'), parsed(3, 'F2'), shift(4, 0.25), parsed(5)), 0.25);
});

test('a trace that lacks the data has no early shift', () => {
  assert.equal(read(navigated(1), shift(2, 0.5)), 0, 'the HTML was never parsed to its end');
  assert.equal(read(shift(2, 0.5), parsed(3)), 0);
  assert.equal(toEarlyShift({ traceEvents: [] }), 0);
});
