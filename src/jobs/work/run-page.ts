/** Measures one page of a job in the same way as a synchronous request, and returns the outcome that the job stores. */
import { analyseBoth, type BothSources, toComparedBody } from '../../analysis/analyse-both.ts';
import type { AnalyseRemote, RemoteAnalysis } from '../../analysis/analyse-remote.ts';
import { analyseStrategies, type PageAnalysis } from '../../analysis/analyse-strategies.ts';
import type { MeasureArm } from '../../analysis/measure-arm.ts';
import { type Outcome, settle } from '../../analysis/outcome.ts';
import type { Recorder } from '../../analysis/records/recorder.ts';
import { toPerformanceRange, valuesOf } from '../../analysis/records/to-entry.ts';
import type { OnProgress } from '../../contract/analysis/progress.ts';
import { AnalysisError } from '../../contract/errors.ts';
import { completeOptions, pickOptions } from '../../contract/measuring-options.ts';
import type { Strategy } from '../../contract/names.ts';
import { toProblem } from '../../contract/problem.ts';
import type { Result } from '../../contract/result/result.ts';
import { toJson } from '../../measure/lhr/json-bytes.ts';
import { toShown, toShownScores } from '../../presentation/undisturbed.ts';
import { tableMetrics } from '../../presentation/words.ts';
import type { Vault } from '../../storage/access/vault.ts';
import type { JobRequest, PageOutcome, PagePart } from '../job.ts';
import { withAccess } from '../job-secret.ts';
import { type LoadPlace, toArm } from '../to-arm.ts';

export type PageOptions = {
  client: string;
  isBatch: boolean;
  signal: AbortSignal;
  onProgress: OnProgress;
  /** Present for a page of a job with secrets. */
  load?: LoadPlace | undefined;
  /** Remote results of earlier tries, filled in here: a page that waited for a slot is not measured remotely again. */
  found: Map<Strategy, RemoteAnalysis>;
};

export type MeasuredPage = {
  outcome: PageOutcome;
  /** The answer as JSON; null if the page failed or all of its results are stored elsewhere. */
  answer: Buffer | null;
  /** All failures, including those of single parts of the page. */
  errors: readonly AnalysisError[];
};

/** @throws only the signal's reason */
export type RunPage = (request: JobRequest, url: string, options: PageOptions) => Promise<MeasuredPage>;

type PartOutcome = { source: PagePart['source']; strategy: Strategy; outcome: Outcome<Result> };

const toPart = ({ source, strategy, outcome }: PartOutcome): PagePart =>
  outcome.ok
    ? {
        source,
        strategy,
        id: outcome.value.id ?? null,
        scores: toShownScores(outcome.value),
        metrics: valuesOf(tableMetrics, name => toShown(outcome.value, name).value),
        disturbed: outcome.value.disturbed ?? null,
        performanceRange: toPerformanceRange(outcome.value),
        error: null,
      }
    : { source, strategy, id: null, scores: null, disturbed: null, error: toProblem(outcome.error) };

function toMeasured(parts: readonly PartOutcome[], toAnswer: () => unknown, comparisonId: string | null): MeasuredPage {
  const errors = parts.flatMap(({ outcome }) => (outcome.ok ? [] : [outcome.error]));
  const [first] = errors;
  const isKept = parts.every(({ outcome }) => !outcome.ok || outcome.value.id !== undefined);
  const error = first && errors.length === parts.length ? toProblem(first) : null;
  return {
    outcome: { parts: parts.map(toPart), comparisonId, error },
    answer: isKept || error ? null : toJson(toAnswer()),
    errors,
  };
}

const parsed = (outcome: Outcome<{ json: Buffer }>): Outcome<Result> =>
  outcome.ok ? { ok: true, value: JSON.parse(outcome.value.json.toString('utf8')) as Result } : outcome;

const toSide = (url: string, outcome: Outcome<Result>) =>
  outcome.ok ? outcome.value : { url, error: toProblem(outcome.error) };

