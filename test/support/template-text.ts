/** Returns the markup of a template with its values, which no browser reads. */
export function toText(value: unknown): string {
  if (Array.isArray(value)) return value.map(toText).join('');
  if (typeof value !== 'object' || value === null || !('strings' in value)) return String(value);
  const { strings, values } = value as { strings: readonly string[]; values: readonly unknown[] };
  return strings.map((text, at) => text + (at < values.length ? toText(values[at]) : '')).join('');
}
