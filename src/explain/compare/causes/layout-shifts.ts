/** Explains layout shifts. They are measured, not simulated, so their points follow from the two scores alone. */

import type { Shift } from '../../../measure/lhr/facts/load-facts.ts';
import type { SideFacts } from '../../../measure/lhr/facts/side-facts.ts';
import { counted } from '../../../presentation/numbers.ts';
import { tidy } from '../../../presentation/values.ts';
import { leastStatedPoints, usualNoisePoints } from '../constants.ts';
import { type FoundCause, fact } from '../evidence.ts';
import type { Shares } from '../points/category-points.ts';
import { toFloor } from '../points/noise.ts';
import type { ComparedFacts } from './cause-rule.ts';

const shiftAudit = 'cumulative-layout-shift';

/** Returns the effect of layout shifts on the score, with the weight of PSI: other weights are a cause of their own. */
export const toShiftPoints = (psi: Shares | undefined, own: Shares | undefined): number => {
  const [theirs, ours] = [psi?.get(shiftAudit), own?.get(shiftAudit)?.score];
  return typeof theirs?.score === 'number' && typeof ours === 'number' ? theirs.weight * (ours - theirs.score) : 0;
};

const totalOf = ({ load }: SideFacts): number | null => load.shifts.total;

/** The shifts of the PSI load must be outside the range of all local loads: some pages shift only in some. */
function isBeyond(theirs: number, all: readonly number[]): boolean {
  const [least, most] = [Math.min(...all), Math.max(...all)];
  const shown = all[0] ?? theirs;
  const distance = theirs < least ? least - theirs : theirs - most;
  return distance > 0 && distance >= Math.abs(theirs - shown) / 2;
}

const say = (value: number): string => String(tidy(value, 2));

const sayReason = ({ reason, culprit }: Shift): string => {
  if (reason === undefined) return '';
  if (reason === 'image') return `, pushed by an image without dimensions${culprit ? ` (“${culprit}”)` : ''}`;
  if (reason === 'font') return `, when the font ${culprit} arrived`;
  return `, pushed by an inserted frame${culprit ? ` (${culprit})` : ''}`;
};

/** Describes the largest shift and its cause; empty if the shifted element is unknown. */
const sayShift = (shift: Shift | undefined): string =>
  shift && shift.name !== '' ? `“${shift.name}” moved${sayReason(shift)}` : '';

/**
 * @param points points of the metric alone: local minus PSI
 * @returns undefined if the shifts are similar or unknown, or within noise
 */
export function findLayoutShifts(given: ComparedFacts, points: number): FoundCause | undefined {
  const {
    facts: [psi, lighthouse],
    others,
  } = given;
  const [theirs, ours] = [totalOf(psi), totalOf(lighthouse)];
  if (theirs === null || ours === null || Math.abs(points) < leastStatedPoints) return undefined;
  if (!isBeyond(theirs, [ours, ...others.flatMap(other => totalOf(other) ?? [])])) return undefined;
  const isApart = Math.abs(given.split?.difference ?? 0) > toFloor(given.noise);
  if (!isApart && Math.abs(points) <= usualNoisePoints) return undefined;
  const load = points < 0 ? lighthouse : psi;
  const [largest] = load.load.shifts.largest;
  const moved = sayShift(largest);
  return {
    cause: 'layout_shift',
    category: 'performance',
    points: tidy(points, 1),
    certainty: 'observed',
    evidence: [
      fact('cumulative_layout_shift', tidy(theirs, 3), tidy(ours, 3)),
      fact(
        'largest_shift',
        sayShift(psi.load.shifts.largest[0]) || null,
        sayShift(lighthouse.load.shifts.largest[0]) || null,
      ),
    ],
    explanation: `Layout shifts cost ${counted(tidy(Math.abs(points), 1), 'point')} ${load.where}: cumulative layout shift is ${say(theirs)} ${psi.where} and ${say(ours)} ${lighthouse.where}.${moved ? ` In the largest shift ${load.where}, ${moved}.` : ''}${given.noise ? '' : ' With only one run on each side, this may also be random variation between loads.'}`,
  };
}
