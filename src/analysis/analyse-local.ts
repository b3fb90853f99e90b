import type { OnProgress, Progress } from '../contract/analysis/progress.ts';
import { AnalysisError, type ErrorCode } from '../contract/errors.ts';
import type { MeasuringOptions } from '../contract/measuring-options.ts';
import type { Result } from '../contract/result/result.ts';
import type { Reading } from '../measure/lhr/facts/side-facts.ts';
import { fitResult } from '../measure/lhr/fit-result.ts';
import type { Bytes, Measured } from '../measure/lhr/measured.ts';
import { chooseRun, isSteady, mostRuns, toRuns, withRepeats } from '../measure/lhr/runs.ts';
import { isCalibrated } from '../measure/lighthouse/messages.ts';
import type { LocalAnalyser } from '../measure/lighthouse/pool.ts';
import { readMeasured } from '../measure/lighthouse/read-page.ts';
import { toConditionsId, toShownConditions } from '../measure/shown-conditions.ts';
import type { TargetPolicy } from '../measure/targets/policy.ts';
import { assertLocalTarget } from './assert-target.ts';
import { addDefaultCpu, withoutCalibration } from './default-cpu.ts';
import { toAnalysisError } from './outcome.ts';
import type { Recorder } from './records/recorder.ts';
import type { Threads } from './threads/threads.ts';

export type LocalRequest = MeasuringOptions<'page'> & { readonly url: string };

/** A run that is not the displayed one. */
type OtherRun = Pick<LocalAnalysis, 'result' | 'reading' | 'artifacts'>;

export type LocalAnalysis = {
  result: Result;
  /** The whole Lighthouse result as JSON. */
  lighthouseResult: Bytes;
  /** Facts for a comparison. */
  reading: Reading;
  /** Id of the artifacts for a re-audit, if they were requested and are available. */
  artifacts: string | undefined;
  /** The runs that are not displayed, if artifacts were requested. */
  others: readonly OtherRun[];
  /** Removes the artifacts. The code that requested them must call it. */
  release(): Promise<void>;
};

export type LocalSources = {
  policy: TargetPolicy;
  local: LocalAnalyser;
  threads: Pick<Threads, 'readLhr'>;
  recorder: Recorder;
};

/** One load of the page. */
type AuditedRun = Measured & { artifacts: string | undefined };
/** `failures` are the error codes of the other runs. */
type MeasuredRuns = { runs: AuditedRun[]; failures: ErrorCode[] };
type KeptRun = AuditedRun & { release(): Promise<void> };
type KeepOrder = Pick<Parameters<Recorder['result']>[0], 'profile' | 'label' | 'runOf' | 'id'>;

type LocalOptions = {
  keepArtifacts?: boolean;
  /** Whether to skip the full-page screenshot, which takes a second, because the request does not need full data. */
  withoutFullPageScreenshot?: boolean;
  /** Name of the client: clients take turns in the queue. */
  client?: string | undefined;
  /** Whether this is one page of many: it waits behind single requests. */
  isBatch?: boolean | undefined;
  onProgress?: OnProgress | undefined;
};

type LocalRunOptions = LocalOptions & {
  requestedAt: string;
  /** Whether an earlier run of the request had a slot. */
  isAdmitted?: true;
};

export type AnalyseLocal = (
  request: LocalRequest,
  signal: AbortSignal,
  options?: LocalOptions,
) => Promise<LocalAnalysis>;

const locale = 'en-US';
/** Codes of runs that did not start. Without them, the result would silently have fewer runs than requested. */
const refused: ReadonlySet<ErrorCode> = new Set(['shutting_down', 'queue_full', 'queue_unavailable']);

/**
 * Measures a page with local Lighthouse, one or more times in sequence, and returns one of the runs.
 * @throws AnalysisError of source `lighthouse`; the signal's reason when the client disconnected
 */
