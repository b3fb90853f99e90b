/** Describes an experiment for storage and display, without header values and texts. */
import { createHash } from 'node:crypto';
import type { Static } from 'typebox';
import type { Conditions } from '../../contract/conditions/conditions.ts';
import type { ExperimentFacts, Prediction, VariantFacts } from '../../contract/experiments/answer.ts';
import type { PrimaryMetric, RecipeName, ThrottlingMethod } from '../../contract/experiments/names.ts';
import type { ExperimentRequest, Variant } from '../../contract/experiments/request.ts';
import type { Strategy } from '../../contract/names.ts';
import { toShownConditions } from '../../measure/shown-conditions.ts';
import { counted, formatMs } from '../../presentation/numbers.ts';
import { medianOf, toSorted } from '../../presentation/values.ts';
import { nameOfMetric } from '../../presentation/words.ts';
import { smallestEffectOf, toSmallest } from '../statistics/smallest-effect.ts';
import { toPlan, toShownEffect } from './plan.ts';
import { unpredicted } from './predict.ts';

const sayMetric = (metric: PrimaryMetric): string => {
  const name = nameOfMetric(metric);
  return metric === 'performance' || metric === 'server_response_time' ? name.toLowerCase() : name;
};

const sayAmount = (metric: PrimaryMetric, value: number): string =>
  metric === 'performance' ? counted(Math.ceil(value), 'point') : formatMs(value);

/** Usual duration of one load in seconds, including the browser. */
const secondsOfLoad: Readonly<Record<ThrottlingMethod, number>> = { simulate: 7, devtools: 20 };

type Described = { base: { url: string; strategy: Strategy }; prediction: Prediction; index: number };

const describeVariant = (
  { name, url, strategy, block, replace, headers, recipes, throttling }: Variant,
  { base, prediction, index }: Described,
): VariantFacts => ({
  name: name ?? `variant ${index + 1}`,
  url: url ?? base.url,
  strategy: strategy ?? base.strategy,
  block: block ?? [],
  replace: (replace ?? []).map(({ url: replaced, with: other, body }) => ({
    url: replaced,
    with: other ?? null,
    body:
      typeof body === 'string'
        ? { bytes: Buffer.byteLength(body), sha256: createHash('sha256').update(body).digest('hex') }
        : null,
  })),
  headers: Object.keys(headers ?? {}),
  recipes: (recipes ?? []).map(recipe => ({ name: recipe.name, url: recipe.url ?? null, value: recipe.value ?? null })),
  throttling: throttling ?? null,
  prediction,
});

/** Describes an effect that the simulation only assumes. */
const effectOf = (recipe: RecipeName): string => {
  if (recipe === 'font-display') return 'changes when text is painted';
  return recipe === 'single-point-of-failure' ? 'holds requests until they fail' : 'can change the order of requests';
};

/** Returns whether a variant changes nothing but which requests are sent, and how much they are throttled. */
const keepsOrder = ({ name: _, block: __, throttling: ___, ...changes }: Variant): boolean =>
  Object.values(changes).every(change => change === null || Object.keys(change).length === 0);

const whySimulated = (variants: readonly Variant[]): string =>
  variants.every(keepsOrder)
    ? 'Throttling is simulated, as usual: it varies less, and the variants do not change the order of requests.'
    : 'Throttling is simulated, as usual: it varies less. If a variant changes hints or priorities, it only shows the effect that the simulation expects.';

/** Selects the throttling for all loads of an experiment, and explains it. */
export function chooseThrottling({
  throttling_method: asked,
  variants,
}: Pick<ReadExperiment, 'throttling_method' | 'variants'>) {
  if (asked !== null) return { throttling_method: asked, throttling_reason: 'It was requested.' };
  const [recipe] = variants.flatMap(({ recipes }) => recipes ?? []);
  return recipe === undefined
    ? { throttling_method: 'simulate' as const, throttling_reason: whySimulated(variants) }
    : {
        throttling_method: 'devtools' as const,
        throttling_reason: `The recipe ${recipe.name} ${effectOf(recipe.name)}. Simulated throttling only shows the effect that the simulation expects, so throttling is applied.`,
      };
}

/** The request with defaults filled in. */
export type ReadExperiment = Omit<Required<Static<typeof ExperimentRequest>>, 'variants' | keyof Conditions> &
  Partial<Conditions> & {
    variants: readonly Variant[];
  };

type Known = {
  /** Values of the metric in earlier results of the page with the same settings. */
  earlier: readonly number[];
  /** Predictions, one for each variant. */
  predictions: readonly Prediction[];
};

/** Returns the size of the variants as an experiment stores them, in bytes. */
export const factBytesOf = (request: Pick<ReadExperiment, 'url' | 'strategy' | 'variants'>): number =>
  Buffer.byteLength(
    JSON.stringify(
      request.variants.map((variant, index) =>
        describeVariant(variant, { base: request, prediction: unpredicted(''), index }),
      ),
    ),
  );

export function describeExperiment(request: ReadExperiment, { earlier, predictions }: Known): ExperimentFacts {
  const { url, strategy, profile, metric, variants } = request;
  const { looks, blocks, arms } = toPlan(variants.length);
  const throttling = chooseThrottling(request);
  // With applied throttling the variation differs from that of earlier results, which are simulated.
  const isAlike = throttling.throttling_method === 'simulate';
  const smallest = toSmallest(smallestEffectOf(metric), medianOf(toSorted(earlier)));
  const shown = isAlike ? toShownEffect(earlier, { variants: variants.length, smallest }) : undefined;
  const loads = { first: looks[0] * arms, most: blocks * arms };
  const seconds = loads.first * secondsOfLoad[throttling.throttling_method];
  const start = `With ${looks[0]} pairs, about ${sayMinutes(seconds)},`;
  const whyUnknown = isAlike
    ? 'The smallest difference that these pairs can show is estimated from ten undisturbed results of the page with these settings since its last change.'
    : 'With applied throttling, the smallest difference that these pairs can show is not estimated.';
  const sentence =
    shown === undefined
      ? `${start} each variant is compared with the page. ${whyUnknown}`
      : `${start} this page can show a difference of ${sayAmount(metric, shown)} in ${sayMetric(metric)}.`;
  const conditions = toShownConditions(request);
  return {
    url,
    strategy,
    profile,
    ...(conditions ? { conditions } : {}),
    metric,
    ...throttling,
    variants: variants.map((variant, index) =>
      describeVariant(variant, {
        base: request,
        prediction: predictions[index] ?? unpredicted('It was not predicted.'),
        index,
      }),
    ),
    plan: { pairs: [...looks], loads, seconds, can_show: shown ?? null, sentence },
  };
}

const sayMinutes = (seconds: number): string => counted(Math.max(1, Math.round(seconds / 60)), 'minute');