function toRemotePage(analysis: PageAnalysis): MeasuredPage {
  const { url } = analysis;
  if ('outcome' in analysis) {
    const outcome = parsed(analysis.outcome);
    return toMeasured([{ source: 'psi', strategy: analysis.strategy, outcome }], () => toSide(url, outcome), null);
  }
  const [mobile, desktop] = [parsed(analysis.mobile), parsed(analysis.desktop)];
  const parts: PartOutcome[] = [
    { source: 'psi', strategy: 'mobile', outcome: mobile },
    { source: 'psi', strategy: 'desktop', outcome: desktop },
  ];
  const toAnswer = () => ({ url, strategy: 'both', mobile: toSide(url, mobile), desktop: toSide(url, desktop) });
  return toMeasured(parts, toAnswer, null);
}

type ExperimentJob = Extract<JobRequest, { kind: 'experiment' }>;

async function runLoad(
  { measureArm, vault }: Pick<PageSources, 'measureArm' | 'vault'>,
  { experiment }: ExperimentJob,
  { load, client, signal }: PageOptions,
): Promise<MeasuredPage> {
  if (!load) throw new Error('a load of an experiment without its place');
  const arm = toArm(experiment, load, vault);
  const { url, strategy } = arm;
  const outcome = await settle(measureArm(arm, { client, signal }), signal);
  const part: PagePart = outcome.ok
    ? { source: 'lighthouse', strategy, id: null, error: null, ...outcome.value }
    : { source: 'lighthouse', strategy, id: null, scores: null, error: toProblem(outcome.error) };
  return {
    outcome: { parts: [part], comparisonId: null, error: part.error },
    answer: part.load ? toJson({ url, strategy, metrics: part.load.metrics }) : null,
    errors: outcome.ok ? [] : [outcome.error],
  };
}

export type PageSources = BothSources & {
  measureArm: MeasureArm;
  recorder: Pick<Recorder, 'comparison'>;
  /** Opens the secrets of jobs; undefined without ACCESS_KEY. */
  vault: Vault | undefined;
};

/** Returns the outcome of a page that was not measured, because its secrets cannot be opened here. */
const toRefused = (error: AnalysisError): MeasuredPage => ({
  outcome: { parts: [], comparisonId: null, error: toProblem(error) },
  answer: null,
  errors: [error],
});

export function createRunPage({ recorder, ...sources }: PageSources): RunPage {
  const { analyseLocal, vault } = sources;

  const run: RunPage = async (stored, url, options) => {
    const request = withAccess(stored, options.load, vault);
    if (request.kind === 'experiment') return runLoad(sources, request, options);
    const { client, isBatch, signal, onProgress, found } = options;
    const analyseRemote: AnalyseRemote = async (wanted, asked) => {
      const analysis = found.get(wanted.strategy) ?? (await sources.analyseRemote(wanted, asked));
      found.set(wanted.strategy, analysis);
      return analysis;
    };
    if (request.kind === 'psi') {
      const asked = { detailed: false, fresh: request.fresh, client, isBatch, signal, onProgress };
      return toRemotePage(await analyseStrategies(analyseRemote, { url, ...pickOptions('psi', request) }, asked));
    }
    const wanted = { url, ...completeOptions('page', request) };
    if (request.kind === 'lighthouse') {
      const outcome = await settle(
        analyseLocal(wanted, signal, { client, isBatch, onProgress }).then(({ result }) => result),
        signal,
      );
      const part: PartOutcome = { source: 'lighthouse', strategy: request.strategy, outcome };
      return toMeasured([part], () => toSide(url, outcome), null);
    }
    const asked = { fresh: request.fresh, client, isBatch, signal, onProgress };
    const both = await analyseBoth({ ...sources, analyseRemote }, wanted, asked);
    const body = await toComparedBody(wanted, both, recorder);
    const comparisonId = 'id' in body && typeof body.id === 'string' ? body.id : null;
    const parts: PartOutcome[] = [
      { source: 'psi', strategy: request.strategy, outcome: both.psi },
      { source: 'lighthouse', strategy: request.strategy, outcome: both.lighthouse },
    ];
    return toMeasured(parts, () => body, comparisonId);
  };

  return async (request, url, options) => {
    try {
      return await run(request, url, options);
    } catch (error) {
      if (error instanceof AnalysisError && !options.signal.aborted) return toRefused(error);
      throw error;
    }
  };
}
