import assert from 'node:assert/strict';
import { test } from 'node:test';
import { untilPacificMidnight } from './retry-rules.ts';

const cases: [name: string, now: string, midnight: string][] = [
  ['in winter midnight is at 08:00 UTC', '2026-11-20T12:00:00.000Z', '2026-11-21T08:00:00.000Z'],
  ['in summer midnight is at 07:00 UTC', '2026-07-01T12:34:56.789Z', '2026-07-02T07:00:00.000Z'],
  ['a moment before it is a moment', '2026-11-21T07:59:59.999Z', '2026-11-21T08:00:00.000Z'],
  ['at midnight a whole day begins', '2026-11-21T08:00:00.000Z', '2026-11-22T08:00:00.000Z'],
  ['the day on which summer time begins has 23 hours', '2026-03-08T08:00:00.000Z', '2026-03-09T07:00:00.000Z'],
  ['the day on which it ends has 25', '2026-11-01T07:00:00.000Z', '2026-11-02T08:00:00.000Z'],
];

for (const [name, now, midnight] of cases)
  test(name, () => {
    assert.equal(new Date(Date.parse(now) + untilPacificMidnight(Date.parse(now))).toISOString(), midnight);
  });
