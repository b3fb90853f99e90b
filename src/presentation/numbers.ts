/** Formats numbers for people: with a unit, and with significant digits. */

export type Unit = 'millisecond' | 'unitless';

/** Displayed for a missing value, which is never shown as zero. */
export const absent = '–';

/** A space that keeps a number and its unit on one line. */
const space = '\u00a0';

/** Formats a time: `0 ms`, `85 ms`, `340 ms`, `1.2 s`, `1 min 40 s`. @param ms not negative */
export function formatMs(ms: number): string {
  if (ms < 100) return `${Math.round(ms)}${space}ms`;
  if (ms < 995) return `${Math.round(ms / 10) * 10}${space}ms`;
  if (ms < 99_950) return `${(ms / 1000).toFixed(1)}${space}s`;
  return formatDuration(ms / 1000);
}

/** Smallest layout shift that is displayed as a number. */
const leastShift = 0.0005;

/** Formats a layout shift with two digits after the point, or three below 0.01. */
export function formatShift(shift: number): string {
  if (shift === 0) return '0';
  if (shift < leastShift) return '< 0.001';
  return shift < 0.01 ? shift.toFixed(3) : shift.toFixed(2);
}

export const formatValue = (value: number | null | undefined, unit: Unit): string => {
  if (value === null || value === undefined) return absent;
  return unit === 'millisecond' ? formatMs(value) : formatShift(value);
};

/** Formats a duration: `12 s`, `3 min 5 s`, `2 h 4 min`, `3 days`. @param seconds not negative */
export function formatDuration(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole}${space}s`;
  if (whole < 3600) return joinUnits([Math.floor(whole / 60), 'min'], [whole % 60, 's']);
  if (whole < 172_800) return joinUnits([Math.floor(whole / 3600), 'h'], [Math.floor((whole % 3600) / 60), 'min']);
  return `${Math.floor(whole / 86_400)}${space}days`;
}

const joinUnits = (...parts: readonly [number, string][]): string =>
  parts
    .filter(([count], at) => at === 0 || count > 0)
    .map(([count, unit]) => `${count}${space}${unit}`)
    .join(' ');

/** Formats a size as `2.1 MB` or `34 kB`: in thousands, like file managers and networks. */
export function formatBytes(bytes: number): string {
  if (bytes < 999.5) return `${Math.round(bytes)}${space}B`;
  if (bytes < 999_500) return `${Math.round(bytes / 1000)}${space}kB`;
  if (bytes < 999_950_000) return `${(bytes / 1_000_000).toFixed(1)}${space}MB`;
  return `${(bytes / 1_000_000_000).toFixed(1)}${space}GB`;
}

/** Formats a number as `+12`, `−3.4` or `0`, with a real minus sign. @param digits digits after the point */
export function withSign(value: number, digits = 0): string {
  const shown = Math.abs(value).toFixed(digits);
  if (Number(shown) === 0) return shown;
  return `${value > 0 ? '+' : '−'}${shown}`;
}

/** Formats a difference with its sign and unit: `+120 ms`, `−3`; `0` if it is displayed as zero. */
export function saySigned(value: number, unit: Unit | 'point'): string {
  if (unit === 'point') return withSign(value, Number.isInteger(value) ? 0 : 1);
  const size = Math.abs(value);
  if (unit === 'millisecond' ? size < 0.5 : size < leastShift) return '0';
  return `${value > 0 ? '+' : '−'}${formatValue(size, unit)}`;
}

export const toOrdinal = (count: number): string => {
  const [tens, ones] = [count % 100, count % 10];
  if (tens < 11 || tens > 13) {
    if (ones === 1) return `${count}st`;
    if (ones === 2) return `${count}nd`;
    if (ones === 3) return `${count}rd`;
  }
  return `${count}th`;
};

/** Formats a count with its noun: `1 page`, `3 pages`. */
export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

/** Joins words as `a`, `a and b`, or `a, b and c`. */
export const joinWords = (words: readonly string[], last = 'and'): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;

export const startUpper = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Describes the difference of two values: about the same if they are displayed alike, or differ by less than 1 %. */
export function sayDifference(value: number, from: number, unit: Unit): string {
  if (value === from) return 'the same';
  const isNear = Math.abs(value - from) < 0.01 * Math.max(value, from);
  if (isNear || formatValue(value, unit) === formatValue(from, unit)) return 'about the same';
  const shown = formatValue(Math.abs(value - from), unit);
  if (unit === 'millisecond') return `${shown} ${value > from ? 'longer' : 'shorter'}`;
  return `${shown} ${value > from ? 'more' : 'less'}`;
}

export function sayScoreDifference(difference: number): string {
  if (difference === 0) return 'the same';
  return `${counted(Math.abs(difference), 'point')} ${difference > 0 ? 'higher' : 'lower'}`;
}

/** Formats a time as `2026-12-02 12:00 UTC`, for readers whose time zone is unknown. */
export const sayUtc = (iso: string): string => `${iso.slice(0, 16).replace('T', ' ')} UTC`;
