/** Small files that one side got packed, and the other not: each is little, and a slow network waits for all of them. */

import { isFailed, type LoadedFile } from '../../../measure/lhr/facts/loaded-files.ts';
import type { SideFacts } from '../../../measure/lhr/facts/side-facts.ts';
import { factOf } from '../evidence.ts';
import { cutTo, maxNamed, ratioOf } from '../phrases.ts';
import { type LoadDifference, sayBytes, sure } from './load-difference.ts';
import type { LoadPair } from './load-pair.ts';
import { isOtherSize, type SharedFile } from './shared-files.ts';

/* A document that one side got packed, and the other not. */

/** The same text took other bytes of the network. */
export const isPackedOtherwise = (psi: SideFacts, lighthouse: SideFacts): boolean =>
  psi.documentTransferred !== null &&
  lighthouse.documentTransferred !== null &&
  isOtherSize(psi.documentTransferred, lighthouse.documentTransferred) &&
  !isOtherSize(psi.documentBytes ?? 0, lighthouse.documentBytes ?? 0);

/** The same text, packed on one side only. */
export const toPacking = (psi: SideFacts, lighthouse: SideFacts): LoadDifference[] => {
  if (!isPackedOtherwise(psi, lighthouse)) return [];
  const [theirs, ours] = [psi.documentTransferred ?? 0, lighthouse.documentTransferred ?? 0];
  return [
    {
      kind: 'document_transferred',
      family: 'compression' as const,
      evidence: factOf('transferred_bytes', 'of the document', theirs, ours),
      words: `the document transferred ${sayBytes(theirs)} ${psi.where} and ${sayBytes(ours)} ${lighthouse.where}`,
      weight: sure,
    },
  ];
};

/** Headers are a part of what went over the network. */
const shares = { packed: 0.7, open: 0.95 };
const isPacked = ({ bytes, transferred }: LoadedFile): boolean =>
  transferred > 0 && transferred < shares.packed * bytes;
const isOpen = ({ bytes, transferred }: LoadedFile): boolean => transferred >= shares.open * bytes;

const leastBytes = 10_000;
const sameRatio = 1.05;

const isSame = ({ psi, lighthouse }: SharedFile): boolean =>
  !isFailed(psi) && !isFailed(lighthouse) && (ratioOf(psi.bytes, lighthouse.bytes) ?? 1) <= sameRatio;

export function toUnpacked(files: readonly SharedFile[], { where }: Pick<LoadPair, 'where'>): LoadDifference[] {
  const same = files.filter(isSame);
  const found = [
    same.filter(({ psi, lighthouse }) => isPacked(psi) && isOpen(lighthouse)),
    same.filter(({ psi, lighthouse }) => isOpen(psi) && isPacked(lighthouse)),
  ].filter(list => list.length > 0);
  const [list = []] = found;
  const theirs = list.reduce((sum, { psi }) => sum + psi.transferred, 0);
  const ours = list.reduce((sum, { lighthouse }) => sum + lighthouse.transferred, 0);
  // Where each side packed what the other did not, they are two builds.
  if (found.length !== 1 || Math.abs(theirs - ours) < leastBytes) return [];
  const names = cutTo(
    list.map(({ name }) => name),
    maxNamed,
  );
  return [
    {
      kind: 'unpacked',
      family: 'compression' as const,
      evidence: factOf('transferred_bytes', names, theirs, ours),
      words: `${names} transferred ${sayBytes(theirs)} ${where.psi} and ${sayBytes(ours)} ${where.lighthouse}`,
      weight: sure,
    },
  ];
}
