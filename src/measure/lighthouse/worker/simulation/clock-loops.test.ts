import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clockWaitOf, findClockScripts } from './clock-loops.ts';

const file = 'https://page.test/app.js';
const source = (text: string, url = file, scriptId = 1) =>
  [{ url }, { sourceText: text }].map(data => ({
    name: 'ScriptCatchup',
    args: { data: { isolate: '1', scriptId, ...data } },
  }));
const isClocked = (text: string): boolean => findClockScripts({ traceEvents: source(text) }).has(file);

test('loops that end at a time are found', () => {
  const loops = [
    'const end = performance.now() + 800; while (performance.now() < end) {}',
    'let t=Date.now();for(;Date.now()-t<300;);',
    'for (const start = Date.now(); Date.now() - start < 300; ) sum += 1;',
    'do { work(); } while (new Date() - start < 200);',
    'while (new Date().getTime() < end);',
    'while (true) { if (performance.now() - start > 300) break; }',
    'for (;;) { const now = Date.now(); if (now > end) break; }',
    'const now = () => performance.now(); while (now() < end) spin();',
  ];
  for (const loop of loops) assert.ok(isClocked(loop), loop);
});

test('scripts that only read the time do not loop until a time', () => {
  const others = [
    'const start = Date.now(); for (let at = 0; at < 1e7; at += 1) sum += at; report(Date.now() - start);',
    'while(r--)e[r]=t[r];return Date.now()-s',
    'for(i=0;i<n;i++)times.push(Date.now())',
    'while (queue.length) queue.shift()(); const later = new Date();',
    'while (true) { if (done()) break; } performance.now();',
    'for (const now of list) now();',
  ];
  for (const other of others) assert.ok(!isClocked(other), other);
});

test('a source belongs to the script of its id', () => {
  const [url] = source('', 'https://page.test/other.js', 2);
  const [, text] = source('while (Date.now() < end);', file, 2);
  const events = [...source('let a = 1;'), url, text].filter(event => event !== undefined);
  assert.deepEqual([...findClockScripts({ traceEvents: events })], ['https://page.test/other.js']);
});

const clocked = new Set([file]);
const run = (name: string, ts: number, dur: number, tdur: number, url?: string) => ({
  name,
  ts,
  dur,
  tdur,
  args: { data: { url } },
});

test('only waits of these scripts count, nested runs once', () => {
  const events = [
    run('EvaluateScript', 0, 800, 300, file),
    run('FunctionCall', 10, 700, 250, file),
    run('FunctionCall', 900, 100, 40, 'https://page.test/other.js'),
    run('Layout', 1000, 100, 10),
  ];
  assert.equal(clockWaitOf(events, clocked), 500);
  assert.equal(clockWaitOf(events, new Set()), 0);
});

test('code after a promise counts if the task ran no file', () => {
  const microtasks = run('RunMicrotasks', 0, 500, 100);
  assert.equal(clockWaitOf([microtasks], clocked), 400);
  const other = run('FunctionCall', 0, 600, 200, 'https://page.test/other.js');
  assert.equal(clockWaitOf([other, microtasks], clocked), 0);
});
