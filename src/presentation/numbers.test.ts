import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  absent,
  counted,
  formatBytes,
  formatDuration,
  formatMs,
  formatShift,
  formatValue,
  joinWords,
  sayDifference,
  sayScoreDifference,
  saySigned,
  toOrdinal,
  withSign,
} from './numbers.ts';

/** With the space that breaks no line shown as a plain one. */
const plain = (text: string) => text.replaceAll('\u00a0', ' ');

const table = <T>(name: string, format: (value: T) => string, rows: readonly (readonly [T, string])[]) => {
  test(name, () => {
    for (const [value, shown] of rows) assert.equal(plain(format(value)), shown);
  });
};

table('milliseconds have the digits they deserve', formatMs, [
  [0, '0 ms'],
  [0.4, '0 ms'],
  [85.4, '85 ms'],
  [99.6, '100 ms'],
  [344, '340 ms'],
  [994, '990 ms'],
  [996, '1.0 s'],
  [1234.56, '1.2 s'],
  [12_031, '12.0 s'],
  [99_940, '99.9 s'],
  [100_000, '1 min 40 s'],
]);

table('layout shift is never cut to a zero that it is not', formatShift, [
  [0, '0'],
  [0.0001, '< 0.001'],
  [0.004, '0.004'],
  [0.0699, '0.07'],
  [0.1, '0.10'],
  [1.234, '1.23'],
]);

table('durations', formatDuration, [
  [0, '0 s'],
  [59.4, '59 s'],
  [60, '1 min'],
  [61, '1 min 1 s'],
  [3599, '59 min 59 s'],
  [3600, '1 h'],
  [7440, '2 h 4 min'],
  [172_800, '2 days'],
]);

table('bytes', formatBytes, [
  [0, '0 B'],
  [999.4, '999 B'],
  [999.5, '1 kB'],
  [1000, '1 kB'],
  [34_400, '34 kB'],
  [999_499, '999 kB'],
  [999_500, '1.0 MB'],
  [2_110_000, '2.1 MB'],
  [256_000_000, '256.0 MB'],
  [999_949_999, '999.9 MB'],
  [999_950_000, '1.0 GB'],
]);

table('positions in a queue', toOrdinal, [
  [1, '1st'],
  [2, '2nd'],
  [3, '3rd'],
  [4, '4th'],
  [11, '11th'],
  [12, '12th'],
  [13, '13th'],
  [21, '21st'],
  [111, '111th'],
]);

test('a minus sign is the typographic one, and zero has no sign', () => {
  assert.deepEqual([withSign(12), withSign(-3.44, 1), withSign(0), withSign(-0.04, 1)], ['+12', '−3.4', '0', '0.0']);
});

test('zero is a value, a missing value is not', () => {
  assert.equal(plain(formatValue(0, 'millisecond')), '0 ms');
  assert.equal(formatValue(0, 'unitless'), '0');
  assert.equal(formatValue(null, 'millisecond'), absent);
  assert.equal(formatValue(undefined, 'unitless'), absent);
});

test('a difference is shown in words; one that rounds to zero is about none', () => {
  assert.equal(plain(sayDifference(2400, 1200, 'millisecond')), '1.2 s longer');
  assert.equal(plain(sayDifference(100, 500, 'millisecond')), '400 ms shorter');
  assert.equal(sayDifference(0.3, 0.1, 'unitless'), '0.20 more');
  assert.equal(sayDifference(12_031, 12_027, 'millisecond'), 'about the same');
  assert.equal(sayDifference(11_946, 11_954, 'millisecond'), 'about the same');
  assert.equal(plain(sayDifference(1240, 1260, 'millisecond')), '20 ms shorter');
  assert.equal(sayDifference(0, 0, 'millisecond'), 'the same');
  assert.deepEqual([26, -1, 0].map(sayScoreDifference), ['26 points higher', '1 point lower', 'the same']);
});

test('words are joined as in speech', () => {
  assert.deepEqual(
    [[], ['a'], ['a', 'b'], ['a', 'b', 'c']].map(words => joinWords(words)),
    ['', 'a', 'a and b', 'a, b and c'],
  );
  assert.equal(joinWords(['a', 'b', 'c'], 'or'), 'a, b or c');
  assert.deepEqual([counted(1, 'page'), counted(0, 'page')], ['1 page', '0 pages']);
});

test('a difference with a sign is 0 if it would be displayed as zero', () => {
  assert.deepEqual(
    [120, -3, 0.3, -0.4].map(value => plain(saySigned(value, 'millisecond'))),
    ['+120 ms', '−3 ms', '0', '0'],
  );
  assert.deepEqual(
    [0.05, -0.0006, 0.0003].map(value => saySigned(value, 'unitless')),
    ['+0.05', '−0.001', '0'],
  );
  assert.deepEqual(
    [2, -2.5].map(value => saySigned(value, 'point')),
    ['+2', '−2.5'],
  );
});
