import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toTime } from './to-time.ts';

const noon = '2026-11-22T12:00:00.000Z';

test('a time may have any offset, and is UTC without one', () => {
  for (const text of [
    '2026-11-22T12:00:00Z',
    '2026-11-22T12:00:00',
    '2026-11-22T12:00',
    ' 2026-11-22 12:00:00.000z ',
    '2026-11-22T12:00:00.000999',
    '2026-11-22T13:00+01:00',
    '2026-11-22T13:00:00+0100',
    '2026-11-22T06:30:00-05:30',
    '2026-11-23T02:00+14:00',
  ])
    assert.equal(toTime(text), noon, text);
});

test('a day begins at midnight UTC, wherever the machine is', () => {
  assert.equal(toTime('2026-11-22'), '2026-11-22T00:00:00.000Z');
  assert.equal(toTime('2024-02-29'), '2024-02-29T00:00:00.000Z');
});

test('an invalid time or an impossible date is rejected', () => {
  for (const text of [
    '',
    'yesterday',
    '1763812800',
    '2026',
    '2026-11',
    '20261122',
    '2026-W47-1',
    '2026-13-01',
    '2026-00-10',
    '2026-11-00',
    '2026-02-30',
    '2025-02-29',
    '2026-02-30T12:00Z',
    '2026-11-22T',
    '2026-11-22T12',
    '2026-11-22T1:2Z',
    '2026-11-22T25:00Z',
    '2026-11-22T12:60Z',
    '2026-11-22T12:00+24:00',
    '2026-11-22T12:00 01:00',
    '2026-11-22+02:00',
    '2026-11-22T12:00:00Z[Europe/Berlin]',
    '+002026-11-22',
    '-000001-01-01',
    '２０２６-11-22',
    "2026-11-22' OR 1=1",
  ])
    assert.equal(toTime(text), undefined, text);
});
