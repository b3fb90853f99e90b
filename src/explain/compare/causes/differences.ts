/** Rules for differences of the sides that have no points: responses, protocols, devices, versions, age. */
import type { LoadReading } from '../../../measure/lhr/facts/load-facts.ts';
import type { LoadedFile } from '../../../measure/lhr/facts/loaded-files.ts';
import type { SideFacts } from '../../../measure/lhr/facts/side-facts.ts';
import { toText } from '../../../measure/lhr/values.ts';
import { clocksApartMs, farMilestones, lateDocument, lateFile, leastStatedPoints } from '../constants.ts';
import { fact, factOf, ratioOf } from '../evidence.ts';
import { toFilesOfBoth } from '../same-page/load-pair.ts';
import { type ComparedFacts, toRule } from './cause-rule.ts';

const isFar = (one: number, other: number, { ms, ratio }: { ms: number; ratio: number }): boolean =>
  Math.abs(one - other) >= ms && (ratioOf(one, other) ?? 1) >= ratio;

/** Returns whether the document took much longer to arrive on one side. */
export const isLate = ([psi, lighthouse]: ComparedFacts['facts']): boolean =>
  psi.serverResponseTime !== null &&
  lighthouse.serverResponseTime !== null &&
  isFar(psi.serverResponseTime, lighthouse.serverResponseTime, lateDocument);

type LateAnswer = { place: string; psi: number; lighthouse: number };
type Timed = Pick<LoadedFile, 'place' | 'durationMs' | 'transferred'>;

const toDocument = ({ finalUrl, documentMs, documentTransferred }: SideFacts): Timed => ({
  place: toText(finalUrl),
  durationMs: documentMs,
  transferred: documentTransferred ?? 0,
});

/** Returns responses that took much longer on one side: of the document, or of a small file. */
const toLateAnswers = (psi: SideFacts, lighthouse: SideFacts): LateAnswer[] =>
  [{ psi: toDocument(psi), lighthouse: toDocument(lighthouse) }, ...toFilesOfBoth(psi.load, lighthouse.load)].flatMap(
    ({ psi: theirs, lighthouse: ours }: Record<'psi' | 'lighthouse', Timed>) => {
      if (theirs.durationMs === null || ours.durationMs === null) return [];
      const isSmall = Math.max(theirs.transferred, ours.transferred) <= lateFile.mostBytes;
      return isSmall && isFar(theirs.durationMs, ours.durationMs, lateFile)
        ? [{ place: ours.place, psi: theirs.durationMs, lighthouse: ours.durationMs }]
        : [];
    },
  );

const isSame = (one: LateAnswer, other: LateAnswer): boolean =>
  one.place === other.place && one.psi > one.lighthouse === other.psi > other.lighthouse;

/**
 * Finds a single late response, which the latencies of its origin may not show.
 * @param others the other local runs: a machine that stalled once is not a slow server
 */
export function findLateAnswer(
  psi: SideFacts,
  lighthouse: SideFacts,
  others: readonly SideFacts[],
): LateAnswer | undefined {
  const inOthers = others.map(other => toLateAnswers(psi, other));
  const [latest] = toLateAnswers(psi, lighthouse)
    .filter(answer => inOthers.every(all => all.some(other => isSame(answer, other))))
    .toSorted((a, b) => Math.abs(b.psi - b.lighthouse) - Math.abs(a.psi - a.lighthouse));
  return latest && { ...latest, psi: Math.round(latest.psi), lighthouse: Math.round(latest.lighthouse) };
}

/** Returns whether the side that waited for a late answer scores clearly higher: it is then no cause. */
function pointsAway({ psi: theirs, lighthouse: ours }: LateAnswer, [psi, lighthouse]: ComparedFacts['results']) {
  const more = (lighthouse.scores.performance ?? 0) - (psi.scores.performance ?? 0);
  return Math.abs(more) >= leastStatedPoints && ours > theirs === more > 0;
}

export const lateAnswer = toRule({
  cause: 'server',
  needs: ({ facts: [psi, lighthouse], results, others }) => {
    const latest = findLateAnswer(psi, lighthouse, others);
    return latest && !pointsAway(latest, results) ? latest : undefined;
  },
  weigh: 'observed',
  say: ({ place, psi: theirs, lighthouse: ours }, { facts: [psi, lighthouse] }) => ({
    evidence: [factOf('answer_ms', place, theirs, ours)],
    explanation: `${place} took ${theirs} ms to arrive ${psi.where} and ${ours} ms ${lighthouse.where}. The effect was not computed.`,
  }),
});

const protocolNames: ReadonlyMap<string | null, string> = new Map([
  ['http/1.0', 'HTTP/1.0'],
  ['http/1.1', 'HTTP/1.1'],
  ['h2', 'HTTP/2'],
  ['h3', 'HTTP/3'],
]);

