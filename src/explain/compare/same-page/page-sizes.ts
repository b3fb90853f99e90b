/** Compares whole loads: bytes, requests, elements. */

import { isFailed, type LoadedFile } from '../../../measure/lhr/facts/loaded-files.ts';
import type { SideFacts } from '../../../measure/lhr/facts/side-facts.ts';
import { counted, formatBytes } from '../../../presentation/numbers.ts';
import { likely, negligible, slight, sure } from '../constants.ts';
import { fact, ratioOf } from '../evidence.ts';
import type { LoadDifference, LoadPair } from './load-pair.ts';
import { isComposed } from './shared-files.ts';

/* Files that are each a little larger, and together much: another image quality or build. */

/** Two loads of one page never differ by the first limit; smaller differences may be a new build. */
const limits = [
  { ratio: 1.25, least: 100_000, weight: sure },
  { ratio: 1.1, least: 50_000, weight: slight },
] as const;

/** Returns whether the size of a file is reliable: for a video it depends on buffering. */
const isWhole = (file: LoadedFile): boolean => !isFailed(file) && !isComposed(file) && file.type !== 'Media';

export function toAllSharedBytes({ shared, where }: LoadPair): LoadDifference[] {
  const whole = shared.filter(({ psi, lighthouse }) => isWhole(psi) && isWhole(lighthouse));
  const theirs = whole.reduce((sum, { psi }) => sum + psi.bytes, 0);
  const ours = whole.reduce((sum, { lighthouse }) => sum + lighthouse.bytes, 0);
  const actual = ratioOf(theirs, ours) ?? 1;
  const reached = limits.find(({ ratio, least }) => actual >= ratio && Math.abs(theirs - ours) >= least);
  if (!reached) return [];
  return [
    {
      kind: 'shared_bytes',
      evidence: fact('shared_bytes', theirs, ours),
      words: `the files that both sides loaded have ${formatBytes(theirs)} ${where.psi} and ${formatBytes(ours)} ${where.lighthouse}`,
      weight: reached.weight,
    },
  ];
}

type Size = {
  name: 'document_bytes' | 'total_bytes' | 'requests' | 'elements';
  of: (side: SideFacts) => number | null;
  subject: string;
  say: (value: number) => string;
  /** Min ratio and difference for each weight, beyond the variation of pages that are generated for each visitor. */
  limits: readonly { ratio: number; least: number; weight: number }[];
};

const sizes: readonly Size[] = [
  {
    name: 'document_bytes',
    of: side => side.documentBytes,
    subject: 'the document has',
    say: bytes => (bytes < 10_000 ? `${bytes} bytes` : formatBytes(bytes)),
    limits: [
      { ratio: 1.5, least: 1024, weight: sure },
      { ratio: 1.05, least: 100, weight: slight },
      { ratio: 1, least: 4, weight: negligible },
    ],
  },
  {
    name: 'elements',
    of: side => side.elements,
    subject: 'the page has',
    say: elements => counted(elements, 'element'),
    limits: [
      { ratio: 1.5, least: 20, weight: likely },
      { ratio: 1.1, least: 4, weight: slight },
    ],
  },
  {
    name: 'total_bytes',
    of: side => side.totalBytes,
    subject: 'all files together have',
    say: formatBytes,
    limits: [{ ratio: 1.5, least: 20_000, weight: likely }],
  },
  {
    name: 'requests',
    of: side => side.requests,
    subject: 'the page made',
    say: requests => counted(requests, 'request'),
    limits: [{ ratio: 1.5, least: 3, weight: likely }],
  },
];

export const toPageSizes = (psi: SideFacts, lighthouse: SideFacts): LoadDifference[] =>
  sizes.flatMap(({ name, of, subject, say, limits }) => {
    const [theirs, ours] = [of(psi), of(lighthouse)];
    const actual = ratioOf(theirs, ours);
    if (theirs === null || ours === null || actual === null) return [];
    const reached = limits.find(({ ratio, least }) => actual >= ratio && Math.abs(theirs - ours) >= least);
    if (!reached) return [];
    const rounded = [say(theirs), say(ours)];
    const [said, own] = rounded[0] === rounded[1] ? [`${theirs} bytes`, `${ours} bytes`] : rounded;
    return [
      {
        kind: name,
        evidence: fact(name, theirs, ours),
        words: `${subject} ${said} ${psi.where} and ${own} ${lighthouse.where}`,
        weight: reached.weight,
      },
    ];
  });
