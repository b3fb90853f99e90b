/** Explains the rest of the difference, after settings, the page and layout shifts. */

import { tidy } from '../../../presentation/values.ts';
import { leastPoints } from '../constants.ts';
import type { FoundCause } from '../evidence.ts';
import type { ComparedFacts, Told } from './cause-rule.ts';
import { noiseRules, restRules, seenRules } from './cause-table.ts';
import { toMeasuredWait } from './disturbed-run.ts';
import { isApart, seesNoise } from './rest-rules.ts';

function judge(given: ComparedFacts, rest: number, page: FoundCause | undefined): Told | undefined {
  const apply = (rules: typeof restRules) => {
    for (const rule of rules) {
      const told = rule(given, rest);
      if (told) return told;
    }
    return undefined;
  };
  const noise = apply(noiseRules);
  if (noise) return noise;
  const seen = apply(seenRules);
  // A different page may also explain what was seen.
  if (seen && page && seen.cause !== 'disturbed_run') return { ...seen, certainty: 'possible' };
  return seen ?? apply(restRules);
}

const toCause = ({ evidence = [], ...told }: Told, points: number): FoundCause => ({
  category: 'performance',
  points: tidy(points, 1),
  evidence,
  ...told,
});

/** Describes the rest after a different page: it is not called noise, because its cause is unknown. */
const toRestOfPage = (page: FoundCause): Told => ({
  cause: 'unexplained',
  certainty: 'possible',
  explanation:
    page.certainty === 'computed'
      ? 'The remaining points. The page may differ in more than could be simulated.'
      : 'The remaining points. The effect of the different page was not computed.',
});

/** Explains points that settings do not: by the measured wait, then noise, then observations about the rest. */
export function toRestCauses(given: ComparedFacts, rest: number, page: FoundCause | undefined): FoundCause[] {
  if (Math.abs(rest) < leastPoints) return [];
  const isPage = page !== undefined && page.certainty !== 'possible';
  const explain = (points: number): FoundCause[] => {
    const told = isPage ? toRestOfPage(page) : judge(given, points, page);
    return told && Math.abs(points) >= leastPoints ? [toCause(told, points)] : [];
  };
  const isWaitOpen = isApart(given, rest) && !given.isWaitPaid && (isPage || !seesNoise(given, rest));
  const wait = isWaitOpen ? toMeasuredWait(given, rest) : undefined;
  if (!wait) return explain(rest);
  const { points, ...told } = wait;
  return [toCause(told, points), ...explain(rest - points)];
}
