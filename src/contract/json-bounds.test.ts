import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { findExcess } from './json-bounds.ts';

const excessOf = (json: string, bounds: { depth?: number; values?: number; members?: number }) =>
  findExcess(Buffer.from(json), { depth: 100, values: 1000, ...bounds });

test('lists, objects and their members are counted, and text is not', () => {
  assert.equal(excessOf('{"a":[1,2,{"b":"[[[[,,,,\\"[[[[,,,,"}]}', { depth: 3, values: 6 }), undefined);
  assert.match(excessOf('[[[1]]]', { depth: 2 }) ?? '', /nested more than 2 levels/);
  assert.match(excessOf('[1,2,3,4]', { values: 4 }) ?? '', /more than 4 values/);
  assert.match(excessOf('{"a":1,"b":2,"c":3}', { values: 3 }) ?? '', /more than 3 values/);
  assert.match(excessOf('{"a":1,"b":{"c:":3}}', { members: 2 }) ?? '', /objects have more than 2 fields/);
  assert.equal(excessOf('[":",{"a":":"}]', { members: 1 }), undefined);
});

test('JSON that is cut off or invalid is counted, too', () => {
  assert.match(excessOf('['.repeat(101), {}) ?? '', /nested more than 100 levels/);
  assert.match(excessOf(','.repeat(1000), {}) ?? '', /more than 1,000 values/);
  for (const json of ['', '"', '"\\', '"\\"', ']]]]']) assert.equal(excessOf(json, {}), undefined);
});

test('no value has more values or levels than were counted', () => {
  const sizeOf = (value: unknown): { depth: number; values: number } => {
    if (typeof value !== 'object' || value === null) return { depth: 0, values: 1 };
    const parts = Object.values(value).map(sizeOf);
    return {
      depth: 1 + Math.max(0, ...parts.map(({ depth }) => depth)),
      values: 1 + parts.reduce((sum, { values }) => sum + values, 0),
    };
  };
  fc.assert(
    fc.property(fc.jsonValue(), value => {
      const { depth, values } = sizeOf(value);
      const json = JSON.stringify(value);
      assert.ok(depth === 0 || excessOf(json, { depth: depth - 1 }) !== undefined);
      assert.equal(excessOf(json, { depth }), undefined);
      assert.ok(excessOf(json, { values: Math.floor(values / 2) - 1 }) !== undefined);
      assert.equal(excessOf(json, { values: 2 * values }), undefined);
    }),
  );
});
