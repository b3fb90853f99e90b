/** Maps the pages of an experiment's job to its loads: the arm of each page, and the changes that the arm makes. */
import type { Arm } from '../analysis/measure-arm.ts';
import type { ExperimentFacts } from '../contract/experiments/answer.ts';
import { type LoadVariant, toInterception } from '../contract/experiments/load-variant.ts';
import type { Variant } from '../contract/experiments/request.ts';
import { controlArms, toOrder, toPlan } from '../explain/experiments/plan.ts';
import type { Vault } from '../storage/access/vault.ts';
import type { NewPage } from './job.ts';
import { readJobSecret, type SecretPlace } from './job-secret.ts';
import type { JobCounts } from './statements.ts';

/** A load of an experiment, or a page of a job with secrets. */
export type LoadPlace = SecretPlace & { position: number };

/** Creates one page of the job for each load, in the order of measurement. */
export function toLoadPages({ url, variants }: ExperimentFacts, id: string): { pages: NewPage[]; counts: JobCounts } {
  const order = toOrder(id, toPlan(variants.length));
  const pages = order.map((arm, position) => ({
    position,
    url: variants[arm - controlArms]?.url ?? url,
    sameAs: null,
    copies: 1,
    outcome: null,
  }));
  return { pages, counts: { total: pages.length, done: 0, failed: 0 } };
}

type ArmChanges = Pick<LoadVariant, 'block' | 'replace' | 'headers' | 'recipes' | 'throttling'>;

const noChanges: ArmChanges = { block: [], replace: [], headers: {}, recipes: [], throttling: null };

const toChanges = ({ block, replace, headers, recipes, throttling }: Variant): ArmChanges => ({
  block: block ?? [],
  replace: (replace ?? []).map(({ url, body = null, with: other = null }) => ({ url, body, with: other })),
  headers: headers ?? {},
  recipes: recipes ?? [],
  throttling: throttling ?? null,
});

/** @throws Error if the job has ended and its secret was removed; AnalysisError if this instance cannot open it */
export function toArm(experiment: ExperimentFacts, { position, ...place }: LoadPlace, vault: Vault | undefined): Arm {
  const { jobId } = place;
  const { variants: wanted, conditions } = readJobSecret(place, vault);
  const variants = wanted.map(toChanges);
  const arm = toOrder(jobId, toPlan(variants.length))[position] ?? 0;
  const { url, strategy } = experiment.variants[arm - controlArms] ?? experiment;
  return {
    url,
    strategy,
    profile: experiment.profile,
    conditions,
    variant: {
      ...(variants[arm - controlArms] ?? noChanges),
      intercept: toInterception(variants),
      throttlingMethod: experiment.throttling_method,
    },
  };
}
