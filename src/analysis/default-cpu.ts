/** Second score of a calibrated load: its score with Lighthouse's default CPU throttling. */
import type { Profile } from '../contract/names.ts';
import type { DefaultCpu, Result } from '../contract/result/result.ts';
import { fitResult } from '../measure/lhr/fit-result.ts';
import { wholeScore } from '../measure/lighthouse/messages.ts';
import type { LocalAnalyser } from '../measure/lighthouse/pool.ts';
import type { ReAuditResult } from '../measure/lighthouse/replies.ts';
import { settle } from './outcome.ts';

/** CPU multipliers of a phone. default-cpu.test.ts compares them with Lighthouse's presets. */
export const usualMultipliers: Readonly<Record<Profile, number>> = { lighthouse: 4, psi: 1.2 };

/** Tolerance for a re-audit with unchanged settings: Lighthouse rounds each score to a hundredth. */
const sameScorePoints = 1;

const toPoints = (result: ReAuditResult | undefined): number | null => {
  const score = result?.[wholeScore]?.score;
  return typeof score === 'number' ? Math.round(100 * score) : null;
};

const toName = (id: string): string => id.replaceAll('-', '_');

/**
 * Computes the default score. Null if the first re-audit, which changes no setting, does not reproduce the measured
 * score.
 */
export function toDefaultCpu(
  { scores }: Result,
  multiplier: number,
  [same, usual]: readonly ReAuditResult[],
): DefaultCpu | null {
  const [again, performance, measured] = [toPoints(same), toPoints(usual), scores.performance ?? null];
  if (again === null || performance === null || measured === null || !usual) return null;
  if (Math.abs(again - measured) > sameScorePoints) return null;
  const metrics = Object.entries(usual).filter(([id]) => id !== wholeScore);
  return {
    cpu_slowdown_multiplier: multiplier,
    performance,
    metrics: Object.fromEntries(metrics.map(([id, { value }]) => [toName(id), value])),
  };
}

/** Adds a warning that a run was not calibrated, because desktop runs have no CPU throttling. */
export const withoutCalibration = (result: Result): Result =>
  fitResult({
    ...result,
    warnings: [
      'CPU throttling: 1×. Desktop runs are not throttled, so this run was not calibrated.',
      ...result.warnings,
    ],
  });

/** Benchmark index below which calibration applies no throttling: see calibration.ts. */
const phoneIndex = 150;

const sayIndex = (index: number): string => Math.round(index).toLocaleString('en-US');

/** Describes both scores and their CPU throttling in one sentence, for the page, the report and the terminal. */
export function sayCalibration({ environment, scores }: Result, usual: DefaultCpu | null): string[] {
  const { calibration, cpu_slowdown_multiplier: multiplier } = environment;
  if (!calibration || multiplier === null) return [];
  const how = `CPU throttling: ${multiplier}×, calibrated from a benchmark index of ${sayIndex(calibration.benchmark_index)} (${calibration.measurements} measurements)${calibration.benchmark_index < phoneIndex ? '. This machine is slower than the phone it emulates, so times are too long' : ''}`;
  if (typeof scores.performance !== 'number') return [`${how}.`];
  return usual
    ? [`${how}. With the default ${usual.cpu_slowdown_multiplier}×, this load scores ${usual.performance}.`]
    : [`${how}. The score with the default throttling could not be computed.`];
}

type Loaded = { result: Result; artifacts: string | undefined };

async function auditAgain(
  local: Pick<LocalAnalyser, 'reAudit'>,
  { result, artifacts }: Loaded,
  multiplier: number,
  signal: AbortSignal,
): Promise<DefaultCpu | null> {
  if (typeof result.scores.performance !== 'number' || artifacts === undefined) return null;
  const again = await settle(local.reAudit(artifacts, [{}, { cpuSlowdownMultiplier: multiplier }], signal), signal);
  return again.ok ? toDefaultCpu(result, multiplier, again.value) : null;
}

/**
 * Adds the second score to a calibrated result by a new simulation. The page is not loaded again.
 * @throws only when the client disconnected
 */
export async function addDefaultCpu(
  local: Pick<LocalAnalyser, 'reAudit'>,
  loaded: Loaded,
  profile: Profile,
  signal: AbortSignal,
): Promise<Result> {
  const usual = await auditAgain(local, loaded, usualMultipliers[profile], signal);
  const { result } = loaded;
  return fitResult({
    ...result,
    default_cpu: usual,
    warnings: [...sayCalibration(result, usual), ...result.warnings],
  });
}
