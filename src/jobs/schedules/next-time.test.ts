import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertCron, firstTime, isTimezone, nextTimeAfter, toIntervalMs } from './next-time.ts';

const at = (text: string): number => Date.parse(text);
const minuteMs = 60_000;

test('an interval is an ISO 8601 duration', () => {
  const readings: [string, number][] = [
    ['PT1M', 1],
    ['PT90M', 90],
    ['PT1H30M', 90],
    ['P1D', 24 * 60],
    ['P1W', 7 * 24 * 60],
    ['P1DT12H', 36 * 60],
    ['PT120S', 2],
  ];
  for (const [text, minutes] of readings) assert.equal(toIntervalMs(text), minutes * minuteMs, text);
  for (const text of ['', 'P', 'PT', 'P1DT', 'PT59S', 'P1M', 'P1Y', 'pt1h', 'PT1.5H', '3600', 'P367D', 'PT-1H'])
    assert.throws(() => toIntervalMs(text), text);
});

test('an interval counts from the creation of the schedule, however many runs were missed', () => {
  const made = at('2026-11-22T12:07:00Z');
  const rhythm = { interval: 'PT1H' };
  assert.equal(firstTime(rhythm, made), made);
  assert.equal(nextTimeAfter(rhythm, made, made), made + 60 * minuteMs);
  assert.equal(nextTimeAfter(rhythm, made, made + 10 * 60 * minuteMs + 1), made + 11 * 60 * minuteMs);
});

test('a cron expression is evaluated in its time zone, also across daylight saving changes', () => {
  const daily = { cron: '30 2 * * *', timezone: 'Europe/Berlin' };
  const nextAfter = (text: string) => new Date(nextTimeAfter(daily, 0, at(text)) ?? 0).toISOString();
  assert.equal(nextAfter('2026-11-22T12:00:00Z'), '2026-11-23T01:30:00.000Z');
  assert.equal(nextAfter('2026-07-22T12:00:00Z'), '2026-07-23T00:30:00.000Z');
  // Half past two does not exist on the day on which summer time begins: it is run once all the same.
  const spring = nextAfter('2027-03-27T12:00:00Z');
  assert.ok(spring > '2027-03-28T00:00' && spring < '2027-03-28T03:00', spring);
  // It comes twice on the day on which summer time ends: it is run once.
  const autumn = nextAfter('2027-10-30T12:00:00Z');
  assert.equal(nextAfter(autumn) > '2027-11-01T00:00', true);
});

test('a cron expression needs five fields and a possible time', () => {
  const nowMs = at('2026-11-22T12:00:00Z');
  for (const cron of ['* * * * *', '0 3 * * 1-5', '*/15 8-18 * * *', '0 0 29 2 *', '0 0 * * MON'])
    assert.doesNotThrow(() => assertCron(cron, 'UTC', nowMs), cron);
  for (const cron of ['', '* * * *', '* * * * * *', '60 * * * *', '0 0 31 2 *', 'x', '* '.repeat(200)])
    assert.throws(() => assertCron(cron, 'UTC', nowMs), cron);
  for (const cron of ['0 3 * *', '0 0 3 * * *'])
    assert.throws(() => assertCron(cron, 'UTC', nowMs), /^Error: it needs five fields: minute, hour, /);
});

test('a time zone is a known name', () => {
  for (const name of ['UTC', 'Europe/Berlin', 'America/New_York']) assert.ok(isTimezone(name), name);
  for (const name of ['', 'Europe/Nowhere', 'x'.repeat(100)]) assert.ok(!isTimezone(name), name);
});
