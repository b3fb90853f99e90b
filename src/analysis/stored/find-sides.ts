/** Finds the stored runs of an id or a label, and selects those that can be compared. */

import { AnalysisError, type Source } from '../../contract/errors.ts';
import type { Strategy } from '../../contract/names.ts';
import { toUploadedUrl } from '../../contract/stored/build-label.ts';
import { fewestRanked } from '../../explain/statistics/compare-samples.ts';
import { fewestUsual } from '../../explain/statistics/interval.ts';
import type { EntryKind } from '../../storage/database/tables.ts';
import type { EntryFacts, ResultStore } from '../../storage/results/store.ts';
import { areInOneState, readAlike, toKind, toSegments, withoutRepeats } from '../records/page-history.ts';

export type SidesWanted = {
  /** Id of a result, or a label. */
  readonly before: string;
  readonly after: string;
  /** URL to select from the results with a label; null for any. */
  readonly url: string | null;
  readonly strategy: Strategy | null;
  readonly source: Source | null;
};

export type FoundSide = {
  readonly asked: string;
  readonly by: 'id' | 'label';
  /** Stored runs, newest first, at least one; all have the same page, strategy and source. */
  readonly entries: readonly EntryFacts[];
  /** Other results of the page in the same state, newest first, if the side has too few runs. */
  readonly history: readonly EntryFacts[];
};

/** A valid request that does not identify which results to compare. */
export class UnclearSideError extends Error {
  readonly parameter: 'before' | 'after' | 'url';

  constructor(parameter: UnclearSideError['parameter'], message: string) {
    super(message);
    this.name = 'UnclearSideError';
    this.parameter = parameter;
  }
}

/** Max number of runs of a side: more would slow the comparison down without making it more certain. */
const mostRuns = 100;
/** Max number of entries of a label, across all of its pages. */
const mostEntries = 1000;
const kinds = ['result', 'run'] as const;

const notFound = (asked: string): AnalysisError =>
  new AnalysisError('result_not_found', `No stored result has the id or label '${asked}'.`);

/** Reasons why an entry has no values to compare, by its kind; undefined for kinds that have values. */
const noValues: Readonly<Record<EntryKind, string | undefined>> = {
  result: undefined,
  run: undefined,
  failure: 'it is a failed measurement, without values',
  comparison: 'it is a comparison: send the id of one of its results',
  experiment: 'it is an experiment, which already compares its variants with the page',
};

async function findSide(store: ResultStore, name: 'before' | 'after', wanted: SidesWanted): Promise<FoundSide> {
  const asked = wanted[name];
  const entry = await store.get(asked);
  const fault = entry && noValues[entry.kind];
  if (fault !== undefined) throw new UnclearSideError(name, fault);
  if (entry) {
    const { groupId } = entry;
    const { results } = groupId === null ? { results: [entry] } : await store.list({ groupId, kinds, limit: mostRuns });
    // Another client may have removed the result in the meantime.
    if (results.length === 0) throw notFound(asked);
    return { asked, by: 'id', entries: results, history: [] };
  }
  const entries = await findLabelled(store, asked, wanted);
  if (entries.length === 0) throw notFound(asked);
  return { asked, by: 'label', entries, history: [] };
}

async function findLabelled(store: ResultStore, label: string, { url, strategy, source }: SidesWanted) {
  const find = (ofUrl: string | null) =>
    store.byLabel(label, {
      kinds,
      limit: mostEntries,
      ...(ofUrl === null ? {} : { url: ofUrl }),
      ...(strategy === null ? {} : { strategy }),
      ...(source === null ? {} : { source }),
    });
  const found = await find(url);
  const uploadedUrl = found.length === 0 && url !== null ? toUploadedUrl(url) : undefined;
  return uploadedUrl === undefined ? found : (await find(uploadedUrl)).filter(isUploaded);
}

const isUploaded = ({ analyser }: EntryFacts): boolean => analyser.kind === 'uploaded';

/** Returns whether one side was uploaded without the port that the page of the other side has. */
export function areUploadAndPage([before, after]: readonly [FoundSide, FoundSide]): boolean {
  const isUploadOf = ([one]: readonly EntryFacts[], [other]: readonly EntryFacts[]) =>
    one !== undefined && other !== undefined && isUploaded(one) && toUploadedUrl(other.url) === one.url;
  return isUploadOf(before.entries, after.entries) || isUploadOf(after.entries, before.entries);
}

type FoundSides = readonly [before: FoundSide, after: FoundSide];

/** Preferred value if both sides have several. There is no preferred page. */
const preferred: Readonly<Record<'source' | 'strategy', readonly string[]>> = {
  source: ['lighthouse', 'psi'],
  strategy: ['mobile', 'desktop'],
};

