import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toEarlyShift } from './early-shift.ts';

const frame = 'F1';

const event = (name: string, ts: number, data: object = {}, of = frame) => ({
  name,
  cat: 'blink.user_timing',
  ts,
  args: { frame: of, data },
});
const started = event('TracingStartedInBrowser', 0, { frames: [{ frame, processId: 20 }] }, 'F0');
const navigated = (ts: number, documentLoaderURL = 'https://example.com/') =>
  event('navigationStart', ts, { documentLoaderURL });
const parsed = (ts: number, of = frame) => event('domInteractive', ts, {}, of);
const painted = (ts: number, of = frame) => ({ ...event('Paint', ts), args: { data: { frame: of } } });
const shift = (ts: number, weighted_score_delta: number, of = frame) =>
  event('LayoutShift', ts, { is_main_frame: true, weighted_score_delta }, of);

const read = (...events: object[]) => toEarlyShift({ traceEvents: [started, ...events] as never });

test('shifts count from the navigation until the whole HTML is painted', () => {
  const events = [navigated(1), painted(2), shift(3, 0.5), painted(4), parsed(5)];
  assert.equal(read(...events, shift(6, 0.25), painted(7), shift(8, 0.125)), 0.75);
  assert.equal(read(...events, shift(6, 0.25), painted(6, 'F2')), 0.75);
  assert.equal(read(navigated(1), parsed(4), painted(5), shift(6, 0.125)), 0);
});

test('a shift long after the end of the HTML has another cause, even if nothing was painted in between', () => {
  assert.equal(read(navigated(1), painted(2), parsed(5), shift(90_000, 0.5), painted(90_001)), 0.5);
  assert.equal(read(navigated(1), painted(2), parsed(5), shift(110_000, 0.5), painted(110_001)), 0);
});

test('the empty document before the page is not the page', () => {
  assert.equal(read(navigated(1), navigated(2, ''), parsed(3), shift(4, 0.5), parsed(5), painted(6)), 0.5);
});

test('the order of events in a trace does not matter', () => {
  assert.equal(read(shift(6, 0.125), painted(5), parsed(4), shift(2, 0.5), navigated(1)), 0.5);
});

test('only the main frame and its last navigation count', () => {
  assert.equal(read(navigated(1), shift(2, 0.5, 'F2'), parsed(3, 'F2'), shift(4, 0.25), parsed(5)), 0.25);
  assert.equal(read(navigated(1), shift(2, 0.5), navigated(3), shift(4, 0.25), parsed(5)), 0.25);
  assert.equal(read(navigated(1), shift(2, 0.5), parsed(3), navigated(4, 'about:blank')), 0.5);
});

test('a trace that lacks the data has no early shift', () => {
  assert.equal(read(navigated(1), shift(2, 0.5)), 0, 'the HTML was never parsed to its end');
  assert.equal(read(shift(2, 0.5), parsed(3)), 0);
  assert.equal(toEarlyShift({ traceEvents: [navigated(1), shift(2, 0.5), parsed(3)] as never }), 0);
  assert.equal(toEarlyShift({ traceEvents: [] }), 0);
});