const isOneByOne = ({ protocol }: LoadedFile): boolean => protocol?.startsWith('http/1') ?? false;

type OtherProtocol = { host: string; psi: string; lighthouse: string; files: number };

/**
 * Returns the host with the most files that used HTTP/1.1 on one side and a multiplexed protocol on the other. HTTP/2
 * and HTTP/3 count as the same, because which of them is used is random.
 */
export function findOtherProtocol(psi: LoadReading, lighthouse: LoadReading): OtherProtocol | undefined {
  const found = new Map<string, OtherProtocol>();
  for (const { psi: theirs, lighthouse: ours } of toFilesOfBoth(psi, lighthouse)) {
    const [one, other] = [protocolNames.get(theirs.protocol), protocolNames.get(ours.protocol)];
    if (!one || !other || isOneByOne(theirs) === isOneByOne(ours)) continue;
    const { host } = theirs;
    found.set(host, { host, psi: one, lighthouse: other, files: (found.get(host)?.files ?? 0) + 1 });
  }
  return [...found.values()].toSorted((a, b) => b.files - a.files)[0];
}

/** A different protocol. Its effect depends on the number of files per connection. */
export const otherProtocol = toRule({
  cause: 'server',
  needs: ({ facts: [psi, lighthouse] }) => findOtherProtocol(psi.load, lighthouse.load),
  weigh: 'observed',
  say: ({ host, psi: theirs, lighthouse: ours }, { facts: [psi, lighthouse] }) => ({
    evidence: [factOf('protocol', host, theirs, ours)],
    explanation: `${host} used ${theirs} ${psi.where} and ${ours} ${lighthouse.where}. The effect was not computed.`,
  }),
});

/** Returns both values of a fact if both sides report it, and they differ. */
const differ = <Value>(one: Value | null, other: Value | null): [Value, Value] | undefined =>
  one !== null && other !== null && one !== other ? [one, other] : undefined;

export const otherDevice = toRule({
  cause: 'form_factor',
  needs: ({ facts: [psi, lighthouse] }) => differ(psi.formFactor, lighthouse.formFactor),
  weigh: 'observed',
  say: ([theirs, ours]) => ({
    evidence: [fact('form_factor', theirs, ours)],
    explanation: 'One side simulated a phone, the other a desktop computer.',
  }),
});

/** Returns the major and minor version: a patch does not change measurements. */
const toRelease = (version: string): string => version.split('.').slice(0, 2).join('.');

export const findOtherVersions = ([psi, lighthouse]: ComparedFacts['facts']): [string, string] | undefined =>
  differ(toRelease(psi.lighthouseVersion), toRelease(lighthouse.lighthouseVersion)) && [
    psi.lighthouseVersion,
    lighthouse.lighthouseVersion,
  ];

export const otherVersion = toRule({
  cause: 'lighthouse_version',
  needs: ({ facts }) => findOtherVersions(facts),
  weigh: 'observed',
  say: ([theirs, ours]) => ({
    evidence: [fact('lighthouse_version', theirs, ours)],
    explanation:
      'The two sides run different versions of Lighthouse, which may audit pages and weight scores differently.',
  }),
});

export const otherBrowser = toRule({
  cause: 'chrome_version',
  needs: ({ facts: [psi, lighthouse] }) => differ(psi.chromeMilestone, lighthouse.chromeMilestone),
  weigh: ([theirs, ours]) => (Math.abs(theirs - ours) >= farMilestones ? 'possible' : 'observed'),
  say: ([theirs, ours]) => ({
    evidence: [fact('chrome_milestone', theirs, ours)],
    explanation: 'The two sides run different versions of the browser.',
  }),
});

const toSeconds = (ms: number): number => Math.max(0, Math.round(ms / 1000));

/** A result that was cached by this service or by PSI, and so was measured before the request. */
export const olderResult = toRule({
  cause: 'cached_answer',
  needs: ({ results: [psi], askedAtMs }) => {
    const isStored = psi.cache?.status === 'hit' || psi.cache?.status === 'stale';
    return isStored || Date.parse(psi.fetched_at) < askedAtMs - clocksApartMs ? psi : undefined;
  },
  weigh: 'possible',
  say: (psi, { results: [, lighthouse], askedAtMs }) => ({
    evidence: [
      fact('fetched_at', psi.fetched_at, lighthouse.fetched_at),
      fact('seconds_in_cache', psi.cache?.age ?? 0, 0),
      fact('seconds_old', toSeconds(askedAtMs - Date.parse(psi.fetched_at)), 0),
    ],
    explanation: 'The PSI result is older than the local one. The page may have changed in between.',
  }),
});
