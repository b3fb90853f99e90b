/** `--smallest`: which difference matters, in points, milliseconds or percent. */

/** Parameters of `/compare-results`. */
export type Smallest = Readonly<Partial<Record<'smallest_points' | 'smallest_ms' | 'smallest_percent', string>>>;

const units: readonly (readonly [name: keyof Smallest, pattern: RegExp, most: number])[] = [
  ['smallest_points', /^(\d+)\s*(?:points?|pt)$/i, 100],
  ['smallest_ms', /^(\d+)\s*(?:ms|milliseconds?)$/i, 60_000],
  ['smallest_percent', /^(\d+)\s*(?:%|percent)$/i, 100],
];

function readPart(part: string): readonly [keyof Smallest, string] | undefined {
  for (const [name, pattern, most] of units) {
    const [, number] = pattern.exec(part) ?? [];
    if (number !== undefined && Number(number) >= 1 && Number(number) <= most) return [name, number];
  }
  return undefined;
}

/**
 * Of a time the service takes the larger one of milliseconds and percent. If only one of them is named, the other is set
 * as small as possible.
 * @param text such as `3 points, 100 ms`
 */
export function readSmallest(text: string | undefined, faults: string[]): Smallest {
  if (text === undefined) return {};
  const parts = text.split(',').map(part => readPart(part.trim()));
  if (parts.includes(undefined)) {
    faults.push(`--smallest is '${text}': write points, ms or percent, such as '3 points' or '100 ms, 5 %'`);
    return {};
  }
  const given: Smallest = Object.fromEntries(parts.filter(part => part !== undefined));
  if (given.smallest_ms !== undefined && given.smallest_percent === undefined)
    return { ...given, smallest_percent: '0' };
  if (given.smallest_percent !== undefined && given.smallest_ms === undefined) return { ...given, smallest_ms: '1' };
  return given;
}
