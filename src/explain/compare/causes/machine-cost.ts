/** What the machines cost by their benchmark indices, and how much of it is believed. */
import type { Cause } from '../../../contract/analysis/comparison.ts';
import { tidy } from '../numbers.ts';
import { withSign } from '../phrases.ts';
import type { StepPoints } from '../re-audits/step-points.ts';

type Fitted = { cost: StepPoints | undefined; rest: number | null };

/** An index is a rough measure: what a machine was computed to cost is believed as far as the scores show it. */
export function fitMachine(cost: StepPoints | undefined, rest: number | null): Fitted {
  if (!cost || rest === null || cost.points * rest >= 0) return { cost, rest };
  const shown = cost.points + rest;
  return shown * cost.points > 0
    ? { cost: { points: shown, range: undefined }, rest: 0 }
    : { cost: { points: 0, range: undefined }, rest: shown };
}

/** Where less is believed, the words say so. */
export const withComputed = (causes: readonly Cause[], computed: StepPoints | undefined): Cause[] =>
  causes.map(cause =>
    computed && cause.points !== null && tidy(computed.points, 1) !== cause.points
      ? {
          ...cause,
          explanation: `${cause.explanation} For the local load ${withSign(tidy(computed.points, 1))} points were computed; the scores do not show more than this.`,
        }
      : cause,
  );
