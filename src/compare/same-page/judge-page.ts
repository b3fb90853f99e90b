import type { Cause, Evidence } from '../../contract/analysis/comparison.ts';
import { maxNamed } from '../phrases.ts';
import { compareAddresses } from '../sides/addresses.ts';
import type { SideFacts } from '../sides/side-facts.ts';
import { toText } from '../sides/values.ts';
import { compareLoads } from './compare-loads.ts';
import { toPacking } from './document-packing.ts';
import { type LoadDifference, likely, sure } from './load-difference.ts';
import { toLoadPair } from './load-pair.ts';
import { toPageSizes } from './page-sizes.ts';

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

/** All in which two loads differ, most telling first. */
function findDifferences(psi: SideFacts, lighthouse: SideFacts, isSameMachine: boolean): LoadDifference[] {
  const identity = identityOf(psi, lighthouse);
  const loads = compareLoads(toLoadPair(psi, lighthouse, isSameMachine));
  return [
    ...identity,
    ...[...loads, ...toPacking(psi, lighthouse), ...toPageSizes(psi, lighthouse)].toSorted(
      (a, b) => b.weight - a.weight,
    ),
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

const maxEvidence = 20;

/** What is enough by itself needs no others beside it. What has no room in the sentence is evidence. */
const tell = (differences: readonly LoadDifference[]): string => {
  const clear = differences.filter(({ weight }) => weight >= sure);
  const said = (clear.length > 0 ? clear : differences).slice(0, maxNamed).map(({ words }) => words);
  return `${said.join(', and ')}${differences.length > said.length ? ', and others' : ''}`;
};

export type PageOrder = {
  psi: SideFacts;
  /** The local run that is shown, then the others. */
  lighthouse: readonly SideFacts[];
  isSameMachine?: boolean;
  /** How much has to differ; less than what is likely where the scores are apart and nothing else is known. */
  least?: number;
};

/**
 * Whether both sides loaded the same page. One sure difference says no, and so do others together. Where several
 * local runs exist, only what none of them has among themselves counts. Undefined when nothing differs.
 */
export function judgePage({ psi, lighthouse, isSameMachine = false, least = likely }: PageOrder): Cause | undefined {
  const differences = withoutOwn(psi, lighthouse, isSameMachine);
  const weight = differences.reduce((sum, difference) => sum + difference.weight, 0);
  if (weight < least) return undefined;
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
