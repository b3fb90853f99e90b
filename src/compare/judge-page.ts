import type { Cause, Evidence } from '../contract/comparison.ts';
import { ratioOf } from './numbers.ts';
import type { SideFacts } from './side-facts.ts';

type SizeName = 'documentBytes' | 'totalBytes' | 'requests' | 'elements';

/** Pages that are built anew for each visitor differ by themselves up to these limits. */
const sizes: readonly { name: SizeName; fact: string; ratio: number; least: number }[] = [
  { name: 'documentBytes', fact: 'document_bytes', ratio: 1.5, least: 1024 },
  { name: 'totalBytes', fact: 'total_bytes', ratio: 1.5, least: 20_000 },
  { name: 'requests', fact: 'requests', ratio: 1.5, least: 3 },
  { name: 'elements', fact: 'elements', ratio: 1.5, least: 20 },
];

const maxUrl = 500;
const cut = (url: string | null) => url?.slice(0, maxUrl).toWellFormed() ?? null;

const identityOf = (psi: SideFacts, lighthouse: SideFacts): Evidence[] => {
  const differs = <T>(one: T | null, other: T | null) => one !== null && other !== null && one !== other;
  return [
    ...(differs(psi.finalUrl, lighthouse.finalUrl)
      ? [{ fact: 'final_url', psi: cut(psi.finalUrl), lighthouse: cut(lighthouse.finalUrl) }]
      : []),
    ...(differs(psi.statusCode, lighthouse.statusCode)
      ? [{ fact: 'status_code', psi: psi.statusCode, lighthouse: lighthouse.statusCode }]
      : []),
  ];
};

const sizesOf = (psi: SideFacts, lighthouse: SideFacts): Evidence[] =>
  sizes.flatMap(({ name, fact, ratio, least }) => {
    const [theirs, ours] = [psi[name], lighthouse[name]];
    const actual = ratioOf(theirs, ours);
    if (theirs === null || ours === null || actual === null) return [];
    return actual >= ratio && Math.abs(theirs - ours) >= least ? [{ fact, psi: theirs, lighthouse: ours }] : [];
  });

const words: Readonly<Record<string, string>> = {
  final_url: 'its final address',
  status_code: 'its status',
  document_bytes: 'the size of its document',
  total_bytes: 'the size of all it loads',
  requests: 'the number of its requests',
  elements: 'the number of its elements',
};

export const toWords = (evidence: readonly Evidence[]): string =>
  evidence.map(({ fact }) => words[fact] ?? fact).join(', ');

/**
 * Whether both sides loaded the same page. Another address, status or document says no; so do two other sizes. One
 * other size alone may have many reasons. Undefined when nothing differs.
 */
export function judgePage(psi: SideFacts, lighthouse: SideFacts): Cause | undefined {
  const identity = identityOf(psi, lighthouse);
  const bySize = sizesOf(psi, lighthouse);
  const evidence = [...identity, ...bySize];
  if (evidence.length === 0) return undefined;
  const isSure = identity.length > 0 || bySize.length > 1 || bySize.some(({ fact }) => fact === 'document_bytes');
  return {
    cause: 'different_page',
    category: null,
    points: null,
    certainty: isSure ? 'observed' : 'possible',
    evidence,
    explanation: isSure
      ? `The two sides did not load the same page: they differ in ${toWords(evidence)}.`
      : `The two sides may have been given different pages: they differ in ${toWords(evidence)}.`,
  };
}
