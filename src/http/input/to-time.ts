const timeText = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:?\d\d)?)?$/i;

/** The parser of dates takes the 30th of February for the second of March. */
const isDay = (day: string): boolean => {
  const atMs = Date.parse(`${day}T00:00Z`);
  return !Number.isNaN(atMs) && new Date(atMs).toISOString().startsWith(day);
};

/**
 * A time of ISO 8601, or a day, as UTC. A time without an offset is UTC too: that of this machine says nothing to a
 * client. Undefined if the text is neither.
 */
export function toTime(text: string): string | undefined {
  const [, day = '', time = '00:00', offset = 'Z'] = timeText.exec(text.trim()) ?? [];
  const atMs = isDay(day) ? Date.parse(`${day}T${time}${offset}`) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : new Date(atMs).toISOString();
}
