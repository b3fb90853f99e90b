/**
 * Measures one load of an experiment. It is not stored as a result, because variants would change the history of their
 * page.
 */

import type { Conditions } from '../contract/conditions/conditions.ts';
import type { Hits, LoadVariant } from '../contract/experiments/load-variant.ts';
import { type PrimaryMetric, primaryMetrics } from '../contract/experiments/names.ts';
import type { Profile, Strategy } from '../contract/names.ts';
import type { Result } from '../contract/result/result.ts';
import { withoutQuery } from '../contract/without-query.ts';
import type { HostConditions } from '../measure/lhr/to-result.ts';
import type { LocalAnalyser } from '../measure/lighthouse/pool.ts';
import { readMeasured } from '../measure/lighthouse/read-page.ts';
import type { TargetPolicy } from '../measure/targets/policy.ts';
import { assertLocalTarget } from './assert-target.ts';
import type { Threads } from './threads/threads.ts';

export type Arm = {
  url: string;
  strategy: Strategy;
  profile: Profile;
  conditions: Partial<Conditions>;
  variant: LoadVariant;
};

type MeasuredArm = {
  scores: Result['scores'];
  disturbed: boolean | null;
  load: {
    metrics: Readonly<Partial<Record<PrimaryMetric, number | null>>>;
    machineId: string | null;
    hits: Hits;
    finalUrl: string;
  };
};

type ArmOptions = { client: string; signal: AbortSignal };

/** @throws AnalysisError of source `lighthouse`; the signal's reason */
export type MeasureArm = (arm: Arm, options: ArmOptions) => Promise<MeasuredArm>;

const categories = ['performance'] as const;
const locale = 'en-US';

const toMetrics = ({ scores, metrics, custom_metrics: custom }: Result): MeasuredArm['load']['metrics'] => ({
  ...Object.fromEntries(
    primaryMetrics.map(name => [name, name === 'performance' ? (scores.performance ?? null) : metrics[name].value]),
  ),
  ...custom,
});

export const createMeasureArm =
  ({
    policy,
    local,
    threads,
  }: {
    policy: TargetPolicy;
    local: LocalAnalyser;
    threads: Pick<Threads, 'readLhr'>;
  }): MeasureArm =>
  async ({ url, strategy, profile, conditions: asked, variant }, { client, signal }) => {
    assertLocalTarget(policy, url);
    const requestedAt = new Date().toISOString();
    const analyser = { kind: 'local' } as const;
    const read = readMeasured(threads, { source: 'lighthouse', analyser, url, strategy, categories, requestedAt });
    // Conditions of the returned load: a disturbed load may have been replaced by its repeat.
    const conditionsOf = new WeakMap<object, HostConditions>();
    const { value } = await local.audit(
      {
        url,
        strategy,
        categories: [...categories],
        profile,
        locale,
        exclusive: true,
        withoutFullPageScreenshot: true,
        variant,
        ...asked,
      },
      async (bytes, conditions) => {
        const page = await read(bytes, conditions);
        conditionsOf.set(page, conditions);
        return page;
      },
      signal,
      { isBatch: true, isHere: true, client },
    );
    const { result } = value;
    const conditions = conditionsOf.get(value);
    return {
      scores: result.scores,
      disturbed: result.disturbed ?? null,
      load: {
        metrics: toMetrics(result),
        machineId: conditions?.machineId ?? null,
        hits: conditions?.hits ?? {},
        finalUrl: withoutQuery(result.final_url),
      },
    };
  };
