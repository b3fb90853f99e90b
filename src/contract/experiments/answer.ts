/** The response of an experiment: its request without headers and bodies, and the verdict on each variant. */
import Type, { type Static } from 'typebox';
import { ShownConditions } from '../conditions/conditions.ts';
import {
  arrayOf,
  byName,
  component,
  count,
  flag,
  group,
  nullable,
  number,
  orCustomMetric,
  text,
  time,
} from '../fields.ts';
import { profiles, strategies } from '../names.ts';
import { Problem } from '../problem.ts';
import { primaryMetrics, recipeNames, throttlingMethods } from './names.ts';
import { Throttling } from './request.ts';

const amount = Type.Integer({ minimum: 0 });
const Metric = orCustomMetric(Type.Enum([...primaryMetrics]), { description: 'Metric or custom metric' });
const Interval = group(
  'Confidence interval of the mean difference, for `better` and `worse` corrected for repeated looks and several variants',
  { low: Type.Number(), high: Type.Number(), confidence: Type.Number() },
);
const OtherInterval = group(
  'Confidence interval of the mean difference, corrected for the number of other measures alone',
  Interval.properties,
);

const Prediction = group('Effect predicted by simulating a stored load, before any measurement', {
  difference: nullable(
    number('Difference in the metric, variant minus page, in its unit. Null if it cannot be predicted: see `reason`'),
  ),
  result: nullable(text('Id of the stored load that was simulated')),
  reason: nullable(text('Why there is no prediction')),
});
export type Prediction = Static<typeof Prediction>;

const VariantFacts = Type.Object({
  name: Type.String(),
  url: Type.String(),
  strategy: Type.Enum([...strategies]),
  block: Type.Array(Type.String()),
  replace: Type.Array(
    Type.Object({
      url: Type.String(),
      with: nullable(Type.String()),
      body: nullable(Type.Object({ bytes: amount, sha256: Type.String() })),
    }),
  ),
  headers: arrayOf(Type.String(), 'Names only'),
  recipes: Type.Array(
    Type.Object({ name: Type.Enum([...recipeNames]), url: nullable(Type.String()), value: nullable(Type.String()) }),
  ),
  throttling: nullable(Throttling),
  prediction: Prediction,
});
export type VariantFacts = Static<typeof VariantFacts>;

const describedFields = {
  url: Type.String(),
  strategy: Type.Enum([...strategies]),
  profile: Type.Enum([...profiles]),
  conditions: Type.Optional(ShownConditions),
  metric: Metric,
  throttling_method: Type.Enum([...throttlingMethods]),
  throttling_reason: Type.String(),
};

const planFields = {
  pairs: arrayOf(amount, 'Number of pairs at each look'),
  loads: group('Number of loads: before the first look, and the maximum', { first: amount, most: amount }),
  seconds: count('Estimated seconds until the first look'),
  can_show: nullable(
    number(
      'Smallest difference that the first look detects in about 9 of 10 experiments, estimated from earlier results of the page; null for fewer than ten, and with applied throttling',
    ),
  ),
  sentence: Type.String(),
};

/** The part of its request that a job of an experiment stores: everything but the values of headers and the texts. */
export type ExperimentFacts = Readonly<Static<Type.TObject<typeof describedFields>>> & {
  readonly variants: readonly VariantFacts[];
  readonly plan: { readonly [Name in keyof typeof planFields]: Static<(typeof planFields)[Name]> };
};

const Pair = Type.Object({ block: amount, base: Type.Number(), variant: Type.Number() });

const VariantAnswer = Type.Object({
  ...VariantFacts.properties,
  status: Type.Enum(['better', 'worse', 'no_difference', 'undecided']),
  difference: nullable(number('Mean of the paired differences, variant minus base')),
  interval: nullable(Interval),
  p_value: nullable(Type.Number()),
  min_effect: nullable(number('Smallest difference that matters')),
  judged_pairs: count('Number of pairs that the verdict is based on, starting with the first'),
  pairs: Type.Array(Pair),
  disturbed_loads: count(
    'Loads that waited for a CPU, or that the browser painted a second or more after the load event',
  ),
  other_measures: arrayOf(
    Type.Object({
      name: Metric,
      difference: Type.Number(),
      interval: OtherInterval,
      p_value: number('Corrected for the other measures (Holm)'),
    }),
    'The other metrics, which do not decide the verdict',
  ),
  hits: byName(amount, 'Number of times each change was applied, by pattern, URL or recipe'),
  notes: Type.Array(Type.String()),
});

export const ExperimentAnswer = component(
  'Experiment',
  'Variants of a page, each measured against the page in pairs of loads',
  {
    id: Type.String(),
    state: Type.Enum(['queued', 'running', 'succeeded', 'failed', 'cancelled']),
    ...describedFields,
    label: nullable(Type.String()),
    plan: Type.Object(planFields),
    progress: Type.Object({
      loads: amount,
      failed: amount,
      failure: nullable(text('Reason of the first failed load')),
    }),
    control: group('The base compared with itself (A/A test)', {
      differs: flag('Whether the base differed from itself, in which case there is no verdict'),
      pairs: Type.Array(Pair),
      disturbed_loads: count('Disturbed loads of both arms, counted as for a variant'),
    }),
    variants: Type.Array(VariantAnswer),
    error: nullable(Problem),
    created_at: time,
    ended_at: nullable(time),
    links: Type.Object({ self: Type.String(), job: Type.String() }),
  },
);
export type ExperimentAnswer = Static<typeof ExperimentAnswer>;