function choose(key: 'url' | 'source' | 'strategy' | 'conditions', values: ReadonlySet<string>): string {
  // Results without conditions first, then in a fixed order.
  if (key === 'conditions') return [...values].sort()[0] ?? '';
  if (key !== 'url') return preferred[key].find(value => values.has(value)) ?? '';
  const [only = '', ...others] = values;
  if (others.length > 0) throw new UnclearSideError('url', `the results belong to ${values.size} pages: select one`);
  return only;
}

/** Narrows runs to one value of a fact: a value that both sides share, or else one value for each side. */
function narrow(sides: FoundSides, key: 'url' | 'source' | 'strategy' | 'conditions'): FoundSides {
  const [before, after] = sides.map(({ entries }) => new Set(entries.map(entry => entry[key] ?? ''))) as [
    Set<string>,
    Set<string>,
  ];
  const common = new Set([...before].filter(value => after.has(value)));
  const keep = (side: FoundSide, values: ReadonlySet<string>): FoundSide => {
    const chosen = choose(key, common.size > 0 ? common : values);
    return { ...side, entries: side.entries.filter(entry => (entry[key] ?? '') === chosen) };
  };
  return [keep(sides[0], before), keep(sides[1], after)];
}

/**
 * Removes runs that the other side names: the label of the baseline may include the new runs, and a run on both sides
 * would hide a change. A label without other runs is compared as it is.
 */
function withoutNamed(side: FoundSide, other: FoundSide): FoundSide {
  if (side.by === 'id' || other.by === 'label') return side;
  const named = new Set(other.entries.map(({ id }) => id));
  const entries = side.entries.filter(({ id }) => !named.has(id));
  return entries.length > 0 ? { ...side, entries } : side;
}

/** @throws AnalysisError `result_not_found`, UnclearSideError, StoreFaultError */
export async function findSides(store: ResultStore, wanted: SidesWanted): Promise<FoundSides> {
  const found = [await findSide(store, 'before', wanted), await findSide(store, 'after', wanted)] as const;
  const narrowed = (['url', 'source', 'strategy', 'conditions'] as const).reduce<FoundSides>(narrow, found);
  const sides: FoundSides = [withoutNamed(narrowed[0], narrowed[1]), withoutNamed(narrowed[1], narrowed[0])];
  const toNewest = (side: FoundSide): FoundSide => ({
    ...side,
    entries: withoutRepeats(side.entries).slice(0, mostRuns),
  });
  return addHistory(store, [toNewest(sides[0]), toNewest(sides[1])]);
}

/** Max number of results of a page to search for its changes. */
const mostHistory = 200;

const timesOf = ({ entries }: FoundSide): number[] => entries.map(({ measuredAtMs }) => measuredAtMs);

/**
 * Adds other results of the page, from one of its changes to the next, to sides with few runs. Without a change between
 * the sides, the older one gets all that were measured up to it, and those up to the newer one if they are too few: a
 * change just before the newer one is found later. Results in another state than those of the side are left out.
 */
async function addHistory(store: ResultStore, sides: FoundSides): Promise<FoundSides> {
  const [before, after] = sides;
  const [first] = before.entries;
  const compared = [...before.entries, ...after.entries];
  const isFew = ({ entries }: FoundSide) => entries.length < fewestRanked;
  if (!first || !sides.some(isFew) || new Set(compared.map(toKind)).size > 1) return sides;
  const ids = new Set(compared.map(({ id }) => id));
  const newest = await readAlike(store, first, { limit: mostHistory });
  const untilMs = Math.max(...sides.flatMap(timesOf)) + 1;
  // Results after both sides may show the change between them. Only the newest are read, unless the sides are older.
  const alike = newest.some(({ id }) => ids.has(id))
    ? newest
    : await readAlike(store, first, { untilMs, limit: mostHistory });
  const segments = toSegments(alike);
  const segmentOf = ({ entries }: FoundSide) =>
    segments.find(segment => segment.some(({ id }) => entries.some(entry => entry.id === id))) ?? [];
  const add = (side: FoundSide, found: readonly EntryFacts[]): FoundSide => {
    const history = found.filter(({ id }) => !ids.has(id)).toReversed();
    return isFew(side) && areInOneState(side.entries, history)
      ? { ...side, history: history.slice(0, mostRuns) }
      : side;
  };
  const [ofBefore, ofAfter] = [segmentOf(before), segmentOf(after)];
  if (ofBefore !== ofAfter) return [add(before, ofBefore), add(after, ofAfter)];
  const isReversed = Math.max(...timesOf(before)) > Math.max(...timesOf(after));
  const [older, newer] = isReversed ? [after, before] : [before, after];
  const until = (endMs: number) => ofBefore.filter(({ measuredAtMs }) => measuredAtMs < endMs);
  const upToOlder = until(Math.max(...timesOf(older)) + 1);
  const known = add(older, upToOlder.length >= fewestUsual ? upToOlder : until(Math.min(...timesOf(newer))));
  const other = isFew(older) && known.history.length === 0 ? add(newer, until(untilMs)) : newer;
  return isReversed ? [other, known] : [known, other];
}
