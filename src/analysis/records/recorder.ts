/**
 * Stores each measurement before the response, so that its id is valid. If storing fails, the response contains a
 * warning.
 */

import { promisify } from 'node:util';
import { constants, zstdCompress } from 'node:zlib';
import { type AnalysisError, faultOf, type Source } from '../../contract/errors.ts';
import type { ExperimentAnswer } from '../../contract/experiments/answer.ts';
import type { Profile, Strategy } from '../../contract/names.ts';
import { toProblem } from '../../contract/problem.ts';
import type { Result, ResultLinks } from '../../contract/result/result.ts';
import { fitResult } from '../../measure/lhr/fit-result.ts';
import type { ArtifactPaths } from '../../measure/lighthouse/folders/kept-artifacts.ts';
import { createResultId } from '../../storage/results/result-id.ts';
import type {
  AnalyserIdentity,
  ArtifactSources,
  EntryFacts,
  Kept,
  NewEntry,
  ResultStore,
} from '../../storage/results/store.ts';
import { type Measuring, toComparisonFacts, toFailureFacts, toPerformanceRange, toResultFacts } from './to-entry.ts';
import { toLinks } from './to-kept-facts.ts';
import { findUsualSpread } from './usual-spread.ts';

type Recorded<T> = T & { id?: string; label?: string; links?: ResultLinks; warnings?: string[] };

type ResultOrder = {
  result: Result;
  /** The whole Lighthouse result as JSON; null if it is unknown. */
  lighthouseResult: Uint8Array | null;
  profile: Profile | null;
  label: string | null;
  /** Id of a run that is not the displayed result, and id of its group. */
  runOf?: { id: string; groupId: string } | undefined;
  /** Id of a result that represents several runs. */
  id?: string | undefined;
  /** Files to store with the result; they may be removed afterwards. */
  files?: ArtifactPaths | undefined;
  /** Called instead of adding the warning that the result waits for the database, which soon no longer applies. */
  onWaiting?: ((warning: string) => void) | undefined;
};

type FailureOrder = {
  error: AnalysisError;
  source: Source;
  url: string;
  strategy: Strategy;
  profile: Profile | null;
  label: string | null;
  /** Name of the conditions of the request; absent without any. */
  conditions?: string | null;
  analyser: Pick<AnalyserIdentity, 'kind' | 'host'>;
  /** Id and time of an imported failure. */
  past?: { readonly id: string; readonly measuredAtMs: number } | undefined;
};

export type Recorder = {
  /** Stores a result with its full data, and returns it as the response contains it. Never throws. */
  result(order: ResultOrder): Promise<Result>;
  /**
   * Stores a failure of the page, and returns it as the response contains it. Other failures are returned without being
   * stored. Never throws.
   */
  failure(order: FailureOrder): Promise<AnalysisError>;
  /** Stores the answer of a comparison, and returns it as the response contains it. Never throws. */
  comparison<Body extends { url: string; strategy: Strategy }>(
    body: Body,
    measuring: Pick<Measuring, 'profile' | 'label' | 'conditions'>,
  ): Promise<Recorded<Body>>;
  /** Stores the answer of an experiment under its own id. @returns why it is not stored, if so. Never throws. */
  experiment(answer: ExperimentAnswer): Promise<string | undefined>;
  readonly keepsArtifacts: boolean;
  /** Creates an id for runs of one result before any of them is stored; undefined if results are not stored. */
  createId(): string | undefined;
};

const zstd = promisify(zstdCompress);
/** Compresses into one chunk for typical results: each chunk costs the serving thread a turn of its event loop. */
const compress = (bytes: Uint8Array) =>
  zstd(bytes, { chunkSize: 128 * 1024, params: { [constants.ZSTD_c_checksumFlag]: 1 } });

export const noRecorder: Recorder = {
  result: async ({ result }) => result,
  failure: async ({ error }) => error,
  comparison: async body => body,
  experiment: async () => undefined,
  keepsArtifacts: false,
  createId: () => undefined,
};

const toSources = ({ trace, networkLog, gathered }: ArtifactPaths): ArtifactSources => ({
  trace,
  network_log: networkLog,
  gathered,
});

