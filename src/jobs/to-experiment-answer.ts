/** Builds the answer of an experiment from the pages that its job has finished so far. */

import { LRUCache } from 'lru-cache';
import type { ExperimentAnswer, VariantFacts } from '../contract/experiments/answer.ts';
import { type PrimaryMetric, primaryMetrics } from '../contract/experiments/names.ts';
import { isCustomMetricName } from '../contract/names.ts';
import {
  type ExperimentLoad,
  type ExperimentLoads,
  judgeExperiment,
  type Paired,
  toOtherMeasures,
  type VariantVerdict,
} from '../explain/experiments/judge.ts';
import { controlArms, toOrder, toPlan } from '../explain/experiments/plan.ts';
import { type Remark, toRemarks } from '../explain/experiments/remarks.ts';
import { isDisturbed } from '../presentation/undisturbed.ts';
import type { SqlDatabase } from '../storage/database/sql.ts';
import type { Job, PagePart, PageRow } from './job.ts';
import { listPages, readJob } from './statements.ts';

function toBlocks(
  { id }: Pick<Job, 'id' | 'request'>,
  pages: readonly PageRow[],
  variants: number,
): (PagePart | undefined)[][] {
  const plan = toPlan(variants);
  const order = toOrder(id, plan);
  const blocks = Array.from({ length: plan.blocks }, () => new Array<PagePart | undefined>(plan.arms).fill(undefined));
  for (const { position, outcome } of pages) {
    const block = blocks[Math.floor(position / plan.arms)];
    // A load that was interrupted twice has an error, but no parts.
    const part = outcome?.parts[0] ?? (outcome && { ...noPart, error: outcome.error });
    if (block && part) block[order[position] ?? 0] = part;
  }
  return blocks;
}

const noPart: PagePart = { source: 'lighthouse', strategy: 'mobile', id: null, scores: null, error: null };

const toLoad = (part: PagePart | undefined): ExperimentLoad => (part ? (part.load ?? null) : undefined);

/**
 * Returns whether further loads cannot change the answer. Within a block, the answer remains that of the last complete
 * block.
 */
export function isExperimentOver(job: Pick<Job, 'id' | 'request'>, pages: readonly PageRow[]): boolean {
  if (job.request.kind !== 'experiment') return false;
  const { variants, metric } = job.request.experiment;
  const loads = toBlocks(job, pages, variants.length).map(block => block.map(toLoad));
  return judgeExperiment(loads, variants.length, metric).isOver;
}

const countDisturbed = (parts: readonly (PagePart | undefined)[]): number =>
  parts.filter(part => part && isDisturbed(part)).length;

function addHits(parts: readonly (PagePart | undefined)[]): Record<string, number> {
  const hits = new Map<string, number>();
  for (const part of parts)
    for (const [change, count] of Object.entries(part?.load?.hits ?? {}))
      hits.set(change, (hits.get(change) ?? 0) + count);
  return Object.fromEntries(hits);
}

const ofFewPairs =
  'Half of the pairs differ by less than the smallest difference that matters, so there is no verdict: a few loads cause the mean difference.';

const notesOf = (hits: Readonly<Record<string, number>>): string[] =>
  Object.entries(hits).flatMap(([change, count]) =>
    count === 0 ? [`${change} matched nothing in any load, or the browser refused it: this change had no effect.`] : [],
  );

function toVariantAnswer(
  facts: VariantFacts,
  { status, difference, interval, confidence, pValue, minEffect, judgedPairs, pairs, isOfFewPairs }: VariantVerdict,
  { parts, remarks }: { parts: readonly (PagePart | undefined)[]; remarks: readonly Remark[] },
) {
  const hits = addHits(parts);
  return {
    ...facts,
    status: remarks.some(({ whyNone }) => whyNone) ? ('undecided' as const) : status,
    difference,
    interval: interval && confidence !== null ? { low: interval[0], high: interval[1], confidence } : null,
    p_value: pValue,
    min_effect: minEffect,
    judged_pairs: judgedPairs,
    pairs: [...pairs],
    disturbed_loads: countDisturbed(parts),
    hits,
    notes: [
      ...notesOf(hits),
      ...(isOfFewPairs ? [ofFewPairs] : []),
      ...remarks.map(({ fact, whyNone }) => (whyNone ? `${fact} ${whyNone}` : fact)),
    ],
  };
}

