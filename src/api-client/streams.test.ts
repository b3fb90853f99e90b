import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createEventReader, type ServerEvent } from './streams.ts';

const readAll = (...chunks: readonly string[]): ServerEvent[] => {
  const events: ServerEvent[] = [];
  const read = createEventReader(event => events.push(event));
  for (const chunk of chunks) read(chunk);
  return events;
};

test('an event has its name and its data', () => {
  assert.deepEqual(readAll('event: queued\ndata: {"position":1}\n\n'), [{ name: 'queued', data: '{"position":1}' }]);
});

test('comments are heartbeats, not events', () => {
  assert.deepEqual(readAll(': still here\n\n:\n\ndata: x\n\n'), [{ name: 'message', data: 'x' }]);
});

test('several data lines are joined, without the first space after each colon', () => {
  assert.deepEqual(readAll('data: a\ndata:b\ndata:  c\ndata\n\n'), [{ name: 'message', data: 'a\nb\n c\n' }]);
});

test('an event without data is ignored, and its name does not apply to the next one', () => {
  assert.deepEqual(readAll('event: lost\n\ndata: x\n\n'), [{ name: 'message', data: 'x' }]);
});

test('unknown fields are skipped', () => {
  assert.deepEqual(readAll('id: 7\nretry: 10\nfoo\ndata: x\n\n'), [{ name: 'message', data: 'x' }]);
});

test('an event that is cut off before its empty line is ignored', () => {
  assert.deepEqual(readAll('data: whole\n\ndata: half\n'), [{ name: 'message', data: 'whole' }]);
});

const stream =
  ': hello\r\n\r\nevent: started\r\ndata: {"a":\r\ndata: "ü\u2028"}\r\n\r\nevent: result\ndata: 1\n\nevent: failed\rdata: 2\r\r';

test('lines may end in any of three ways, and the text may be split anywhere', () => {
  const whole = readAll(stream, '\n');
  assert.deepEqual(
    whole.map(({ name }) => name),
    ['started', 'result', 'failed'],
  );
  assert.equal(whole[0]?.data, '{"a":\n"ü\u2028"}');
  const cuts = fc.array(fc.nat(stream.length), { maxLength: 8 });
  fc.assert(
    fc.property(cuts, places => {
      const ends = [0, ...places.toSorted((a, b) => a - b), stream.length];
      const chunks = ends.slice(1).map((end, at) => stream.slice(ends[at], end));
      assert.deepEqual(readAll(...chunks, '\n'), whole);
    }),
  );
});
