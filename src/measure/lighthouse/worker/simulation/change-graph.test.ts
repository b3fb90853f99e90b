import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as Lantern from 'lighthouse/core/lib/lantern/lantern.js';
import type { PageChanges } from '../../messages.ts';
import { changeGraph } from './change-graph.ts';

/** test/local/change-graph.test.ts uses artifacts of a real load. */

const { CPUNode, NetworkNode } = Lantern.Graph;
const origin = 'http://page.test';

const request = (name: string, resourceType: string, transferSize = 1000) => {
  const fields = { requestId: name, url: `${origin}/${name}`, resourceType, transferSize };
  return new NetworkNode({ ...fields, rendererStartTime: 0, networkEndTime: 1 } as never);
};
let at = 0;
/** A task that spends these microseconds in each script, and some outside scripts. */
const task = (own: number, scripts: Readonly<Record<string, number>>) => {
  at += 1_000_000;
  let ts = at + own;
  const children = Object.entries(scripts).map(([name, dur]) => {
    const event = { name: 'EvaluateScript', ts, dur, args: { data: { url: `${origin}/${name}` } } };
    ts += dur;
    return event;
  });
  return new CPUNode({ name: 'RunTask', tid: 1, ts: at, dur: ts - at, args: {} } as never, children as never);
};

/**
 * A graph in which the document requests an image, two scripts and a style sheet. `ads.js` sends a beacon; `app.js`
 * requests `more.js`. One task runs parts of both scripts.
 */
function build() {
  const [document, picture, ads, app] = [
    request('', 'Document'),
    request('hero.png', 'Image', 3_000_000),
    request('ads.js', 'Script'),
    request('app.js', 'Script'),
  ];
  const [beacon, more, sheet] = [
    request('beacon', 'Ping'),
    request('more.js', 'Script'),
    request('a.css', 'Stylesheet'),
  ];
  const [adsTask, appTask, mixedTask] = [
    task(100, { 'ads.js': 250_000 }),
    task(100, { 'app.js': 50_000 }),
    task(1000, { 'ads.js': 30_000, 'app.js': 60_000 }),
  ];
  for (const node of [picture, ads, app, sheet]) node.addDependency(document);
  beacon.addDependency(ads);
  more.addDependency(app);
  for (const node of [adsTask, mixedTask]) node.addDependency(ads);
  for (const node of [appTask, mixedTask]) node.addDependency(app);
  return { document, picture, ads, app, beacon, more, sheet, adsTask, appTask, mixedTask };
}

const toChanges = (changes: Partial<Record<keyof PageChanges, unknown>>): PageChanges =>
  ({ without: [], transferSizes: {}, scriptShares: {}, ...changes }) as PageChanges;
const namesIn = (root: ReturnType<typeof request>) => {
  const names: string[] = [];
  root.traverse(node => {
    if (node instanceof NetworkNode) names.push(node.request.requestId);
  });
  return names.toSorted();
};

test('a picture gets the size that the other load had, in this graph only', () => {
  const { document, picture } = build();
  const { request: before } = picture;
  assert.ok(changeGraph(document, toChanges({ transferSizes: { [`${origin}/hero.png`]: 180_000 } })));
  assert.equal(picture.request.transferSize, 180_000);
  assert.equal(before.transferSize, 3_000_000, 'the request of the load itself stays as it is');
});

test('a file is found without its query, unless two requests differ only in it', () => {
  const versioned = (...queries: readonly string[]) => {
    const document = request('', 'Document');
    const scripts = queries.map(query => request(`lib.js?${query}`, 'Script', 9000));
    for (const node of scripts) node.addDependency(document);
    const isChanged = changeGraph(document, toChanges({ transferSizes: { [`${origin}/lib.js`]: 300 } }));
    return [isChanged, ...scripts.map(node => node.request.transferSize)];
  };
  assert.deepEqual(versioned('v=1'), [true, 300]);
  assert.deepEqual(versioned('v=1', 'v=2'), [false, 9000, 9000]);
});

test('removing a script removes its beacon and its work, and the rest of a task stays', () => {
  const { document, adsTask, appTask, mixedTask, app } = build();
  const before = adsTask.event;
  assert.ok(changeGraph(document, toChanges({ without: [`${origin}/ads.js`] })));
  assert.deepEqual(namesIn(document), ['', 'a.css', 'app.js', 'hero.png', 'more.js']);
  assert.deepEqual(
    [adsTask, appTask, mixedTask].map(({ duration }) => duration),
    [100, 50_100, 61_000],
  );
  assert.equal(before.dur, 250_100, 'the event of the trace stays as it is');
  assert.deepEqual(adsTask.getDependencies(), [document], 'its task still waits for the document');
  assert.deepEqual(new Set(mixedTask.getDependencies()), new Set([app, document]));
});

