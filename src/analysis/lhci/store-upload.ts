/** Stores the Lighthouse results of a build. When the build is sealed, selects the representative runs of each page. */
import { createHash } from 'node:crypto';
import { AnalysisError, fromPlainError } from '../../contract/errors.ts';
import { orderByMedian } from '../../explain/change/kept-side.ts';
import { addRun, type Build, listRuns, type Run, sealBuild } from '../../storage/lhci/builds.ts';
import { createResultId, toResultId } from '../../storage/results/result-id.ts';
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
 * Stores one run under the label of its build. A page that could not be measured is stored as a failure.
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
  const { url, pageUrl, strategy, measuredAtMs } = read;
  const id = imported ? toResultId(measuredAtMs, createHash('sha256').update(imported.id).digest()) : createResultId();
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
  const { createdAtMs = Date.now(), isRepresentative = false } = imported ?? {};
  const run: Run = { id, buildId: build.id, url, strategy, isRepresentative, createdAtMs };
  await addRun(store.database, run);
  return run;
}

/** Returns the results of a build by their ids, without removed ones. */
export async function readEntries(store: ResultStore, { label }: Build): Promise<ReadonlyMap<string, EntryFacts>> {
  const entries = await store.byLabel(label, { kinds: ['result'] });
  return new Map(entries.map(entry => [entry.id, entry]));
}

/**
 * Selects the run nearest to the medians as the representative of each page and device.
 * @returns false if there are no runs
 */
export async function sealUpload(store: ResultStore, build: Build): Promise<boolean> {
  const runs = await listRuns(store.database, build.id);
  if (runs.length === 0) return false;
  const entries = await readEntries(store, build);
  const pages = Map.groupBy(runs, ({ url, strategy }) => `${strategy} ${url}`);
  const chosen = [...pages.values()].flatMap(
    ofPage => orderByMedian(ofPage.flatMap(({ id }) => entries.get(id) ?? []))[0] ?? [],
  );
  await sealBuild(
    store.database,
    build.id,
    chosen.map(({ id }) => id),
  );
  return true;
}
