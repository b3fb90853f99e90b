/** `--min-effect`: the smallest difference that matters, in points, milliseconds or percent. */

/** Parameters of `/compare-results`. */
export type MinEffect = Readonly<Partial<Record<'min_effect_points' | 'min_effect_ms' | 'min_effect_percent', string>>>;

const units: readonly (readonly [name: keyof MinEffect, pattern: RegExp, most: number])[] = [
  ['min_effect_points', /^(\d+)\s*(?:points?|pt)$/i, 100],
  ['min_effect_ms', /^(\d+)\s*(?:ms|milliseconds?)$/i, 60_000],
  ['min_effect_percent', /^(\d+)\s*(?:%|percent)$/i, 100],
];

function readPart(part: string): readonly [keyof MinEffect, string] | undefined {
  for (const [name, pattern, most] of units) {
    const [, number] = pattern.exec(part) ?? [];
    if (number !== undefined && Number(number) >= 1 && Number(number) <= most) return [name, number];
  }
  return undefined;
}

/**
 * Parses effects. For times, the service uses the larger one of milliseconds and percent, so if only one is given, the
 * other is set as small as possible.
 * @param text such as `3 points, 100 ms`
 * @throws Error that completes `--min-effect …`
 */
export function readMinEffect(text: string): MinEffect {
  const parts = text.split(',').map(part => readPart(part.trim()));
  if (parts.includes(undefined))
    throw new Error(`must be in points, ms or percent, such as '3 points' or '100 ms, 5 %', not '${text}'`);
  const given: MinEffect = Object.fromEntries(parts.filter(part => part !== undefined));
  if (given.min_effect_ms !== undefined && given.min_effect_percent === undefined)
    return { ...given, min_effect_percent: '0' };
  if (given.min_effect_percent !== undefined && given.min_effect_ms === undefined)
    return { ...given, min_effect_ms: '1' };
  return given;
}
