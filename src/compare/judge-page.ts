import type { Cause, Evidence } from '../contract/comparison.ts';
import { compareAddresses } from './addresses.ts';
import { compareLoads } from './compare-loads.ts';
import { hardly, type LoadDifference, likely, sayBytes, slight, sure } from './load-difference.ts';
import { toText } from './load-facts.ts';
import { ratioOf } from './numbers.ts';
import { isPackedOtherwise } from './page-experiment.ts';
import type { SideFacts } from './side-facts.ts';

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

const maxUrl = 500;
const maxSaidUrl = 120;
const cut = (url: string | null) => url?.slice(0, maxUrl).toWellFormed() ?? null;

const countRedirects = (count: number | null): string =>
  count === 0 ? 'no redirect' : `${count} redirect${count === 1 ? '' : 's'}`;

const identityOf = (psi: SideFacts, lighthouse: SideFacts): LoadDifference[] => {
  const ended = compareAddresses(psi.finalUrl ?? '', lighthouse.finalUrl ?? '');
  const differs = <T>(one: T | null, other: T | null) => one !== null && other !== null && one !== other;
  return [
    ...(differs(psi.finalUrl, lighthouse.finalUrl) && ended !== 'same'
      ? [
          {
            kind: 'final_url',
            evidence: { fact: 'final_url', psi: cut(psi.finalUrl), lighthouse: cut(lighthouse.finalUrl) },
            words: `the remote side ended at ${toText(psi.finalUrl, maxSaidUrl)} and this side at ${toText(lighthouse.finalUrl, maxSaidUrl)}`,
            weight: ended === 'place' ? sure : likely,
          },
        ]
      : []),
    ...(differs(psi.statusCode, lighthouse.statusCode)
      ? [
          {
            kind: 'status_code',
            evidence: { fact: 'status_code', psi: psi.statusCode, lighthouse: lighthouse.statusCode },
            words: `the document came with status ${psi.statusCode} on the remote side and ${lighthouse.statusCode} on this side`,
            weight: sure,
          },
        ]
      : []),
    ...(differs(psi.redirects, lighthouse.redirects)
      ? [
          {
            kind: 'redirects',
            evidence: { fact: 'redirects', psi: psi.redirects, lighthouse: lighthouse.redirects },
            words: `the page came after ${countRedirects(psi.redirects)} on the remote side and ${countRedirects(lighthouse.redirects)} on this side`,
            weight: sure,
          },
        ]
      : []),
  ];
};

/** The same text, packed on one side only. */
const packingOf = (psi: SideFacts, lighthouse: SideFacts): LoadDifference[] => {
  if (!isPackedOtherwise(psi, lighthouse)) return [];
  const [theirs, ours] = [psi.documentTransferred ?? 0, lighthouse.documentTransferred ?? 0];
  return [
    {
      kind: 'document_transferred',
      evidence: { fact: 'transferred_bytes of the document', psi: theirs, lighthouse: ours },
      words: `the document took ${sayBytes(theirs)} of the network on the remote side and ${sayBytes(ours)} on this side`,
      weight: sure,
    },
  ];
};

const sizesOf = (psi: SideFacts, lighthouse: SideFacts): LoadDifference[] =>
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

const hostOf = (url: string | null): string | null => (url === null ? null : (URL.parse(url)?.host ?? null));

const speedRatioOf = (psi: SideFacts, lighthouse: SideFacts): number =>
  psi.benchmarkIndex === null || lighthouse.benchmarkIndex === null
    ? 1
    : psi.benchmarkIndex / lighthouse.benchmarkIndex;

/** All in which two loads differ, most telling first. */
function findDifferences(psi: SideFacts, lighthouse: SideFacts, isSameMachine: boolean): LoadDifference[] {
  const identity = identityOf(psi, lighthouse);
  const loads = compareLoads({
    psi: psi.load,
    lighthouse: lighthouse.load,
    speedRatio: speedRatioOf(psi, lighthouse),
    isSameMachine,
    host: hostOf(lighthouse.finalUrl),
  });
  return [
    ...identity,
    ...[...loads, ...packingOf(psi, lighthouse), ...sizesOf(psi, lighthouse)].toSorted((a, b) => b.weight - a.weight),
  ];
}

/** Of a difference that local runs have among themselves nothing is said; nor of one that holds for some of them only. */
function withoutOwn(
  psi: SideFacts,
  [shown, ...others]: readonly SideFacts[],
  isSameMachine: boolean,
): LoadDifference[] {
  if (!shown) return [];
  const own = new Set(others.flatMap(other => findDifferences(other, shown, true)).map(({ kind }) => kind));
  const back = new Set(others.flatMap(other => findDifferences(shown, other, true)).map(({ kind }) => kind));
  const inAll = others.map(other => new Set(findDifferences(psi, other, isSameMachine).map(({ kind }) => kind)));
  return findDifferences(psi, shown, isSameMachine).filter(
    ({ kind }) => !own.has(kind) && !back.has(kind) && inAll.every(kinds => kinds.has(kind)),
  );
}

/** In a sentence there is room for two; the rest is evidence. */
const maxSaid = 2;
const maxEvidence = 20;

/** What is enough by itself needs no others beside it. */
const tell = (differences: readonly LoadDifference[]): string => {
  const clear = differences.filter(({ weight }) => weight >= sure);
  const said = (clear.length > 0 ? clear : differences).slice(0, maxSaid).map(({ words }) => words);
  return `${said.join(', and ')}${differences.length > said.length ? ', and others' : ''}`;
};

export type PageOrder = {
  psi: SideFacts;
  /** The local run that is shown, then the others. */
  lighthouse: readonly SideFacts[];
  isSameMachine?: boolean;
  /** Whether the scores are further apart than two runs of one page: then the least that differs is possible. */
  isApart?: boolean;
};

/**
 * Whether both sides loaded the same page. One sure difference says no, and so do others together. Where several
 * local runs exist, only what none of them has among themselves counts. Undefined when nothing differs.
 */
export function judgePage({ psi, lighthouse, isSameMachine = false, isApart = false }: PageOrder): Cause | undefined {
  const differences = withoutOwn(psi, lighthouse, isSameMachine);
  const weight = differences.reduce((sum, difference) => sum + difference.weight, 0);
  if (weight < (isApart ? hardly : likely)) return undefined;
  const isSure = weight >= sure;
  const evidence: Evidence[] = differences.slice(0, maxEvidence).map(difference => difference.evidence);
  return {
    cause: 'different_page',
    category: null,
    points: null,
    certainty: isSure ? 'observed' : 'possible',
    evidence,
    explanation: isSure
      ? `The two sides did not load the same page: ${tell(differences)}.`
      : `The two sides may have been given different pages: ${tell(differences)}.`,
  };
}
