import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toExceptionFacts } from './exception-facts.ts';

const ROOT = '/srv/rangelight/';

function thrownAt(...frames: string[]): Error {
  const error = new Error('broken');
  error.stack = ['Error: broken', ...frames.map(frame => `    at ${frame}`)].join('\n');
  return error;
}

function placeOf(...frames: string[]): string {
  const { file, line } = toExceptionFacts(thrownAt(...frames), ROOT);
  return `${file}:${line}`;
}

test('the location is that of the first frame, relative to the project', () => {
  const cases: [frame: string, place: string][] = [
    ['answer (file:///srv/rangelight/src/http/app.ts:12:7)', 'src/http/app.ts:12'],
    ['file:///srv/rangelight/src/main.ts:3:1', 'src/main.ts:3'],
    ['async file:///srv/rangelight/src/main.ts:3:1', 'src/main.ts:3'],
    ['async Object.run (/srv/rangelight/src/main.ts:3:1)', 'src/main.ts:3'],
    ['new Pool (file:///srv/rangelight/src/pool.ts:9:2)', 'src/pool.ts:9'],
    ['Object.get [as value] (file:///srv/rangelight/src/pool.ts:9:2)', 'src/pool.ts:9'],
    ['run (file:///srv/rangelight/src/a%20(copy)/b.ts:4:5)', 'src/a (copy)/b.ts:4'],
    ['run (node:internal/streams/readable:100:3)', 'node:internal/streams/readable:100'],
    ['run (file:///srv/rangelight/node_modules/fastify/lib/route.js:5:6)', 'node_modules/fastify/lib/route.js:5'],
  ];
  for (const [frame, place] of cases) assert.equal(placeOf(frame, 'later (/srv/rangelight/x.ts:1:1)'), place);
});

test('no path of the machine is shown', () => {
  assert.equal(placeOf('run (/home/someone/elsewhere/thing.js:5:6)'), 'thing.js:5');
  assert.equal(placeOf('run (/opt/lib/node_modules/fastify/fastify.js:5:6)'), 'node_modules/fastify/fastify.js:5');
  assert.equal(placeOf('run (file://%zz/secret/bad.js:5:6)'), 'bad.js:5');
  assert.doesNotMatch(placeOf('eval (eval at run (file:///home/someone/a.ts:1:1), <anonymous>:1:1)'), /home/);
  const { frames } = toExceptionFacts(
    thrownAt('run (file:///srv/rangelight/src/a.ts:1:2)', '/home/someone/b.js:3:4'),
    ROOT,
  );
  assert.deepEqual(frames, ['at run (src/a.ts:1:2)', 'at b.js:3:4']);
});

test('a frame without a location is skipped, and without any frame the location is unknown', () => {
  assert.equal(placeOf('JSON.parse (<anonymous>)', 'run (/srv/rangelight/src/a.ts:1:2)'), 'src/a.ts:1');
  assert.equal(placeOf('JSON.parse (<anonymous>)'), 'unknown:0');
  assert.equal(placeOf(), 'unknown:0');
  const { frames } = toExceptionFacts(thrownAt('JSON.parse (<anonymous>)'), ROOT);
  assert.deepEqual(frames, ['at JSON.parse (<anonymous>)']);
});

test('a message that looks like a frame is not parsed as one', () => {
  const error = new Error('no\n    at evil (/etc/passwd:1:1)\n');
  const { file, frames } = toExceptionFacts(error);
  assert.equal(file, 'src/http/error-pages/exception-facts.test.ts');
  assert.ok(frames.every(frame => !frame.includes('evil')));
});

test('a real error names its class and its file', () => {
  const { className, message, file, line } = toExceptionFacts(new RangeError('too far'));
  assert.deepEqual(
    { className, message, file },
    { className: 'RangeError', message: 'too far', file: 'src/http/error-pages/exception-facts.test.ts' },
  );
  assert.ok(line > 0);
  const named = Object.assign(new Error('x'), { name: 'AbortError' });
  assert.equal(toExceptionFacts(named).className, 'AbortError');
});

test('any value can be thrown', () => {
  const nothing = { file: 'unknown', line: 0, frames: [] };
  assert.deepEqual(toExceptionFacts('text'), { className: 'string', message: 'text', ...nothing });
  assert.deepEqual(toExceptionFacts(undefined), { className: 'undefined', message: 'undefined', ...nothing });
  assert.deepEqual(toExceptionFacts({ a: 1 }), { className: 'object', message: '{ a: 1 }', ...nothing });
  assert.equal(toExceptionFacts(Object.create(null)).message, '[Object: null prototype] {}');
  const bare = new Error('bare');
  delete bare.stack;
  assert.deepEqual(toExceptionFacts(bare), { className: 'Error', message: 'bare', ...nothing });
});
