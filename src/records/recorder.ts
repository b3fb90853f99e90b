/**
 * Keeps what was measured, before it is answered: so that its id leads somewhere. A store that cannot take it loses no
 * answer: the answer says so.
 */
import { promisify } from 'node:util';
import { zstdCompress } from 'node:zlib';
import type { Profile, Strategy } from '../contract/names.ts';
import { toProblem } from '../contract/problem.ts';
import type { ResultLinks } from '../contract/result/kept-fields.ts';
import type { Result } from '../contract/result/result.ts';
import { type AnalysisError, faultOf, type Source } from '../errors.ts';
import { createResultId } from '../results/result-id.ts';
import type { AnalyserIdentity, ArtifactSources, EntryFacts, Kept, NewEntry, ResultStore } from '../results/store.ts';
import { toLinks } from './links.ts';
import { type Measuring, toComparisonFacts, toFailureFacts, toResultFacts } from './to-entry.ts';

export type Recorded<T> = T & { id?: string; label?: string; links?: ResultLinks; warnings?: string[] };

type ResultOrder = {
  result: Result;
  /** The whole Lighthouse result as JSON. */
  lighthouseResult: Uint8Array;
  profile: Profile | null;
  label: string | null;
  /** One of several runs, of which another is the result. */
  runOf?: { id: string; groupId: string } | undefined;
  /** Of a result that stands for several runs. */
  id?: string | undefined;
  /** Whether its artifacts will be offered. */
  hasArtifacts: boolean;
};

type FailureOrder = {
  error: AnalysisError;
  source: Source;
  url: string;
  strategy: Strategy;
  profile: Profile | null;
  label: string | null;
  analyser: Pick<AnalyserIdentity, 'kind' | 'host'>;
};

export type Recorder = {
  /** Keeps a result with its full data, and returns it as it is answered. Never throws. */
  result(order: ResultOrder): Promise<Result>;
  /** Keeps a failure of the page, and returns it as it is answered; others say nothing of it. Never throws. */
  failure(order: FailureOrder): Promise<AnalysisError>;
  /** Keeps the answer of a comparison, and returns it as it is answered. Never throws. */
  comparison<Body extends { url: string; strategy: Strategy }>(
    body: Body,
    measuring: Pick<Measuring, 'profile' | 'label'>,
  ): Promise<Recorded<Body>>;
  /** Takes copies of the artifacts of a kept result. Never throws. */
  artifacts(id: string, sources: ArtifactSources): Promise<void>;
  /** Whether artifacts are kept at all. */
  readonly keepsArtifacts: boolean;
  /** For runs of one result, before any is kept; undefined where nothing is. */
  createId(): string | undefined;
};

const zstd = promisify(zstdCompress);
/** Each piece that comes out is a turn of the serving thread: usual results are one, not four. */
const compress = (bytes: Uint8Array) => zstd(bytes, { chunkSize: 128 * 1024 });

/** For a service that keeps nothing. */
export const noRecorder: Recorder = {
  result: async ({ result }) => result,
  failure: async ({ error }) => error,
  comparison: async body => body,
  artifacts: async () => {},
  keepsArtifacts: false,
  createId: () => undefined,
};

const toWarning = (kept: Exclude<Kept, { kept: true }>): string =>
  kept.isWaiting
    ? `This result waits to be kept: ${kept.fault.message}`
    : `This result could not be kept: ${kept.fault.message}`;

export type RecorderSettings = {
  store: ResultStore;
  /** Tells this machine's results from those of others. */
  machineId: string;
  keepsArtifacts: boolean;
  now?: () => number;
};

export function createRecorder({ store, machineId, keepsArtifacts, now = Date.now }: RecorderSettings): Recorder {
  const keep = async (
    facts: EntryFacts,
    answer: object,
    fullBytes: Uint8Array | null,
  ): Promise<{ isLost: boolean; warning: string | undefined }> => {
    const full = fullBytes && { bytes: await compress(fullBytes), coding: 'zstd' };
    const entry: NewEntry = { ...facts, summary: JSON.stringify(answer), full };
    const kept = await store.keep(entry);
    if (kept.kept) return { isLost: false, warning: undefined };
    return { isLost: !kept.isWaiting, warning: toWarning(kept) };
  };

  return {
    keepsArtifacts,
    createId: () => createResultId(now()),
    async result({ result, lighthouseResult, profile, label, runOf, hasArtifacts, id: givenId }) {
      const id = runOf?.id ?? givenId ?? createResultId(now());
      const kind = runOf ? 'run' : 'result';
      const groupId = runOf?.groupId ?? (result.runs ? id : null);
      const measuring = { url: result.url, strategy: result.strategy, profile, label };
      const links = toLinks({ id, kind, source: result.source, hasArtifacts }) as ResultLinks;
      const answer = { ...result, id, ...(label === null ? {} : { label }), links };
      const facts = toResultFacts(result, { place: { id, kind, groupId }, measuring, machineId });
      const { isLost, warning } = await keep(facts, answer, lighthouseResult);
      if (warning === undefined) return answer;
      return { ...(isLost ? result : answer), warnings: [...result.warnings, warning] };
    },
    async failure({ error, source, url, strategy, profile, label, analyser }) {
      if (faultOf(error.code) !== 'page') return error;
      const id = createResultId(now());
      const isHere = analyser.kind === 'local' || analyser.kind === 'embedded';
      const facts = toFailureFacts(error, {
        place: { id, kind: 'failure', groupId: null },
        measuring: { url, strategy, profile, label },
        source,
        analyser: {
          ...analyser,
          lighthouseVersion: null,
          browserVersion: null,
          machineId: isHere ? machineId : null,
        },
        measuredAtMs: now(),
      });
      const labelled = label === null ? {} : { label };
      const links = toLinks({ id, kind: 'failure', source, hasArtifacts: false });
      const answer = { id, ...labelled, links, url, source, strategy, error: toProblem(error) };
      return (await keep(facts, answer, null)).isLost ? error : error.keptAs(id);
    },
    async comparison(body, { profile, label }) {
      const id = createResultId(now());
      const { url, strategy } = body;
      const links = toLinks({ id, kind: 'comparison', source: 'compare', hasArtifacts: false }) as ResultLinks;
      const answer = { ...body, id, ...(label === null ? {} : { label }), links };
      const facts = toComparisonFacts({
        place: { id, kind: 'comparison', groupId: null },
        measuring: { url, strategy, profile, label },
        analyser: { kind: 'compare', host: null, lighthouseVersion: null, browserVersion: null, machineId },
        measuredAtMs: now(),
      });
      const { isLost, warning } = await keep(facts, answer, null);
      if (warning === undefined) return answer;
      return { ...(isLost ? body : answer), warnings: [warning] };
    },
    async artifacts(id, sources) {
      if (keepsArtifacts) await store.keepArtifacts(id, sources);
    },
  };
}
