import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { findJsonFault, parseJson } from './json-position.ts';

const RUNS = { seed: 20_261_121, numRuns: 2000 };

// Positions as json.loads of Python 3.11 and 3.12 reports them.
const FAULTS: readonly (readonly [group: string, cases: readonly (readonly [text: string, position: number])[]])[] = [
  [
    'a value is expected',
    [
      ['', 0],
      ['   ', 3],
      [' \t\r\n', 4],
      ['x', 0],
      ['tru', 0],
      ['+1', 0],
      ['.5', 0],
      ['-', 0],
      ['{"url": ', 8],
      ['{"a":}', 5],
      ['[', 1],
      ['[ ', 2],
      ['[1,]', 3],
      ['[,1]', 1],
      ['[1, ', 4],
      ['{"a":tru}', 5],
      ['\ufeff{}', 0],
      ['\u00a0{}', 0],
    ],
  ],
  [
    'NaN and the infinities are no JSON',
    [
      ['NaN', 0],
      ['Infinity', 0],
      ['-Infinity', 0],
      ['[1, -Infinity]', 4],
      ['{"a": NaN}', 6],
    ],
  ],
  [
    'a property name is expected',
    [
      ['{', 1],
      ['{a:1}', 1],
      ["{'a':1}", 1],
      ['{"a":1,}', 7],
      ['{"a":1, ', 8],
      ['{,', 1],
      ['{]', 1],
    ],
  ],
  [
    'a colon is expected',
    [
      ['{"a"', 4],
      ['{"a" 1}', 5],
      ['{"a"}', 4],
    ],
  ],
  [
    'a comma is expected',
    [
      ['{"a":1', 6],
      ['{"a":1 "b":2}', 7],
      ['{"a":1;}', 6],
      ['[1', 2],
      ['[1 2]', 3],
      ['[1}', 2],
      ['{"a":1]', 6],
      ['[01]', 2],
      ['[1.]', 2],
      ['[1e+]', 2],
    ],
  ],
  [
    'an unterminated string is reported where it starts',
    [
      ['"', 0],
      ['"abc', 0],
      ['"abc\\', 0],
      ['{"abc', 1],
      ['{"a":"b', 5],
      ['["a\\"]', 1],
    ],
  ],
  [
    'a raw control character is reported where it stands',
    [
      ['"a\nb"', 2],
      ['"\u0000"', 1],
      ['{"a\tb":1}', 3],
      ['"ab\u001f', 3],
    ],
  ],
  [
    'an unknown escape is reported at its backslash',
    [
      ['"\\x"', 1],
      ['"ab\\\u{1f600}"', 3],
      ['{"\\ "', 2],
    ],
  ],
  [
    'a broken \\u escape is reported behind its backslash',
    [
      ['"\\u12"', 2],
      ['"\\u', 2],
      ['"\\u12g4"', 2],
      ['"\\ud83d\\u12"', 8],
      // A quirk of Python: the digits are complete, and the text ends right after them.
      ['"\\u1234', 2],
    ],
  ],
  [
    'extra data is reported where it starts',
    [
      ['{} x', 3],
      ['1 2', 2],
      ['01', 1],
      ['-01', 2],
      ['1.', 1],
      ['1e', 1],
      ['[]]', 2],
      ['nullx', 4],
      ['"a" "b"', 4],
    ],
  ],
  [
    'positions are code points',
    [
      ['{"\u{1f600}": x}', 6],
      ['"\u{1f600}\u{1f600}\n"', 3],
      ['["\u00e9", \u{1f600}]', 6],
      ['"\ud83d\n"', 2],
    ],
  ],
];

for (const [group, cases] of FAULTS) {
  test(`the first fault is found: ${group}`, () => {
    for (const [text, position] of cases) assert.equal(findJsonFault(text), position, JSON.stringify(text));
  });
}

test('valid JSON has no fault', () => {
  const texts = [
    '{}',
    '[]',
    ' [ ] ',
    '{ }',
    'null',
    'true',
    '-0',
    '-0.0E+1',
    '1e5',
    '"\\ud83d"',
    '"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\u007f\u2028"',
    '{"__proto__":1,"__proto__":2,"":[{},[[]],null]}\n',
  ];
  for (const text of texts) assert.equal(findJsonFault(text), undefined, text);
});

const almostJson = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom('{', '}', '[', ']', ':', ',', '"', '"a"', '"a":', '1', '[1,', '{"a":1') },
      { weight: 3, arbitrary: fc.constantFrom('\\', '\\u', '\\u12', '\\u1234', '\\n', '-', '0', '.', '.5', 'e', '+') },
      { weight: 2, arbitrary: fc.constantFrom('true', 'null', 'NaN', 'Infinity', ' ', '\n', '\u0001', '\u{1f600}') },
      { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 3 }) },
    ),
    { maxLength: 12 },
  )
  .map(parts => parts.join(''));

const cutJson = fc
  .tuple(fc.json(), fc.nat({ max: 60 }), fc.nat({ max: 2 }), fc.string({ maxLength: 2 }))
  .map(([json, at, removed, added]) => json.slice(0, at) + added + json.slice(at + removed));

