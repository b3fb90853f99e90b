import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { joinObjects, toJson, toObject } from './json-bytes.ts';

const read = (json: Buffer): unknown => JSON.parse(json.toString('utf8'));
/** A value as JSON brings it back: without minus zero. */
const throughJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
/** Of any names, `__proto__` and whole numbers among them. */
const members = fc
  .array(
    fc.tuple(
      fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('__proto__', '', '1', '0', '"', '\\', 'ключ', '\ud800')),
      fc.jsonValue(),
    ),
  )
  .map(entries => Object.fromEntries(entries));
const parts = (values: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, toJson(value)]));

test('a value is written as JSON.stringify writes it, in UTF-8', () => {
  fc.assert(
    fc.property(fc.jsonValue(), value => assert.deepEqual(toJson(value), Buffer.from(JSON.stringify(value), 'utf8'))),
  );
  for (const text of ['', 'é', '漢字', '😀', '"\\\n\u2028', '\ud800', '\u0000']) assert.equal(read(toJson(text)), text);
});

test('an assembled object equals, byte for byte, one written at once', () => {
  fc.assert(
    fc.property(members, values => {
      assert.equal(toObject(parts(values)).toString('utf8'), JSON.stringify(values));
      assert.deepEqual(read(toObject(parts(values))), throughJson(values));
    }),
  );
});

test("two joined objects have the members of both, the first object's first", () => {
  fc.assert(
    fc.property(members, members, (first, others) => {
      const second = Object.fromEntries(Object.entries(others).filter(([name]) => !Object.hasOwn(first, name)));
      const both = Object.fromEntries([...Object.entries(first), ...Object.entries(second)]);
      assert.deepEqual(read(joinObjects(toJson(first), toJson(second))), throughJson(both));
      assert.deepEqual(read(joinObjects(toObject(parts(first)), toObject(parts(second)))), throughJson(both));
    }),
  );
});

test('joining with an empty object changes nothing, on either side', () => {
  const [some, none] = [toJson({ a: [1, { b: '}' }] }), toJson({})];
  assert.deepEqual(joinObjects(some, none), some);
  assert.deepEqual(joinObjects(none, some), some);
  assert.deepEqual(joinObjects(none, none), none);
});

test('an object without members is valid JSON', () => {
  assert.equal(toObject({}).toString(), '{}');
});

test('an assembled value can be assembled again, to any depth', () => {
  const value = fc.letrec<{ tree: { json: Buffer; value: unknown } }>(tie => ({
    tree: fc.oneof(
      { depthSize: 'small' },
      fc.jsonValue().map(leaf => ({ json: toJson(leaf), value: leaf })),
      fc.dictionary(fc.string(), tie('tree'), { noNullPrototype: true }).map(trees => ({
        json: toObject(Object.fromEntries(Object.entries(trees).map(([name, { json }]) => [name, json]))),
        value: Object.fromEntries(Object.entries(trees).map(([name, tree]) => [name, tree.value])),
      })),
    ),
  })).tree;
  fc.assert(fc.property(value, tree => assert.deepEqual(read(tree.json), throughJson(tree.value))));
});

test('the parts are not changed', () => {
  const [one, two] = [toJson({ a: 1 }), toJson({ b: 2 })];
  const joined = joinObjects(one, two);
  toObject({ one, two });
  joined.fill(0);
  assert.deepEqual([one.toString(), two.toString()], ['{"a":1}', '{"b":2}']);
});
