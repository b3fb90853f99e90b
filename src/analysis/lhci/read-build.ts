/** Answers queries by Lighthouse CI's clients about a build: its statistics, and the link to its comparison. */
import { type Category, categoryNames, type MetricName, type Strategy } from '../../contract/names.ts';
import { auditIds } from '../../measure/lhr/metrics.ts';
import { type Build, findAncestor, type Project } from '../../storage/lhci/builds.ts';
import type { EntryFacts, ResultStore } from '../../storage/results/store.ts';
import { listBuildRuns, readEntries } from './store-upload.ts';

/** Version 2 of Lighthouse CI's statistics: the names used here are a subset of it. */
const statisticsVersion = 2;
const metrics = [
  'interactive',
  'speed_index',
  'first_contentful_paint',
  'largest_contentful_paint',
  'total_blocking_time',
] as const satisfies readonly MetricName[];

/** Converts 13.5.0 to 130500. */
const toVersionNumber = (version: string | null): number => {
  const [, major = 0, minor = 0, patch = 0] = /^(\d+)\.(\d+)\.(\d+)/.exec(version ?? '') ?? [];
  return Number(major) * 10_000 + Number(minor) * 100 + Number(patch);
};

/** Returns the upper median, as Lighthouse CI computes it; -1 for an empty list. */
const upperMedian = (sorted: readonly number[]): number => sorted[sorted.length >> 1] ?? -1;

const sortedOf = (entries: readonly EntryFacts[], toValue: (entry: EntryFacts) => number | null): number[] =>
  entries.flatMap(entry => toValue(entry) ?? []).sort((a, b) => a - b);

function toValues(entries: readonly EntryFacts[]): (readonly [name: string, value: number])[] {
  const scoresOf = (name: Category) =>
    sortedOf(entries, ({ scores }) => (scores[name] === null ? null : scores[name] / 100));
  return [
    ['meta_lighthouse_version', toVersionNumber(entries[0]?.analyser.lighthouseVersion ?? null)],
    ...metrics.map(
      name => [`audit_${auditIds[name]}_median`, upperMedian(sortedOf(entries, entry => entry.metrics[name]))] as const,
    ),
    ...categoryNames.flatMap(name => {
      const scores = scoresOf(name);
      return [
        [`category_${name}_median`, upperMedian(scores)],
        [`category_${name}_min`, scores[0] ?? -1],
        [`category_${name}_max`, scores.at(-1) ?? -1],
      ] as const;
    }),
  ];
}

export type Statistic = {
  readonly url: string;
  readonly name: string;
  readonly version: number;
  readonly value: number;
};

/** Returns the statistics of each page of a sealed build: those of mobile if both devices were uploaded. */
export async function readStatistics(store: ResultStore, build: Build): Promise<Statistic[]> {
  if (build.lifecycle !== 'sealed') return [];
  const runs = await listBuildRuns(store, build);
  const entries = await readEntries(store, build, runs);
  return [...Map.groupBy(runs, ({ url }) => url)].flatMap(([url, ofPage]) => {
    const found = ofPage.flatMap(({ id }) => entries.get(id) ?? []);
    const ofPhone = found.filter(({ strategy }) => strategy === 'mobile');
    const values = toValues(ofPhone.length > 0 ? ofPhone : found);
    return found.length === 0 ? [] : values.map(([name, value]) => ({ url, name, version: statisticsVersion, value }));
  });
}

/** Two labels to compare, or one result if no other build can be compared with it. */
export type BuildView =
  | { readonly before: string; readonly after: string; readonly url: string; readonly strategy: Strategy }
  | { readonly id: string };

/**
 * @param compareUrl URL of a page as the client named it; undefined for the first page of the build that has a result
 * @returns undefined if the build has no results of the page
 */
export async function findBuildView(
  store: ResultStore,
  project: Project,
  build: Build,
  compareUrl: string | undefined,
): Promise<BuildView | undefined> {
  const runs = await listBuildRuns(store, build);
  const entries = await readEntries(store, build, runs);
  const oldestFirst = runs.toReversed();
  const readable = oldestFirst.filter(({ id }) => entries.has(id));
  const wanted = compareUrl ?? readable[0]?.url;
  const same = readable.filter(({ url }) => url === wanted);
  // The client names a page by its document, also if several routes of the document were uploaded.
  const found = same.length > 0 ? same : readable.filter(({ url }) => url.replace(/#.*/s, '') === wanted);
  const shown = found.find(({ isRepresentative }) => isRepresentative) ?? found[0];
  const entry = shown && entries.get(shown.id);
  if (!entry) return undefined;
  const { id, url, strategy } = entry;
  const ancestor = await findAncestor(store.database, project, build);
  const earlier = ancestor && (await store.byLabel(ancestor.label, { url, strategy, kinds: ['result'], limit: 1 }));
  return ancestor && earlier?.length ? { before: ancestor.label, after: build.label, url, strategy } : { id };
}