const anyText = fc.oneof(fc.string({ unit: 'binary' }), fc.json(), almostJson, cutJson);

function isAccepted(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test('JSON.parse accepts exactly the texts without a fault', () => {
  fc.assert(
    fc.property(anyText, text => {
      assert.equal(findJsonFault(text) === undefined, isAccepted(text));
    }),
    RUNS,
  );
});

test('a position is a whole number within the text', () => {
  fc.assert(
    fc.property(anyText, text => {
      const position = findJsonFault(text) ?? 0;
      assert.ok(Number.isInteger(position) && position >= 0 && position <= [...text].length);
    }),
    RUNS,
  );
});

test('a million open brackets, or any other long text, is an ordinary fault', { timeout: 20_000 }, () => {
  const size = 1_000_000;
  const texts: [string, number | undefined][] = [
    ['['.repeat(size), size],
    ['{"a":'.repeat(size / 5), size],
    ['['.repeat(size) + ']'.repeat(size - 1), 2 * size - 1],
    ['['.repeat(size / 2) + ']'.repeat(size / 2), undefined],
    [`"${'\\n'.repeat(size)}`, 0],
    [`"${'\u{1f600}'.repeat(size)}\n"`, size + 1],
    [' '.repeat(size), size],
    [`${'1'.repeat(size)}x`, size],
    [`[${'1,'.repeat(size)}]`, 2 * size + 1],
    [`-${'1'.repeat(size)}.${'1'.repeat(size)}e`, 2 * size + 2],
  ];
  for (const [text, position] of texts) assert.equal(findJsonFault(text), position, text.slice(0, 8));
});

test('a body is decoded and parsed', () => {
  assert.deepEqual(parseJson(Buffer.from('{"url":"\u00e9\u{1f600}"}')), { value: { url: '\u00e9\u{1f600}' } });
  assert.deepEqual(parseJson(Buffer.from('null')), { value: null });
  assert.deepEqual(parseJson(Buffer.from('{"a":1,"a":2}')), { value: { a: 2 } });
  assert.deepEqual(parseJson(Buffer.from('"\ufffd"')), { value: '\ufffd' });
});

test('a byte order mark is skipped and not counted', () => {
  assert.deepEqual(parseJson(Buffer.from('\ufeff[1]')), { value: [1] });
  assert.deepEqual(parseJson(Buffer.from('\ufeff[1')), { faultPosition: 2 });
  assert.deepEqual(parseJson(Buffer.from('\ufeff')), { faultPosition: 0 });
  assert.deepEqual(parseJson(Buffer.from('\ufeff\ufeff[]')), { faultPosition: 0 });
});

test('white space alone is a fault at its end', () => {
  assert.deepEqual(parseJson(Buffer.from('')), { faultPosition: 0 });
  assert.deepEqual(parseJson(Buffer.from(' \n ')), { faultPosition: 3 });
});

test('bytes that are not UTF-8 are a fault at the first invalid position, in code points', () => {
  const cases: [Uint8Array[], number][] = [
    [[Buffer.of(0xff)], 0],
    [[Buffer.from('"\u{1f600}'), Buffer.of(0xff), Buffer.from('"')], 2],
    [[Buffer.from('"\ufffd'), Buffer.of(0xc3), Buffer.from('"')], 2],
    // A truncated character; one that starts like U+FFFD; a surrogate; an overlong slash.
    [[Buffer.from('"a'), Buffer.of(0xf0, 0x9f, 0x98)], 2],
    [[Buffer.from('"a'), Buffer.of(0xef, 0xbf), Buffer.from('b"')], 2],
    [[Buffer.from('"'), Buffer.of(0xed, 0xa0, 0x80), Buffer.from('"')], 1],
    [[Buffer.from('"'), Buffer.of(0xc0, 0xaf), Buffer.from('"')], 1],
    [[Buffer.from('\ufeff"a'), Buffer.of(0x80)], 2],
    // Decoding comes before parsing, as in Python.
    [[Buffer.from('x y '), Buffer.of(0x80)], 4],
  ];
  for (const [parts, faultPosition] of cases) assert.deepEqual(parseJson(Buffer.concat(parts)), { faultPosition });
});

test('__proto__ is an ordinary key', () => {
  const parsed = parseJson(Buffer.from('{"__proto__":{"admin":true}}'));
  assert.ok('value' in parsed);
  assert.deepEqual(Object.keys(Object(parsed.value)), ['__proto__']);
  assert.equal(Object.getPrototypeOf(parsed.value), Object.prototype);
  assert.equal(Object.hasOwn(Object.prototype, 'admin'), false);
});

test('any bytes give a value or a position within the text, never an exception', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 40 }).map(array => Buffer.from(array)),
    anyText.map(text => Buffer.from(text)),
  );
  fc.assert(
    fc.property(bytes, body => {
      const parsed = parseJson(body);
      if (!('faultPosition' in parsed)) return;
      assert.ok(parsed.faultPosition >= 0 && parsed.faultPosition <= [...body.toString('utf8')].length);
    }),
    RUNS,
  );
});
