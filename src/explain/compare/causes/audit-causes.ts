import type { Scored } from '../../../measure/lhr/facts/side-facts.ts';
import { toPercent } from '../../../measure/lhr/metrics.ts';
import { tidy } from '../../../presentation/values.ts';
import { type FoundCause, factOf } from '../evidence.ts';
import { type Shares, sumOf } from '../points/category-points.ts';
import { type AuditSides, cutId, flippedIn, maxListed, onlyIn, toAuditSides } from '../points/compare-audits.ts';

const pointsOf = (shares: Shares, ids: readonly string[]): number =>
  ids.reduce((sum, id) => sum + (shares.get(id)?.points ?? 0), 0);

const listed = (ids: readonly string[]): string =>
  ids.length <= 3 ? ids.map(cutId).join(', ') : `${ids.slice(0, 3).map(cutId).join(', ')} and ${ids.length - 3} more`;

const toFlipCause = (side: AuditSides, ids: readonly string[], points: number | null): FoundCause => ({
  cause: 'audits',
  category: side.category,
  points,
  certainty: 'observed',
  evidence: ids
    .slice(0, maxListed)
    .map(id => factOf('audit', id, toPercent(side.psi.get(id)?.score), toPercent(side.lighthouse.get(id)?.score))),
  explanation: `${ids.length === 1 ? 'One audit has a different result' : `${ids.length} audits have different results`} on the two sides: ${listed(ids)}.`,
});

const toOneSidedCause = (side: AuditSides, ids: readonly string[], points: number | null): FoundCause => ({
  cause: 'one_sided_audits',
  category: side.category,
  points,
  certainty: 'observed',
  evidence: ids
    .slice(0, maxListed)
    .map(id =>
      factOf(
        'audit',
        cutId(id),
        side.psi.has(id) ? 'counted' : 'not counted',
        side.lighthouse.has(id) ? 'counted' : 'not counted',
      ),
    ),
  explanation: `Only one side counted these audits, because they did not apply or did not run on the other: ${listed(ids)}.`,
});

const causesOf = (side: AuditSides): FoundCause[] => {
  const [psiScore, ownScore] = [sumOf(side.psi), sumOf(side.lighthouse)];
  const flipped = flippedIn(side);
  const oneSided = [...onlyIn(side.psi, side.lighthouse), ...onlyIn(side.lighthouse, side.psi)];
  const difference = psiScore === null || ownScore === null ? null : ownScore - psiScore;
  const ofFlips = pointsOf(side.lighthouse, flipped) - pointsOf(side.psi, flipped);
  const isKnown = difference !== null;
  return [
    ...(flipped.length > 0 ? [toFlipCause(side, flipped, isKnown ? tidy(ofFlips, 1) : null)] : []),
    // The rest of the difference comes from one-sided audits: their own points, and the weight that they take from
    // others.
    ...(oneSided.length > 0 ? [toOneSidedCause(side, oneSided, isKnown ? tidy(difference - ofFlips, 1) : null)] : []),
  ];
};

/** Explains the whole difference of the other categories, whose scores are weighted means of audits. */
export const findAuditCauses = (psi: Scored, lighthouse: Scored): FoundCause[] =>
  toAuditSides(psi, lighthouse).flatMap(causesOf);
