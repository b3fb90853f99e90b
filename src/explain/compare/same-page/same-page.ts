import { compareAddresses } from '../../../measure/lhr/facts/loaded-files.ts';
import type { SideFacts } from '../../../measure/lhr/facts/side-facts.ts';
import { toText } from '../../../measure/lhr/values.ts';
import { startUpper } from '../../../presentation/numbers.ts';
import { likely, slight, sure } from '../constants.ts';
import { type Fact, type FoundCause, fact, maxNamed } from '../evidence.ts';
import { compareLoads } from './compare-loads.ts';
import { type Family, type LoadDifference, toLoadPair } from './load-pair.ts';
import { toPageSizes } from './page-sizes.ts';
import { toPacking } from './shared-files.ts';

const maxUrl = 500;
const maxSaidUrl = 120;
const cut = (url: string | null) => url?.slice(0, maxUrl).toWellFormed() ?? null;

const countRedirects = (count: number | null): string =>
  count === 0 ? 'no redirect' : `${count} redirect${count === 1 ? '' : 's'}`;

type Value = Fact['psi'];

const toIdentity = (kind: string, values: readonly [Value, Value], words: string, weight: number): LoadDifference[] =>
  values.includes(null) || values[0] === values[1] ? [] : [{ kind, evidence: fact(kind, ...values), words, weight }];

function identityOf(psi: SideFacts, lighthouse: SideFacts): LoadDifference[] {
  const ended = compareAddresses(psi.finalUrl ?? '', lighthouse.finalUrl ?? '');
  return [
    ...(ended === 'same'
      ? []
      : toIdentity(
          'final_url',
          [cut(psi.finalUrl), cut(lighthouse.finalUrl)],
          `the final URL was ${toText(psi.finalUrl, maxSaidUrl)} ${psi.where} and ${toText(lighthouse.finalUrl, maxSaidUrl)} ${lighthouse.where}`,
          ended === 'place' ? sure : likely,
        )),
    ...toIdentity(
      'status_code',
      [psi.statusCode, lighthouse.statusCode],
      `the document returned status ${psi.statusCode} ${psi.where} and ${lighthouse.statusCode} ${lighthouse.where}`,
      sure,
    ),
    ...toIdentity(
      'redirects',
      [psi.redirects, lighthouse.redirects],
      `the page loaded after ${countRedirects(psi.redirects)} ${psi.where} and ${countRedirects(lighthouse.redirects)} ${lighthouse.where}`,
      sure,
    ),
  ];
}

/** Finds all differences of two loads, the most important first. */
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

/** Removes differences that the local runs also have among themselves, or that apply only to some of them. */
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

const leftByShifts: ReadonlySet<string> = new Set(['picture', 'largest_element']);
const weighShifted = (difference: LoadDifference): LoadDifference =>
  leftByShifts.has(difference.kind) ? { ...difference, weight: Math.min(slight, difference.weight) } : difference;
const byWeight = (a: LoadDifference, b: LoadDifference): number => b.weight - a.weight;

const maxEvidence = 20;

const leads: Readonly<Record<Family | 'page', { sure: string; possible: string }>> = {
  page: {
    sure: 'The two sides did not load the same page: ',
    possible: 'The two sides may have loaded different pages: ',
  },
  compression: {
    sure: 'The two sides got the same files with different compression: ',
    possible: 'The two sides got the same files with different compression: ',
  },
  blocked: { sure: '', possible: '' },
  consent: { sure: '', possible: '' },
  stored: {
    sure: 'The two sides got the same files in different ways: ',
    possible: 'The two sides got the same files in different ways: ',
  },
  largest_element: { sure: '', possible: '' },
};

/** Kinds that a family implies: a consent banner also changes the screenshot and the largest element. */
const seenWith: Partial<Readonly<Record<Family, ReadonlySet<string>>>> = {
  consent: new Set(['picture', 'largest_element', 'elements']),
};

/**
 * Describes differences. If some are enough by themselves, only these are described. Those that do not fit in the
 * sentence become evidence. Differences of one kind have a common name.
 */
function tell(differences: readonly LoadDifference[], certainty: 'sure' | 'possible'): string {
  const clear = differences.filter(({ weight }) => weight >= sure);
  const all = clear.length > 0 ? clear : differences;
  const [first] = differences;
  const without = first?.family ? seenWith[first.family] : undefined;
  const told = without ? all.filter(({ kind, weight }) => !without.has(kind) && weight >= slight) : all;
  const said = told.slice(0, maxNamed);
  const [family] = said.map(({ family }) => family);
  const lead = said.every(difference => difference.family === family) ? (family ?? 'page') : 'page';
  const others = told.slice(said.length).some(({ weight }) => weight >= slight) ? ', and others' : '';
  return startUpper(`${leads[lead][certainty]}${said.map(({ words }) => words).join(', and ')}${others}.`);
}

export type PageOrder = {
  psi: SideFacts;
  /** The displayed local run, then the others. */
  lighthouse: readonly SideFacts[];
  isSameMachine?: boolean;
  /** Whether layout shifts explain at least half of the difference: they also change the final screenshot. */
  isShifted?: boolean;
  /** Min weight; less than `likely` if the scores differ and there is no other cause. */
  least?: number;
};

/**
 * Decides whether both sides loaded the same page: one sure difference, or several weaker ones, mean that they did not.
 * With several local runs, only differences that these do not have among themselves count. Undefined if the differences
 * together weigh less than `least`.
 */
export function judgePage(order: PageOrder): FoundCause | undefined {
  const { psi, lighthouse, isSameMachine = false, isShifted = false, least = likely } = order;
  const found = withoutOwn(psi, lighthouse, isSameMachine);
  const differences = isShifted ? found.map(difference => weighShifted(difference)).toSorted(byWeight) : found;
  const weight = differences.reduce((sum, difference) => sum + difference.weight, 0);
  if (weight < least) return undefined;
  const isSure = weight >= sure;
  return {
    cause: 'different_page',
    category: null,
    points: null,
    certainty: isSure ? 'observed' : 'possible',
    evidence: differences.slice(0, maxEvidence).map(({ evidence }) => evidence),
    explanation: tell(differences, isSure ? 'sure' : 'possible'),
  };
}
