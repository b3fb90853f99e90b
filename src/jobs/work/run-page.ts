/** One page of a job: the analysis that a synchronous request would have had, and what of it the job remembers. */
import { analyseBoth, type BothSources, toComparedBody } from '../../analysis/analyse-both.ts';
import { analyseStrategies, type PageAnalysis } from '../../analysis/analyse-strategies.ts';
import { type Outcome, settle } from '../../analysis/outcome.ts';
import type { Recorder } from '../../analysis/records/recorder.ts';
import type { OnProgress } from '../../contract/analysis/progress.ts';
import type { AnalysisError } from '../../contract/errors.ts';
import type { Strategy } from '../../contract/names.ts';
import { toProblem } from '../../contract/problem.ts';
import type { Result } from '../../contract/result/result.ts';
import { toJson } from '../../measure/lhr/json-bytes.ts';
import type { JobRequest, PageOutcome, PagePart } from '../job.ts';

export type PageOptions = {
  client: string;
  isBatch: boolean;
  signal: AbortSignal;
  onProgress: OnProgress;
};

export type MeasuredPage = {
  outcome: PageOutcome;
  /** The answer as JSON, where nothing of it is kept elsewhere. */
  answer: Buffer | null;
  /** What failed, also where the page as a whole did not. */
  errors: readonly AnalysisError[];
};

/** @throws only the reason of the signal */
export type RunPage = (request: JobRequest, url: string, options: PageOptions) => Promise<MeasuredPage>;

type PartOutcome = { source: PagePart['source']; strategy: Strategy; outcome: Outcome<Result> };

const toPart = ({ source, strategy, outcome }: PartOutcome): PagePart =>
  outcome.ok
    ? {
        source,
        strategy,
        id: outcome.value.id ?? null,
        scores: outcome.value.scores,
        disturbed: outcome.value.disturbed ?? null,
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

export type PageSources = BothSources & { recorder: Pick<Recorder, 'comparison'> };

export function createRunPage({ recorder, ...sources }: PageSources): RunPage {
  const { analyseRemote, analyseLocal } = sources;

  return async (request, url, { client, isBatch, signal, onProgress }) => {
    const { label, categories, strategy } = request;
    if (request.kind === 'psi') {
      const options = { detailed: false, fresh: request.fresh, client, isBatch, signal, onProgress };
      return toRemotePage(await analyseStrategies(analyseRemote, { url, strategy, categories, label }, options));
    }
    const { runs, profile, cpu, exclusive } = request;
    const wanted = { url, strategy: request.strategy, categories, runs, profile, cpu, exclusive, label };
    if (request.kind === 'lighthouse') {
      const outcome = await settle(
        analyseLocal(wanted, signal, { client, isBatch, onProgress }).then(({ result }) => result),
        signal,
      );
      const part: PartOutcome = { source: 'lighthouse', strategy: request.strategy, outcome };
      return toMeasured([part], () => toSide(url, outcome), null);
    }
    const both = await analyseBoth(sources, wanted, { fresh: request.fresh, client, isBatch, signal, onProgress });
    const body = await toComparedBody(wanted, both, recorder);
    const comparisonId = 'id' in body && typeof body.id === 'string' ? body.id : null;
    const parts: PartOutcome[] = [
      { source: 'psi', strategy: request.strategy, outcome: both.psi },
      { source: 'lighthouse', strategy: request.strategy, outcome: both.lighthouse },
    ];
    return toMeasured(parts, () => body, comparisonId);
  };
}
