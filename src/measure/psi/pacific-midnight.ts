/** Google counts a day's quota from midnight to midnight in California, summer time included. */
const clock = new Intl.DateTimeFormat('en-US', {
  timeZone: 'America/Los_Angeles',
  hourCycle: 'h23',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
});

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

const sinceMidnight = (now: number): number => {
  const parts = Object.fromEntries(clock.formatToParts(now).map(({ type, value }) => [type, Number(value)]));
  const { hour = 0, minute = 0, second = 0 } = parts;
  return hour * hourMs + minute * 60_000 + second * 1000 + (now % 1000);
};

/** Milliseconds until a day's quota begins anew. Twice a year the day has 23 or 25 hours. */
export function untilPacificMidnight(now: number): number {
  const ms = dayMs - sinceMidnight(now);
  const late = sinceMidnight(now + ms);
  return late < dayMs / 2 ? ms - late : ms + dayMs - late;
}
