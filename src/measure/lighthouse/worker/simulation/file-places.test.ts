import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as Lantern from 'lighthouse/core/lib/lantern/lantern.js';
import { type FilePlace, filePlaces } from '../../../../contract/result/load-facts.ts';
import { forgetLateParsing, moveTo, toFirstRuns, toPlace } from './file-places.ts';

const { CPUNode, NetworkNode } = Lantern.Graph;
/** Trace times count from the start of the browser, long before the load. */
const startMs = 600_000;
const paints = { first: 1000 * (startMs + 100), largest: 1000 * (startMs + 200) };

const file = (fromMs: number, toMs: number) =>
  new NetworkNode({
    requestId: 'a',
    url: 'http://page.test/a.js',
    resourceType: 'Script',
    priority: 'Low',
    rendererStartTime: startMs + fromMs,
    networkEndTime: startMs + toMs,
  } as never);
const run = (fromMs: number) =>
  new CPUNode(
    { name: 'RunTask', tid: 1, ts: 1000 * (startMs + fromMs), dur: 5000, args: {} } as never,
    [{ name: 'EvaluateScript', args: { data: { url: 'http://page.test/a.js' } } }] as never,
    1000 * (startMs + fromMs) + 5000,
  );

test('a file precedes the paints that follow its end, and a script also those that follow its run', () => {
  assert.equal(toPlace(file(10, 99), undefined, paints), 'first');
  assert.equal(toPlace(file(10, 101), undefined, paints), 'largest');
  assert.equal(toPlace(file(10, 201), undefined, paints), 'after');
  assert.equal(toPlace(file(10, 50), run(60), paints), 'first');
  assert.equal(toPlace(file(10, 50), run(150), paints), 'largest');
  assert.equal(toPlace(file(10, 50), run(250), paints), 'after');
  assert.equal(toPlace(file(10, 99), undefined, { first: paints.first, largest: null }), 'first');
  assert.equal(toPlace(file(10, 150), undefined, { first: paints.first, largest: null }), 'after');
});

test('only the first run of a script counts', () => {
  const [late, early] = [run(300), run(60)];
  assert.deepEqual([...toFirstRuns([late, early])], [['http://page.test/a.js', early]]);
});

test('a file is moved from any position to any other', () => {
  const starts: [number, number, number?][] = [
    ...([
      [10, 50],
      [10, 150],
      [10, 300],
      [120, 150],
      [250, 300],
    ] as [number, number][]),
    ...([
      [10, 50, 60],
      [10, 50, 150],
      [10, 50, 250],
      [250, 300, 310],
    ] as [number, number, number][]),
  ];
  for (const [from, to, runs] of starts)
    for (const place of filePlaces) {
      const [node, task] = [file(from, to), runs === undefined ? undefined : run(runs)];
      moveTo(place, node, task, paints);
      assert.equal(toPlace(node, task, paints), place, `${from}–${to}, ${runs} to ${place}`);
      assert.ok(node.startTime <= node.endTime);
    }
});

test('a file in the right position is not moved', () => {
  for (const [from, to, place] of [
    [10, 50, 'first'],
    [10, 150, 'largest'],
    [10, 300, 'after'],
  ] as [number, number, FilePlace][]) {
    const node = file(from, to);
    const { request } = node;
    moveTo(place, node, undefined, paints);
    assert.equal(node.request, request);
  }
});

test('if both paints coincide, a file before the largest paint also precedes the first', () => {
  const one = { first: paints.first, largest: paints.first };
  const node = file(10, 150);
  moveTo('largest', node, undefined, one);
  assert.equal(toPlace(node, undefined, one), 'first');
});

test('a moved task keeps its duration', () => {
  const task = run(250);
  const { duration } = task;
  moveTo('first', file(10, 50), task, paints);
  assert.equal(task.duration, duration);
});

/** A task that parses, and runs scripts with these URLs. */
const parse = (fromMs: number, ...urls: readonly string[]) =>
  new CPUNode(
    { name: 'RunTask', tid: 1, ts: 1000 * (startMs + fromMs), dur: 5000, args: {} } as never,
    [
      { name: 'ParseHTML', args: {} },
      ...urls.map(url => ({ name: 'EvaluateScript', args: { data: { url } } })),
    ] as never,
  );
const remaining = (...tasks: ReturnType<typeof parse>[]) => {
  forgetLateParsing(tasks, 'http://page.test/');
  return tasks.map(({ childEvents }) => childEvents.map(({ name }) => name).join(' '));
};

test('if the task that parsed the document is missing, the paint does not wait for the script of another one', () => {
  assert.deepEqual(remaining(parse(60, 'http://page.test/a.js'), parse(90)), ['EvaluateScript', '']);
  const [own, other] = ['ParseHTML EvaluateScript', 'ParseHTML'];
  assert.deepEqual(remaining(parse(2), parse(60, 'http://page.test/a.js')), [other, own]);
  assert.deepEqual(remaining(parse(2, 'http://page.test/'), parse(60)), [own, other], 'an inline script');
  assert.deepEqual(remaining(), []);
});