export function createAnalyseLocal({ policy, local, threads, recorder }: LocalSources): AnalyseLocal {
  async function measure(
    request: LocalRequest,
    signal: AbortSignal,
    { keepArtifacts = false, withoutFullPageScreenshot, requestedAt, onProgress, ...options }: LocalRunOptions,
  ): Promise<AuditedRun> {
    const { url, strategy, categories } = request;
    const analyser = { kind: 'local' } as const;
    const { value, artifacts, repeated } = await local.audit(
      { ...request, locale, ...(withoutFullPageScreenshot ? { withoutFullPageScreenshot } : {}) },
      readMeasured(threads, {
        ...{ source: 'lighthouse', analyser, url, strategy, categories, requestedAt },
        asked: toShownConditions(request),
      }),
      signal,
      {
        ...options,
        keepArtifacts: keepArtifacts || recorder.keepsArtifacts || isCalibrated(request),
        onProgress: onProgress && (progress => onProgress({ source: 'lighthouse', strategy, ...progress })),
      },
    );
    return { ...value, result: withRepeats(value.result, repeated), artifacts };
  }

  /** @throws the same error, with the id of the stored failure */
  async function keepFailure(request: LocalRequest, error: unknown): Promise<never> {
    if (!(error instanceof AnalysisError)) throw error;
    const analyser = { kind: 'local', host: null };
    const { url, strategy, profile, label } = request;
    const conditions = toConditionsId(request);
    const identity = { url, strategy, profile, label, conditions, analyser } as const;
    throw await recorder.failure({ error, source: 'lighthouse', ...identity });
  }

  const release = async (artifacts: string | undefined) => {
    if (artifacts !== undefined) await local.release(artifacts);
  };

  async function keepRun(run: AuditedRun, order: KeepOrder): Promise<KeptRun> {
    const { artifacts } = run;
    const files = recorder.keepsArtifacts && artifacts !== undefined ? local.filesOf(artifacts) : undefined;
    const result = await recorder.result({ ...run, ...order, files });
    return { ...run, result, release: () => release(artifacts) };
  }

  /** Adds the score of the same load with Lighthouse's default CPU throttling. */
  async function withUsualCpu(run: AuditedRun, request: LocalRequest, signal: AbortSignal): Promise<AuditedRun> {
    if (request.cpu !== 'calibrated') return run;
    if (!isCalibrated(request)) return { ...run, result: withoutCalibration(run.result) };
    return { ...run, result: await addDefaultCpu(local, run, request.profile, signal) };
  }

  /** Stores every run. @returns the displayed run as the response contains it, and the other runs */
  async function keepRuns(request: LocalRequest, { runs, failures }: MeasuredRuns, signal: AbortSignal) {
    const { profile, label, runs: asked } = request;
    const results = runs.map(({ result }) => result);
    const chosen = chooseRun(results);
    const nearest = runs[chosen.index] as AuditedRun;
    const shown = await withUsualCpu(nearest, request, signal);
    if (asked === 1) return { shown: await keepRun(shown, { profile, label }), others: [] };
    const ids = runs.flatMap(() => recorder.createId() ?? []);
    const id = ids[chosen.index];
    const summary = {
      ...toRuns(results, { asked: asked === 'auto' ? mostRuns : asked, chosen, failures }),
      ...(id === undefined ? {} : { ids }),
    };
    const others: KeptRun[] = [];
    for (const [index, run] of runs.entries()) {
      const own = ids[index];
      const runOf = own !== undefined && id !== undefined ? { id: own, groupId: id } : undefined;
      if (run !== nearest) others.push(await keepRun(run, { profile, label, runOf }));
    }
    const result = fitResult({ ...shown.result, runs: summary });
    return { shown: await keepRun({ ...shown, result }, { profile, label, id }), others };
  }

  /**
   * Measures runs in sequence, each from the end of the queue: parallel runs would disturb each other and occupy all
   * slots. The first run must succeed; a later one that fails is noted, but one that is refused ends the analysis.
   */
  async function measureAll(request: LocalRequest, signal: AbortSignal, options: LocalRunOptions) {
    const most = request.runs === 'auto' ? mostRuns : request.runs;
    const { onProgress } = options;
    const ofRun = (run: number): LocalRunOptions =>
      onProgress && most > 1
        ? { ...options, onProgress: progress => onProgress({ ...progress, run, runs: most } as Progress) }
        : options;
    const failures: ErrorCode[] = [];
    const audits = [await measure(request, signal, ofRun(1)).catch(error => keepFailure(request, error))];
    try {
      const isEnough = () => request.runs === 'auto' && isSteady(audits.map(({ result }) => result));
      for (let run = 2; run <= most && !isEnough(); run += 1) {
        const audit = await measure(request, signal, { ...ofRun(run), isAdmitted: true }).catch(toAnalysisError);
        signal.throwIfAborted();
        if (audit instanceof AnalysisError && refused.has(audit.code)) throw audit;
        if (audit instanceof AnalysisError) failures.push(audit.code);
        else audits.push(audit);
      }
      return { runs: audits, failures };
    } catch (error) {
      await Promise.all(audits.map(({ artifacts }) => release(artifacts)));
      throw error;
    }
  }

  return async (request, signal, options = {}) => {
    assertLocalTarget(policy, request.url);
    const measured = await measureAll(request, signal, { ...options, requestedAt: new Date().toISOString() });
    const { shown, others } = await keepRuns(request, measured, signal).catch(async error => {
      await Promise.all(measured.runs.map(({ artifacts }) => release(artifacts)));
      throw error;
    });
    const { result, lighthouseResult, reading, artifacts } = shown;
    const releaseAll = async () => void (await Promise.all([shown, ...others].map(run => run.release())));
    if (options.keepArtifacts) return { result, lighthouseResult, reading, artifacts, others, release: releaseAll };
    void releaseAll();
    return { result, lighthouseResult, reading, artifacts: undefined, others: [], release: async () => {} };
  };
}
