/**
 * Differences planted into two real loads of one page without a browser, by editing what each side reports. load.json
 * contains the loads: a page of 13 files, loaded by two services at once.
 */
import { readFileSync } from 'node:fs';
import type { CauseName, Comparison } from '../../../src/contract/analysis/comparison.ts';
import { categoryNames } from '../../../src/contract/names.ts';
import type { Analyser, Result } from '../../../src/contract/result/result.ts';
import type { Runs } from '../../../src/contract/result/runs.ts';
import type { ReAuditStep } from '../../../src/explain/compare/re-audits/plan-re-audits.ts';
import type { ReAuditOutcome, ReAuditScores } from '../../../src/explain/compare/re-audits/step-points.ts';
import type { Side } from '../../../src/explain/compare/side.ts';
import { toDisturbances } from '../../../src/measure/lhr/disturbances.ts';
import type { Lhr } from '../../../src/measure/lhr/lhr.ts';
import { toResult } from '../../../src/measure/lhr/to-result.ts';
import { compareSides, type OtherSide, planFor } from '../../../test/support/builders/compared.ts';
import { auditOf, base, custom, type Draft, type Drafts, type Metric, metricAudits } from './drafts.ts';

export type PurePlant = {
  name: string;
  planted: string;
  plant: (drafts: Drafts) => void;
  analyser?: Analyser;
  /** Of the machine: what a result says beside its Lighthouse result. */
  environment?: { psi?: Partial<Result['environment']>; lighthouse?: Partial<Result['environment']> };
  isOwnAddress?: boolean;
  /** Scores of total blocking time that the re-audits give, the first without a change. */
  again?: readonly number[];
  /** The same for the load with what the remote side got; absent: the worker finds that it is not possible. */
  againAsThere?: Partial<Record<Metric, number>>;
  /** The same under the settings of the local side, where these make another score of it. */
  againAsThereHere?: Partial<Record<Metric, number>>;
  /** Instead of `again`: metric scores of the local load under settings of the remote side, whichever are tried. */
  simulated?: Partial<Record<CauseName, Partial<Record<Metric, number>>>>;
  strategy?: Result['strategy'];
  /** What the other local runs are like. */
  others?: readonly ((draft: Draft) => void)[];
  cached?: { age: number };
  /** Cause that comes first, or any of several; null: nothing is stated. */
  first: CauseName | null | readonly (CauseName | null)[];
  says: RegExp;
  never?: RegExp;
};
/** A row of a file whose plants have the same first cause. */
export type PlantRow = Omit<PurePlant, 'first'> & Partial<Pick<PurePlant, 'first'>>;
/** A row of a file without differences: by default, nothing is stated. */
export type NothingRow = Pick<PurePlant, 'name' | 'planted' | 'plant'> & Partial<PurePlant>;

type AsThere = { [name in 'againAsThere' | 'againAsThereHere']: PurePlant[name] | undefined };

/** The comparison of two loads with what was planted. */
export function comparePlant({
  plant,
  again = [],
  againAsThere,
  againAsThereHere,
  simulated,
  strategy,
  others = [],
  environment = {},
  ...plantOf
}: PurePlant): Comparison {
  const drafts = JSON.parse(loads) as Drafts;
  const untouched = structuredClone(drafts.lighthouse);
  plant(drafts);
  const { psi: remote, lighthouse: own } = drafts;
  const psi = toSide(remote, 'psi', plantOf.analyser ?? custom, environment.psi, strategy);
  if (plantOf.cached)
    psi.result.cache = { status: 'hit', age: plantOf.cached.age, expires_at: '2030-01-01T00:00:00.000Z' };
  const runs = others.map(change => {
    const draft = structuredClone(untouched);
    draft.configSettings = structuredClone(own.configSettings);
    change(draft);
    return draft;
  });
  const shown = toSide(own, 'lighthouse', { kind: 'local' }, environment.lighthouse, strategy);
  const sides = runs.map(draft => toSide(draft, 'lighthouse', { kind: 'local' }, {}, strategy));
  const lighthouse = sides.length > 0 ? withRuns(shown, sides) : shown;
  const steps = planFor(psi, lighthouse, plantOf.isOwnAddress);
  const outcomeOf = (draft: Draft): ReAuditOutcome => {
    if (steps.length === 0) return { results: [] };
    const settings = steps.filter(({ cause }) => cause !== 'page');
    const page = { againAsThere, againAsThereHere };
    if (simulated) return { results: simulateEach(draft, steps, simulated, page) };
    if (settings.length > 0 && again.length !== settings.length + 1)
      return { reason: 'its throttling cannot be simulated' };
    const first = auditOf(draft, 'total-blocking-time').score ?? 0;
    const blocking = [first, ...again.slice(1)];
    const results = blocking.map(value => withBlocking(draft, value));
    const pages = steps.flatMap(step => {
      if (step.cause !== 'page') return [];
      const asThere = toAsThere(steps, step.behind, page);
      return asThere ? withScores(draft, { 'total-blocking-time': blocking[step.behind] ?? first, ...asThere }) : [{}];
    });
    return { results: [...results, ...pages] };
  };
  return compareSides(psi, lighthouse, {
    outcome: outcomeOf(own),
    askedAtMs: Date.parse(remote.fetchTime) + 1000 * (plantOf.cached?.age ?? 0),
    isOwnAddress: plantOf.isOwnAddress,
    others: sides.map((side, at): OtherSide => ({ ...side, outcome: outcomeOf(runs[at] ?? own) })),
  });
}

