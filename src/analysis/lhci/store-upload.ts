/** Stores the Lighthouse results of a build, and selects the representative run of each page. */
import { createHash } from 'node:crypto';
import { AnalysisError, fromPlainError } from '../../contract/errors.ts';
import { orderByMedian } from '../../explain/change/kept-side.ts';
import {
  addRun,
  type Build,
  findBuild,
  listRunResults,
  listRuns,
  type Run,
  sealBuild,
} from '../../storage/lhci/builds.ts';
import { toResultId } from '../../storage/results/result-id.ts';
import type { EntryFacts, ResultStore } from '../../storage/results/store.ts';
import type { Recorder } from '../records/recorder.ts';
import type { Threads } from '../threads/threads.ts';

export type UploadParts = {
  readonly store: ResultStore;
  readonly recorder: Recorder;
  readonly threads: Pick<Threads, 'readUpload'>;
};

/** A run from a different database. Its id is derived from its id there, so it is the same in every import. */
type Imported = { readonly id: string; readonly createdAtMs: number; readonly isRepresentative: boolean };

/**
 * Stores one run under the label of its build. A page that could not be measured is stored as a failure. A repeated
 * upload has the same id, so it is stored once: a client may repeat it after any error.
 * @param bytes body of the upload; empty afterwards
 * @returns `refused`: the reason why the run cannot be stored
 * @throws AnalysisError `results_unavailable`, StoreFaultError
 */
export async function storeRun(
  { store, recorder, threads }: UploadParts,
  build: Build,
  bytes: Uint8Array,
  imported?: Imported,
): Promise<Run | { refused: string }> {
  const read = await threads.readUpload({ bytes }, { client: build.projectId });
  if ('refused' in read) return read;
  const { url, pageUrl, strategy, measuredAtMs, digest } = read;
  const origin = imported?.id ?? `${build.id} ${digest}`;
  const id = toResultId(measuredAtMs, createHash('sha256').update(origin).digest());
  const { createdAtMs = store.clock.now(), isRepresentative = false } = imported ?? {};
  const run: Run = { id, buildId: build.id, url, strategy, isRepresentative, createdAtMs: Math.floor(createdAtMs) };
  // The run comes first: a result without one would not belong to its project, and age with the results of others.
  if (!(await addRun(store.database, run)) && !(await findBuild(store.database, build.projectId, build.id)))
    return { refused: 'The build was removed, because it is too old or its project takes too much space.' };
  const measuring = { strategy, profile: null, label: build.label };
  if (imported && (await store.get(id))) {
    // A repeated command continues after the stored runs.
  } else if ('failure' in read) {
    const analyser = { kind: 'uploaded', host: null };
    const error = fromPlainError(read.failure);
    const past = { id, measuredAtMs };
    await recorder.failure({ ...measuring, error, source: 'lighthouse', url: pageUrl, analyser, past });
  } else {
    const { result, lighthouseResult } = read;
    const answer = await recorder.result({ ...measuring, result, lighthouseResult, id });
    if (answer.id === undefined)
      throw new AnalysisError('results_unavailable', answer.warnings.at(-1) ?? 'The result could not be stored.');
  }
  return run;
}

/** Returns the results of a build by their ids, without removed ones, but with those that wait for the database. */
export async function readEntries(
  store: ResultStore,
  build: Build,
  runs: readonly Run[],
): Promise<ReadonlyMap<string, EntryFacts>> {
  const entries = new Map((await listRunResults(store.database, build.id)).map(entry => [entry.id, entry]));
  if (store.status().waiting === 0) return entries;
  for (const { id } of runs) {
    const waiting = entries.has(id) ? undefined : await store.get(id);
    if (waiting?.kind === 'result') entries.set(id, waiting);
  }
  return entries;
}

const toPages = (runs: readonly Run[]): (readonly Run[])[] => [
  ...Map.groupBy(runs, ({ url, strategy }) => `${strategy} ${url}`).values(),
];

/** Returns the ids of the runs nearest to the medians, one for each page and device. */
const selectRuns = (pages: readonly (readonly Run[])[], entries: ReadonlyMap<string, EntryFacts>): string[] =>
  pages.flatMap(ofPage => orderByMedian(ofPage.flatMap(({ id }) => entries.get(id) ?? []))[0]?.id ?? []);

/**
 * Selects the representative runs, and seals the build.
 * @returns false if there are no runs
 */
export async function sealUpload(store: ResultStore, build: Build): Promise<boolean> {
  if (build.lifecycle === 'sealed') return true;
  const runs = await listRuns(store.database, build.id);
  if (runs.length === 0) return false;
  await sealBuild(store.database, build.id, selectRuns(toPages(runs), await readEntries(store, build, runs)));
  return true;
}

/**
 * Lists the runs of a build, newest first. If the results of a page were not readable when the build was sealed, because
 * they waited for the database, the representative run is selected now.
 */
export async function listBuildRuns(store: ResultStore, build: Build): Promise<Run[]> {
  const runs = await listRuns(store.database, build.id);
  const pages = toPages(runs).filter(ofPage => !ofPage.some(({ isRepresentative }) => isRepresentative));
  if (build.lifecycle !== 'sealed' || pages.length === 0) return runs;
  const selected = new Set(selectRuns(pages, await readEntries(store, build, runs)));
  return runs.map(run => (selected.has(run.id) ? { ...run, isRepresentative: true } : run));
}
