/** A document that one side got packed, and the other not. */
import type { SideFacts } from '../sides/side-facts.ts';
import { type LoadDifference, sayBytes, sure } from './load-difference.ts';
import { isOtherSize } from './shared-files.ts';

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
      evidence: { fact: 'transferred_bytes of the document', psi: theirs, lighthouse: ours },
      words: `the document took ${sayBytes(theirs)} over the network on the remote side and ${sayBytes(ours)} on this side`,
      weight: sure,
    },
  ];
};
