/** What two loads differ in as a whole: bytes, requests, elements. */
import { ratioOf } from '../numbers.ts';
import type { SideFacts } from '../sides/side-facts.ts';
import { hardly, type LoadDifference, likely, sayBytes, slight, sure } from './load-difference.ts';

type SizeName = 'documentBytes' | 'totalBytes' | 'requests' | 'elements';

type Size = {
  name: SizeName;
  fact: string;
  say: (value: number) => string;
  /** Pages that are built anew for each visitor differ by themselves up to these limits: how much counts, and how much. */
  limits: readonly { ratio: number; least: number; weight: number }[];
};

const sizes: readonly Size[] = [
  {
    name: 'documentBytes',
    fact: 'document_bytes',
    say: bytes => `the document has ${bytes < 10_000 ? `${bytes} bytes` : sayBytes(bytes)}`,
    limits: [
      { ratio: 1.5, least: 1024, weight: sure },
      { ratio: 1.05, least: 100, weight: slight },
      { ratio: 1, least: 4, weight: hardly },
    ],
  },
  {
    name: 'elements',
    fact: 'elements',
    say: elements => `the page has ${elements} elements`,
    limits: [
      { ratio: 1.5, least: 20, weight: likely },
      { ratio: 1.1, least: 4, weight: slight },
    ],
  },
  {
    name: 'totalBytes',
    fact: 'total_bytes',
    say: bytes => `all files together have ${sayBytes(bytes)}`,
    limits: [{ ratio: 1.5, least: 20_000, weight: likely }],
  },
  {
    name: 'requests',
    fact: 'requests',
    say: requests => `the page made ${requests} requests`,
    limits: [{ ratio: 1.5, least: 3, weight: likely }],
  },
];

export const toPageSizes = (psi: SideFacts, lighthouse: SideFacts): LoadDifference[] =>
  sizes.flatMap(({ name, fact, say, limits }) => {
    const [theirs, ours] = [psi[name], lighthouse[name]];
    const actual = ratioOf(theirs, ours);
    if (theirs === null || ours === null || actual === null) return [];
    const reached = limits.find(({ ratio, least }) => actual >= ratio && Math.abs(theirs - ours) >= least);
    if (!reached) return [];
    return [
      {
        kind: fact,
        evidence: { fact, psi: theirs, lighthouse: ours },
        words: `${say(theirs)} on the remote side and ${say(ours).split(' ').slice(-2).join(' ')} on this side`,
        weight: reached.weight,
      },
    ];
  });