const toSide = (
  draft: Draft,
  source: Result['source'],
  analyser: Analyser,
  environment: Partial<Result['environment']> = {},
  strategy: Result['strategy'] = 'mobile',
): Side => {
  const lhr = draft as unknown as Lhr;
  const facts = { source, analyser, url: base, strategy, categories: categoryNames, field: null } as const;
  const result = toResult(lhr, { ...facts, conditions: null, requestedAt: draft.fetchTime });
  const conditions = { ...result.environment, ...environment };
  const { sentences, ...marks } = toDisturbances(lhr, conditions);
  const { disturbance: _, ...undisturbed } = result;
  return { lhr, result: { ...undisturbed, ...marks, warnings: [...sentences], environment: conditions } };
};

const withScores = (draft: Draft, scores: Partial<Record<Metric, number>>): ReAuditScores =>
  Object.fromEntries(metricAudits.map(id => [id, { score: scores[id] ?? auditOf(draft, id).score }]));

const withBlocking = (draft: Draft, blocking: number) => withScores(draft, { 'total-blocking-time': blocking });

const spreadOf = (values: readonly number[]) => {
  const sorted = values.toSorted((a, b) => a - b);
  const [min = 0, max = 0] = [sorted[0], sorted.at(-1)];
  return { min, median: sorted[sorted.length >> 1] ?? 0, max, spread: max - min };
};

const withRuns = ({ lhr, result }: Side, others: readonly Side[]): Side => {
  const scores = [result, ...others.map(other => other.result)].map(run => run.scores.performance ?? 0);
  const runs: Runs = {
    requested: scores.length,
    completed: scores.length,
    selected: 1,
    selected_by: 'median_run',
    scores: { performance: spreadOf(scores) },
    metrics: {},
  };
  return { lhr, result: { ...result, runs } };
};

/** What the load scores with the remote page under so many of the settings. */
const toAsThere = (steps: readonly ReAuditStep[], behind: number, { againAsThere, againAsThereHere }: AsThere) =>
  behind < steps.filter(({ cause }) => cause !== 'page').length ? (againAsThereHere ?? againAsThere) : againAsThere;

/** What each step gives, on top of those before it: a setting without scores changes nothing. */
function simulateEach(
  draft: Draft,
  steps: readonly ReAuditStep[],
  simulated: NonNullable<PurePlant['simulated']>,
  page: AsThere,
): ReAuditScores[] {
  const after = (count: number) =>
    Object.assign({}, ...steps.slice(0, count).map(({ cause }) => simulated[cause as CauseName] ?? {}));
  return Array.from({ length: steps.length + 1 }, (_, count) => {
    const step = steps[count - 1];
    if (step?.cause !== 'page') return withScores(draft, after(count));
    const asThere = toAsThere(steps, step.behind, page);
    return asThere ? withScores(draft, { ...after(step.behind), ...asThere }) : {};
  });
}

/** A statement: a cause that is more than noise, or more than two points that nothing explains. */
export const isStatement = ({ cause, points, certainty }: Comparison['causes'][number]): boolean =>
  cause !== 'run_noise' &&
  (cause === 'different_page' ? certainty !== 'possible' : points === null || Math.abs(points) > 2);

/** A verdict as the patterns have it: usual spaces, and scores followed by their difference: `, 26 points lower.` */
export const withGap = (verdict: string): string =>
  verdict
    .replaceAll('\u00a0', ' ')
    .replace(/(Local Lighthouse scores (\d+), .*? (\d+))\. ?/, (_, scores, own, other) => {
      const gap = Number(own) - Number(other);
      return `${scores}, ${Math.abs(gap)} point${Math.abs(gap) === 1 ? '' : 's'} ${gap > 0 ? 'higher' : 'lower'}. `;
    });

/** Whether the first cause and the sentence are about what was planted, and nothing else is blamed. */
export function isRight({ first, says, never }: PurePlant, { causes, explanation: verdict }: Comparison): boolean {
  const isFirst = [first].flat().some(cause => (cause ? causes[0]?.cause === cause : !causes.some(isStatement)));
  const told = withGap(verdict);
  return isFirst && says.test(told) && !never?.test(told);
}

const loads = readFileSync(new URL('load.json', import.meta.url), 'utf8');