test("a script that did part of a task's work has that share", () => {
  const { document, appTask, mixedTask } = build();
  assert.ok(changeGraph(document, toChanges({ scriptShares: { [`${origin}/app.js`]: 0.1 } })));
  assert.deepEqual(
    [appTask, mixedTask].map(({ duration }) => duration),
    [5_100, 37_000],
  );
});

test('a task that waited for a CPU takes as long as its thread was running', () => {
  const [waited, unknown] = [{ tdur: 40_000 }, {}].map(
    (times, index) =>
      new CPUNode(
        { name: 'RunTask', tid: 1, ts: 10_000 + index, dur: 90_000, args: {}, ...times } as never,
        [] as never,
      ),
  );
  assert.ok(waited && unknown);
  const { document } = build();
  for (const node of [waited, unknown]) node.addDependency(document);
  assert.ok(changeGraph(document, toChanges({ withoutWait: true })));
  assert.deepEqual([waited.duration, unknown.duration], [40_000, 90_000]);
});

test('a task keeps the wait of a loop that ends at a time', () => {
  const url = `${origin}/app.js`;
  const loop = { name: 'EvaluateScript', ts: 10_000, dur: 80_000, tdur: 20_000, args: { data: { url } } };
  const event = { name: 'RunTask', tid: 1, ts: 10_000, dur: 90_000, tdur: 25_000, args: {} };
  const looping = new CPUNode(event as never, [loop] as never);
  const { document } = build();
  looping.addDependency(document);
  assert.ok(changeGraph(document, toChanges({ withoutWait: true }), { clocked: new Set([url]) }));
  assert.equal(looping.duration, 85_000);
});

test('nested calls of one script count once', () => {
  const inner = { name: 'FunctionCall', ts: 10_100, dur: 4_000, args: { data: { url: `${origin}/ads.js` } } };
  const outer = { name: 'EvaluateScript', ts: 10_000, dur: 9_000, args: { data: { url: `${origin}/ads.js` } } };
  const nested = new CPUNode(
    { name: 'RunTask', tid: 1, ts: 10_000, dur: 10_000, args: {} } as never,
    [outer, inner] as never,
  );
  const { document, ads } = build();
  nested.addDependency(ads);
  assert.ok(changeGraph(document, toChanges({ without: [`${origin}/ads.js`] })));
  assert.equal(nested.duration, 1000);
});

test('nothing is changed if other work depends on it', () => {
  const refused: [string, Partial<Record<keyof PageChanges, unknown>>][] = [
    ['a script that asked for another one', { without: [`${origin}/app.js`] }],
    ['a style sheet', { without: [`${origin}/a.css`] }],
    ['the document', { without: [`${origin}/`] }],
    ['what is not in this load', { without: [`${origin}/other.js`] }],
    ['a size of what is not in this load', { transferSizes: { [`${origin}/other.png`]: 1 } }],
    ['one of two', { without: [`${origin}/ads.js`, `${origin}/app.js`] }],
  ];
  for (const [what, changes] of refused) {
    const { document, adsTask, picture } = build();
    const all = namesIn(document);
    assert.equal(changeGraph(document, toChanges(changes)), false, what);
    assert.deepEqual(namesIn(document), all, what);
    assert.deepEqual([adsTask.duration, picture.request.transferSize], [250_100, 3_000_000], what);
  }
});

test('removing a script removes the one that it requested, if the other load had neither', () => {
  const { document } = build();
  assert.ok(changeGraph(document, toChanges({ without: [`${origin}/app.js`, `${origin}/more.js`] })));
  assert.deepEqual(namesIn(document), ['', 'a.css', 'ads.js', 'beacon', 'hero.png']);
});

test('two requests for one URL are not distinguished', () => {
  const { document } = build();
  const again = request('hero.png', 'Image');
  again._id = 'another request';
  again.addDependency(document);
  assert.equal(changeGraph(document, toChanges({ transferSizes: { [`${origin}/hero.png`]: 1 } })), false);
});

test('script without a file gets shorter, and the work of files stays', () => {
  const microtasks = { name: 'RunMicrotasks', ts: 5_000_100, dur: 600_000, args: {} };
  const inner = { name: 'FunctionCall', ts: 5_000_200, dur: 500_000, args: { data: {} } };
  const nameless = new CPUNode(
    { name: 'RunTask', tid: 1, ts: 5_000_000, dur: 600_200, args: {} } as never,
    [microtasks, inner] as never,
  );
  const { document, app, appTask } = build();
  nameless.addDependency(app);
  assert.ok(changeGraph(document as never, toChanges({ namelessShare: 0.1 })));
  assert.equal(nameless.duration, 600_200 - 540_000);
  assert.equal(appTask.duration, 50_100);
});
