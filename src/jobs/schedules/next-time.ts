/** Computes the next run of a schedule. croner parses cron expressions: see docs/internals/decisions/025-jobs.md. */
import { Cron } from 'croner';
import type { Idempotency, ScheduledRequest } from '../job.ts';

/** Times of a schedule: a cron expression in a time zone, or an interval since its creation. */
export type Rhythm = { cron: string; timezone: string } | { interval: string };

/**
 * When a schedule sends callbacks. `verdict_changes`: only after a run in which a page improved, regressed, started to
 * fail, or no longer fails.
 */
const callbackWhens = ['always', 'verdict_changes'] as const;
export type CallbackWhen = (typeof callbackWhens)[number];

export type Schedule = {
  id: string;
  client: string;
  request: ScheduledRequest;
  pages: number;
  rhythm: Rhythm;
  isPaused: boolean;
  callback: string | null;
  callbackWhen: CallbackWhen;
  createdAtMs: number;
  /** Time of the next run, or null. */
  nextAtMs: number | null;
  lastAtMs: number | null;
  /** Job of the last run. */
  lastJobId: string | null;
  /** Last job that succeeded or failed. The next run is compared with it. */
  previousJobId: string | null;
  /** Rules under which the schedule was accepted, as for a job. */
  policy: string | null;
};

export type NewSchedule = Pick<
  Schedule,
  'id' | 'client' | 'request' | 'rhythm' | 'callback' | 'callbackWhen' | 'createdAtMs' | 'nextAtMs' | 'policy'
> & { urls: readonly string[]; idempotency?: Idempotency | undefined };

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const longestIntervalMs = 366 * dayMs;

/**
 * Matches weeks, days, hours, minutes and seconds of an ISO 8601 duration. Months are excluded, because their length
 * varies.
 */
const durationPattern = /^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/;
const unitsMs = [7 * dayMs, dayMs, hourMs, minuteMs, secondMs];

/** @throws Error whose message explains the problem */
export function toIntervalMs(text: string): number {
  const parts = durationPattern.exec(text)?.slice(1);
  if (!parts || /[PT]$/.test(text)) throw new Error("it must be an ISO 8601 duration, such as 'PT1H' or 'P1D'");
  const ms = parts.reduce((sum, part = '0', index) => sum + Number(part) * (unitsMs[index] ?? 0), 0);
  if (ms < minuteMs || ms > longestIntervalMs) throw new Error('it must be from one minute to 366 days');
  return ms;
}

const toCron = (cron: string, timezone: string): Cron => new Cron(cron, { timezone, mode: '5-part', paused: true });

/** @throws Error whose message explains the problem */
export function assertCron(cron: string, timezone: string, nowMs: number): void {
  if (cron.length > 200) throw new Error('it is too long');
  if (!cron.startsWith('@') && cron.trim().split(/\s+/).length !== 5)
    throw new Error(
      "it needs five fields: minute, hour, day of the month, month, day of the week, such as '0 3 * * *'",
    );
  if (!toCron(cron, timezone).nextRun(new Date(nowMs))) throw new Error('it has no time in the future');
}

export const isTimezone = (name: string): boolean => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).format(0) !== '';
  } catch {
    return false;
  }
};

/** Returns the first time after now, even if several times were missed; null if there is none. */
export function nextTimeAfter(rhythm: Rhythm, createdAtMs: number, nowMs: number): number | null {
  try {
    return readNextTime(rhythm, createdAtMs, nowMs);
  } catch {
    // The expression was valid when the schedule was created, but this machine may not know its time zone.
    return null;
  }
}

function readNextTime(rhythm: Rhythm, createdAtMs: number, nowMs: number): number | null {
  if ('cron' in rhythm) return toCron(rhythm.cron, rhythm.timezone).nextRun(new Date(nowMs))?.getTime() ?? null;
  const intervalMs = toIntervalMs(rhythm.interval);
  return createdAtMs + intervalMs * (Math.floor((nowMs - createdAtMs) / intervalMs) + 1);
}

/** Returns the time of the first run: now for an interval, the first matching time for a cron expression. */
export const firstTime = (rhythm: Rhythm, nowMs: number): number | null =>
  'cron' in rhythm ? nextTimeAfter(rhythm, nowMs, nowMs) : nowMs;
