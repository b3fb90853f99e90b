/** Finds responses that took much longer on one side: the document, or a single file. */

import type { LoadedFile } from '../../../measure/lhr/facts/loaded-files.ts';
import type { SideFacts } from '../../../measure/lhr/facts/side-facts.ts';
import { toText } from '../../../measure/lhr/facts/values.ts';
import { lateDocument, lateFile } from '../constants.ts';
import { type FoundCause, factOf } from '../evidence.ts';
import { ratioOf } from '../phrases.ts';
import { toFilesOfBoth } from '../same-page/load-pair.ts';

export const isLate = ([psi, lighthouse]: readonly [psi: SideFacts, lighthouse: SideFacts]): boolean => {
  const [theirs, ours] = [psi.serverResponseTime, lighthouse.serverResponseTime];
  return (
    theirs !== null &&
    ours !== null &&
    Math.abs(theirs - ours) >= lateDocument.ms &&
    (ratioOf(theirs, ours) ?? 1) >= lateDocument.ratio
  );
};

type LateAnswer = { place: string; psi: number; lighthouse: number };

type Timed = Pick<LoadedFile, 'place' | 'durationMs' | 'transferred'>;

const toDocument = ({ finalUrl, documentMs, documentTransferred }: SideFacts): Timed => ({
  place: toText(finalUrl),
  durationMs: documentMs,
  transferred: documentTransferred ?? 0,
});

const toPairs = (psi: SideFacts, lighthouse: SideFacts): { psi: Timed; lighthouse: Timed }[] => [
  { psi: toDocument(psi), lighthouse: toDocument(lighthouse) },
  ...toFilesOfBoth(psi.load, lighthouse.load),
];

const toLateAnswers = (psi: SideFacts, lighthouse: SideFacts): LateAnswer[] =>
  toPairs(psi, lighthouse).flatMap(({ psi: theirs, lighthouse: ours }) => {
    if (theirs.durationMs === null || ours.durationMs === null) return [];
    const isSmall = Math.max(theirs.transferred, ours.transferred) <= lateFile.mostBytes;
    const isLate =
      Math.abs(theirs.durationMs - ours.durationMs) >= lateFile.ms &&
      (ratioOf(theirs.durationMs, ours.durationMs) ?? 1) >= lateFile.ratio;
    return isSmall && isLate ? [{ place: ours.place, psi: theirs.durationMs, lighthouse: ours.durationMs }] : [];
  });

const isSame = (one: LateAnswer, other: LateAnswer): boolean =>
  one.place === other.place && one.psi > one.lighthouse === other.psi > other.lighthouse;

/**
 * Finds a single late response, which the latencies of its origin may not show.
 * @param others the other local runs: a machine that stalled once is not a slow server
 */
export function findLateAnswer(psi: SideFacts, lighthouse: SideFacts, others: readonly SideFacts[]): FoundCause[] {
  const inOthers = others.map(other => toLateAnswers(psi, other));
  const [latest] = toLateAnswers(psi, lighthouse)
    .filter(answer => inOthers.every(all => all.some(other => isSame(answer, other))))
    .toSorted((a, b) => Math.abs(b.psi - b.lighthouse) - Math.abs(a.psi - a.lighthouse));
  if (!latest) return [];
  const [theirs, ours] = [Math.round(latest.psi), Math.round(latest.lighthouse)];
  return [
    {
      cause: 'server',
      category: 'performance',
      points: null,
      certainty: 'observed',
      evidence: [factOf('answer_ms', latest.place, theirs, ours)],
      explanation: `${latest.place} took ${theirs} ms to arrive ${psi.where} and ${ours} ms ${lighthouse.where}. The effect was not computed.`,
    },
  ];
}
