/** Maps the pages of an experiment's job to its loads: the arm of each page, and the changes that the arm makes. */
import type { Arm } from '../analysis/measure-arm.ts';
import type { Conditions } from '../contract/conditions/conditions.ts';
import type { ExperimentFacts } from '../contract/experiments/answer.ts';
import type { LoadVariant } from '../contract/experiments/load-variant.ts';
import { toInterception } from '../contract/experiments/load-variant.ts';
import type { Variant } from '../contract/experiments/request.ts';
import { controlArms, toOrder, toPlan } from '../explain/experiments/plan.ts';
import type { NewPage } from './job.ts';
import type { JobCounts } from './statements.ts';

/** @property secret the variants and the conditions of all loads as JSON, including their headers and texts */
export type LoadPlace = { jobId: string; position: number; secret: string | undefined };

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

type Secret = { readonly variants: readonly Variant[]; readonly conditions: Partial<Conditions> };

export const toSecret = (secret: Secret): string => JSON.stringify(secret);

/** Reads a secret. Those of earlier versions have only variants. */
function fromSecret(secret: string): Secret {
  const read = JSON.parse(secret) as Secret | Secret['variants'];
  return 'variants' in read ? read : { variants: read, conditions: {} };
}

/** @throws Error if the job has ended and its secret was removed */
export function toArm(experiment: ExperimentFacts, { jobId, position, secret }: LoadPlace): Arm {
  if (secret === undefined) throw new Error('the changes of this experiment are gone');
  const { variants: wanted, conditions } = fromSecret(secret);
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