const toTime = (ms: number): string => new Date(ms).toISOString();
const toPlainPairs = (pairs: readonly Paired[]) => pairs.map(pair => ({ ...pair }));

type OtherMeasures = ExperimentAnswer['variants'][number]['other_measures'];
/** By experiment and number of ended loads, whose values never change: dozens of custom metrics take half a second. */
const knownMeasures = new LRUCache<string, OtherMeasures[]>({ max: 50 });

/** Returns the other measures of each variant. @param key of `knownMeasures` */
function toOthers(key: string, loads: ExperimentLoads, variants: number, metric: PrimaryMetric): OtherMeasures[] {
  const custom = [...new Set(loads.flatMap(([base]) => Object.keys(base?.metrics ?? {})))].filter(isCustomMetricName);
  // Custom metrics are a family of their own: a page with many of them would otherwise hide the others.
  const families = [[...primaryMetrics], custom].map(names => names.filter(name => name !== metric));
  const toMeasures = (variant: number): OtherMeasures =>
    families
      .flatMap(names => toOtherMeasures(loads, variant, names))
      .map(({ pValue, interval: [low, high], confidence, ...measure }) => ({
        ...measure,
        interval: { low, high, confidence },
        p_value: pValue,
      }));
  const measures = knownMeasures.get(key) ?? Array.from({ length: variants }, (_, variant) => toMeasures(variant));
  knownMeasures.set(key, measures);
  return measures;
}

/** @returns undefined if the job is not an experiment */
function toExperimentAnswer(job: Job, pages: readonly PageRow[]): ExperimentAnswer | undefined {
  if (job.request.kind !== 'experiment') return undefined;
  const { experiment, label } = job.request;
  const { variants, metric, ...facts } = experiment;
  const blocks = toBlocks(job, pages, variants.length);
  const loads = blocks.map(block => block.map(toLoad));
  const verdict = judgeExperiment(loads, variants.length, metric);
  const ended = pages.filter(({ outcome }) => outcome).length;
  const others = toOthers(`${job.id} ${ended}`, loads, variants.length, metric);
  return {
    id: job.id,
    state: job.state,
    ...facts,
    plan: { ...experiment.plan, pairs: [...experiment.plan.pairs] },
    metric,
    label,
    progress: {
      loads: job.done,
      failed: job.failed,
      failure: blocks.flat().find(part => part?.error)?.error?.detail ?? null,
    },
    control: {
      differs: verdict.control.differs,
      pairs: toPlainPairs(verdict.control.pairs),
      disturbed_loads: countDisturbed(blocks.flatMap(block => block.slice(0, controlArms))),
    },
    variants: variants.map((variant, index) => ({
      ...toVariantAnswer(variant, verdict.variants[index] as VariantVerdict, {
        parts: blocks.map(block => block[controlArms + index]),
        remarks: toRemarks(loads, { index, variant, base: experiment.url, metric }),
      }),
      other_measures: others[index] ?? [],
    })),
    error: job.error,
    created_at: toTime(job.createdAtMs),
    ended_at: job.endedAtMs === null ? null : toTime(job.endedAtMs),
    links: { self: `/experiments/${job.id}`, job: `/jobs/${job.id}` },
  };
}

/** Returns undefined if there is no such job, or if it is not an experiment. */
export async function readExperiment(database: SqlDatabase, id: string): Promise<ExperimentAnswer | undefined> {
  const job = await readJob(database, id);
  if (job?.request.kind !== 'experiment') return undefined;
  return toExperimentAnswer(job, await listPages(database, id, { after: -1, limit: job.total }));
}

/** Reads the answer of an experiment whose loads have ended, with the end that its job is about to get. */
export async function readEndedExperiment(
  database: SqlDatabase,
  id: string,
  endedAtMs: number,
): Promise<ExperimentAnswer | undefined> {
  const answer = await readExperiment(database, id);
  if (!answer) return undefined;
  const ended = { ...answer, ended_at: new Date(endedAtMs).toISOString() };
  if (answer.progress.failed < answer.progress.loads) return { ...ended, state: 'succeeded' };
  const [first] = await listPages(database, id, { after: -1, limit: 1 });
  return { ...ended, state: 'failed', error: first?.outcome?.error ?? null };
}
