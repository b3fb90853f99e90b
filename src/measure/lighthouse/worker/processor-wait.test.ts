import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Trace, toPaintWaitMs, toWaitedMs } from './processor-wait.ts';

type TraceEvent = Trace['traceEvents'][number];

const page = { pid: 20, tid: 21 };
const frame = 'F1';

const event = (name: string, fields: Record<string, unknown> = {}): TraceEvent =>
  ({ name, cat: 'devtools.timeline', ph: 'X', args: {}, ts: 1_000, ...page, ...fields }) as TraceEvent;

/** A task of this duration, during part of which its thread had a CPU, all in milliseconds. */
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

test('the wait of a task is its duration minus its CPU time', () => {
  assert.equal(read([task(10, 5, 4), task(20, 30, 10)]), 21);
  assert.equal(read([task(10, 5, 5)]), 0);
  assert.equal(read([task(10, 5, 5.2)]), 0, 'two clocks are never quite the same');
});

test("only tasks of the page's main thread are read", () => {
  const others = [
    task(200, 60, 20, { tid: 22 }),
    task(200, 60, 20, { pid: 30 }),
    task(200, 60, 20, { name: 'FunctionCall' }),
  ];
  assert.equal(read([task(200, 60, 50), ...others]), 10);
});

test('a loop that ends at a time is not longer because it waits', () => {
  const url = 'https://example.com/app.js';
  const data = { isolate: '1', scriptId: 7 };
  const scripts = [
    event('ScriptCatchup', { args: { data: { ...data, url } } }),
    event('ScriptCatchup', { args: { data: { ...data, sourceText: 'while (performance.now() < end);' } } }),
    event('EvaluateScript', { ts: 21_000, dur: 800_000, tdur: 300_000, args: { data: { url } } }),
  ];
  assert.equal(read([task(20, 805, 303), task(900, 30, 10)]), 522);
  assert.equal(read([...scripts, task(20, 805, 303), task(900, 30, 10)]), 22);
});

test('a trace without CPU times has no wait', () => {
  assert.equal(read([task(200, 60, undefined)]), undefined);
  assert.equal(read([]), undefined);
  assert.equal(toWaitedMs({ traceEvents: [task(200, 60, 20)] }), undefined);
});

const readPaint = (...events: TraceEvent[]) => toPaintWaitMs({ traceEvents: [...frames, ...events] }, 3_000_000);
const script = (startMs: number, tookMs: number, fields: object = {}): TraceEvent =>
  event('FunctionCall', {
    ts: startMs * 1_000,
    dur: tookMs * 1_000,
    args: { data: { url: 'https://example.com/app.js' } },
    ...fields,
  });

test('the wait of a paint ends with the last script before it', () => {
  assert.equal(readPaint(script(100, 50), script(800, 200)), 2000);
  assert.equal(readPaint(script(800, 200), script(2_990, 5)), 5, 'a timer reveals the page');
  assert.equal(readPaint(script(800, 200), script(2_990, 500)), 0, 'the script that reveals the page still runs');
  assert.equal(readPaint(script(800, 200), script(3_100, 5)), 2000, 'a script after the paint reveals nothing of it');
  assert.equal(readPaint(script(800, 200), script(2_990, 5, { tid: 22 })), 2000, 'another thread reveals nothing');
  assert.equal(
    readPaint(script(800, 200), script(2_990, 5, { args: { data: { url: '' } } })),
    2000,
    'ours is no script',
  );
  assert.equal(readPaint(task(100, 5, 5)), undefined, 'a trace without scripts does not say');
});
