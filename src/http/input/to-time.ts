const timeText = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:?\d\d)?)?$/i;

/** Returns whether a day exists: `Date` accepts 30 February as 2 March. */
const isDay = (day: string): boolean => {
  const atMs = Date.parse(`${day}T00:00Z`);
  return !Number.isNaN(atMs) && new Date(atMs).toISOString().startsWith(day);
};

/**
 * Normalises an ISO 8601 time or day to UTC. A time without an offset is UTC, because the client does not know the time
 * zone of this machine. Undefined if the text is neither.
 */
export function toTime(text: string): string | undefined {
  const [, day = '', time = '00:00', offset = 'Z'] = timeText.exec(text.trim()) ?? [];
  const atMs = isDay(day) ? Date.parse(`${day}T${time}${offset}`) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : new Date(atMs).toISOString();
}
