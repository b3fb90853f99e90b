import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Trace, toWaitedMs } from './processor-wait.ts';

type TraceEvent = Trace['traceEvents'][number];

const page = { pid: 20, tid: 21 };
const frame = 'F1';

const event = (name: string, fields: Record<string, unknown> = {}): TraceEvent =>
  ({ ...{ name, cat: 'devtools.timeline', ph: 'X', args: {}, ts: 1_000 }, ...page, ...fields }) as TraceEvent;

/** A task that took so many milliseconds, of which its thread was running so many. */
const task = (startMs: number, tookMs: number, ranMs: number | undefined, fields: object = {}): TraceEvent =>
  event('RunTask', {
    cat: 'disabled-by-default-lighthouse',
    ts: startMs * 1_000,
    dur: tookMs * 1_000,
    ...(ranMs === undefined ? {} : { tdur: ranMs * 1_000 }),
    ...fields,
  });

const frames = [
  event('TracingStartedInBrowser', {
    pid: 10,
    args: { data: { persistentIds: true, frames: [{ frame, url: 'about:blank', processId: 20, name: '' }] } },
  }),
  event('FrameCommittedInBrowser', {
    pid: 10,
    args: { data: { frame, url: 'https://example.com/', processId: 20, name: '' } },
  }),
  event('thread_name', { cat: '__metadata', ph: 'M', ts: 0, args: { name: 'CrRendererMain' } }),
];
const read = (tasks: TraceEvent[]) => toWaitedMs({ traceEvents: [...frames, ...tasks] });

test('what tasks took and did not run is waited', () => {
  assert.equal(read([task(10, 5, 4), task(20, 30, 10)]), 21);
  assert.equal(read([task(10, 5, 5)]), 0);
  assert.equal(read([task(10, 5, 5.2)]), 0, 'two clocks are never quite the same');
});

test('only tasks of the main thread of the page are read', () => {
  const others = [
    task(200, 60, 20, { tid: 22 }),
    task(200, 60, 20, { pid: 30 }),
    task(200, 60, 20, { name: 'FunctionCall' }),
  ];
  assert.equal(read([task(200, 60, 50), ...others]), 10);
});

test('a trace that does not say is none', () => {
  assert.equal(read([task(200, 60, undefined)]), undefined);
  assert.equal(read([]), undefined);
  assert.equal(toWaitedMs({ traceEvents: [task(200, 60, 20)] }), undefined);
});