const screenshotKey = '"final-screenshot"';
const screenshotStart = /^"final-screenshot"\s*:\s*\{[^{}]*"details"\s*:\s*\{[^{}]*?"data"\s*:\s*"data:image\//;

/**
 * Returns whether a result has a final screenshot. The function searches its text, in which quotes of the page are
 * escaped, because parsing a whole result would take too long.
 */
function hasFinalScreenshot(lighthouseResult: Uint8Array | null): boolean {
  if (lighthouseResult === null) return false;
  const { buffer, byteOffset, byteLength } = lighthouseResult;
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  for (let at = bytes.indexOf(screenshotKey); at >= 0; at = bytes.indexOf(screenshotKey, at + 1))
    if (screenshotStart.test(bytes.toString('latin1', at, at + 2000))) return true;
  return false;
}

const toWarning = (kept: Exclude<Kept, { kept: true }>): string =>
  kept.isWaiting
    ? `This result is not stored yet: ${kept.fault.message}`
    : `This result could not be stored: ${kept.fault.message}`;

function addWarning(result: Result, warning: string, onWaiting?: ResultOrder['onWaiting']): Result {
  if (!onWaiting) return { ...result, warnings: [...result.warnings, warning] };
  onWaiting(warning);
  return result;
}

/** Returns whether a side of a comparison was disturbed; null if neither side reports it. */
function isSideDisturbed(body: object): boolean | null {
  const { psi, lighthouse } = body as Partial<Record<Source, Pick<Result, 'disturbed'>>>;
  const marks = [psi?.disturbed, lighthouse?.disturbed];
  return marks.includes(true) || (marks.includes(false) ? false : null);
}

const toPage = ({ url, strategy, conditions }: Result) => ({ url, strategy, conditions: conditions?.id ?? null });

/** Returns whether a result represents several runs. The repeat of a disturbed run does not count. */
const standsForSeveral = ({ runs }: Result): boolean => runs !== undefined && runs.requested > 1;

export type RecorderSettings = {
  store: ResultStore;
  /** Id of this machine, which distinguishes its results from those of others. */
  machineId: string;
  keepsArtifacts: boolean;
  now?: () => number;
};

export function createRecorder({ store, machineId, keepsArtifacts, now = Date.now }: RecorderSettings): Recorder {
  const keep = async (
    facts: EntryFacts,
    answer: object,
    { fullBytes = null, artifactBytes }: { fullBytes?: Uint8Array | null; artifactBytes?: number | undefined } = {},
  ): Promise<{ isLost: boolean; warning: string | undefined }> => {
    const full = fullBytes && { bytes: await compress(fullBytes), coding: 'zstd' };
    const entry: NewEntry = { ...facts, summary: JSON.stringify(answer), full, artifactBytes };
    const kept = await store.keep(entry);
    if (kept.kept) return { isLost: false, warning: undefined };
    return { isLost: !kept.isWaiting, warning: toWarning(kept) };
  };

  /**
   * Adds the usual range of the page, unless the result has the range of its own runs. Several runs have none if only
   * one of them was undisturbed.
   */
  const withSpread = async (result: Result, facts: EntryFacts): Promise<Result> => {
    const { runs, scores } = result;
    const isTimed = typeof scores.performance === 'number';
    if (isTimed ? runs?.scores.performance : (runs?.completed ?? 1) > 1) return result;
    const spread = await findUsualSpread(store, result, facts);
    return spread ? fitResult({ ...result, spread }) : result;
  };

  return {
    keepsArtifacts,
    createId: () => createResultId(now()),
    async result({ result, lighthouseResult, profile, label, runOf, files, onWaiting, id: givenId }) {
      const id = runOf?.id ?? givenId ?? createResultId(now());
      const kind = runOf ? 'run' : 'result';
      const groupId = runOf?.groupId ?? (standsForSeveral(result) ? id : null);
      const measuring = { ...toPage(result), profile, label };
      // The artifacts are stored before the response, so that its links work.
      const artifactBytes = files && keepsArtifacts ? await store.takeArtifacts(id, toSources(files)) : undefined;
      const hasArtifacts = artifactBytes !== undefined;
      const hasScreenshot = hasFinalScreenshot(lighthouseResult);
      const links = toLinks({ id, kind, source: result.source, hasScreenshot, hasArtifacts }) as ResultLinks;
      const facts = toResultFacts(result, { place: { id, kind, groupId }, measuring, machineId });
      const ranged = await withSpread(result, facts);
      const answer = { ...ranged, id, ...(label === null ? {} : { label }), links };
      const kept = { ...facts, performanceRange: toPerformanceRange(ranged) };
      const { isLost, warning } = await keep(kept, answer, { fullBytes: lighthouseResult, artifactBytes });
      if (warning === undefined) return answer;
      return isLost ? addWarning(ranged, warning) : addWarning(answer, warning, onWaiting);
    },
    async failure({ error, source, url, strategy, profile, label, conditions = null, analyser, past }) {
      if (faultOf(error.code) !== 'page') return error;
      const measuredAtMs = past?.measuredAtMs ?? now();
      const id = past?.id ?? createResultId(measuredAtMs);
      const isHere = analyser.kind === 'local' || analyser.kind === 'embedded';
      const facts = toFailureFacts(error, {
        place: { id, kind: 'failure', groupId: null },
        measuring: { url, strategy, profile, label, conditions },
        source,
        analyser: {
          ...analyser,
          lighthouseVersion: null,
          browserVersion: null,
          machineId: isHere ? machineId : null,
        },
        measuredAtMs,
      });
      const labelled = label === null ? {} : { label };
      const links = toLinks({ id, kind: 'failure', source, hasArtifacts: false });
      const answer = { id, ...labelled, links, url, source, strategy, error: toProblem(error) };
      return (await keep(facts, answer)).isLost ? error : error.keptAs(id);
    },
    async comparison(body, { profile, label, conditions }) {
      const id = createResultId(now());
      const { url, strategy } = body;
      const links = toLinks({ id, kind: 'comparison', source: 'compare', hasArtifacts: false }) as ResultLinks;
      const answer = { ...body, id, ...(label === null ? {} : { label }), links };
      const facts = toComparisonFacts({
        place: { id, kind: 'comparison', groupId: null },
        measuring: { url, strategy, profile, label, conditions },
        analyser: { kind: 'compare', host: null, lighthouseVersion: null, browserVersion: null, machineId },
        measuredAtMs: now(),
        disturbed: isSideDisturbed(body),
      });
      const { isLost, warning } = await keep(facts, answer);
      if (warning === undefined) return answer;
      return { ...(isLost ? body : answer), warnings: [warning] };
    },
    async experiment(answer) {
      const { id, url, strategy, profile, label, conditions } = answer;
      const facts = toComparisonFacts({
        place: { id, kind: 'experiment', groupId: null },
        measuring: { url, strategy, profile, label, conditions: conditions?.id ?? null },
        analyser: { kind: 'local', host: null, lighthouseVersion: null, browserVersion: null, machineId },
        measuredAtMs: now(),
        disturbed: null,
      });
      return (await keep(facts, answer)).warning;
    },
  };
}
