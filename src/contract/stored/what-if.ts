/** Predictions for a stored load: simulated, without measuring anything. */
import Type, { type Static } from 'typebox';
import { arrayOf, component, count, described, flag, group, nullable, number, oneOf, text } from '../fields.ts';
import { strategies } from '../names.ts';

const points = number('Points gained in the performance score; negative if points are lost');
const ms = count('Milliseconds');

const networkFields = { rtt_ms: number('Round-trip time'), throughput_kbps: number('Throughput') };

const PredictedError = group('Measured error of such predictions; null if not measured yet', {
  pairs: count('Number of predictions that were compared with measurements', 1),
  pages: count('Number of pages', 1),
  points: group('Error of predicted points', {
    median: number('Median error'),
    p90: number('90th percentile'),
    p95: number('95th percentile'),
  }),
  is_preliminary: flag('Whether the error was measured with few runs or on a busy machine'),
});
export type PredictedError = Static<typeof PredictedError>;
const error = nullable(PredictedError);

const Values = Type.Object({
  score: Type.Integer({ minimum: 0, maximum: 100, description: 'Performance score' }),
  first_contentful_paint: ms,
  largest_contentful_paint: ms,
  total_blocking_time: ms,
  speed_index: ms,
});
export type PredictedValues = Static<typeof Values>;

const Condition = Type.Object({ cpu_slowdown_multiplier: number('CPU throttling'), ...networkFields });

const Removal = Type.Object({
  name: text("Lighthouse's name for the entity, or the URL of a script"),
  category: nullable(text('Category of an entity, such as `analytics`')),
  requests: count('Number of removed requests', 1),
  bytes: count('Bytes over the network'),
  main_thread_ms: count('Main-thread time in milliseconds, at the CPU throttling of the load'),
  takes_with: arrayOf(Type.String(), 'Other entities that only this one requested'),
  predicted: nullable(
    group(
      'Points gained by its removal, and the values of the load without it; null if not predictable (see `reason`)',
      { points, without: Values },
    ),
  ),
  reason: nullable(text('Why it cannot be predicted')),
});

const NetworkName = Type.Enum(['wired', 'fast_4g', 'slow_4g', '3g', 'slow_3g']);

const Cell = Type.Object({
  cpu_slowdown_multiplier: number('CPU throttling'),
  network: described(NetworkName, 'Name of the network'),
  score: Type.Integer({ minimum: 0, maximum: 100, description: 'Predicted performance score' }),
  is_own: flag('Whether these are the settings of the load itself'),
});

const BreakPoint = Type.Object({
  score: Type.Integer({ description: 'Score that the page still reaches' }),
  slowest_cpu: nullable(
    number(
      'Largest CPU slowdown at which the page reaches the score on the network of the load. Null if no slowdown does',
    ),
  ),
  is_slowest_cpu_tried: flag('Whether the page reaches the score even at the slowest simulated CPU'),
  slowest_network: nullable(Type.Object({ ...networkFields })),
  is_slowest_network_tried: flag('Whether the page reaches the score even on the slowest simulated network'),
});

const FixStep = Type.Object({
  id: text('Id of the audit that proposes the fix'),
  title: text('Title of the audit'),
  points: number('Points that the fix adds on top of the previous ones'),
  after: Values,
});

export const WhatIf = component(
  'WhatIf',
  'Predicted scores of a stored load: without third parties and scripts, on other devices, and with all fixes',
  {
    id: text('Id of the stored load'),
    url: text('URL of the page'),
    strategy: oneOf(strategies, 'Emulated device'),
    disturbed: nullable(flag('Whether the load was disturbed: the predictions then contain the time that it lost')),
    basis: Type.Literal('predicted', { description: 'Simulated from one stored load; nothing was measured' }),
    settings: Condition,
    base: Values,
    third_parties: Type.Object({ error, items: Type.Array(Removal) }),
    scripts: Type.Object({ error, items: arrayOf(Removal, 'The ten heaviest scripts of the page itself') }),
    map: Type.Object({
      error: described(error, 'Measured error for another CPU, not for another network; null if not measured yet'),
      networks: Type.Array(Type.Object({ name: described(NetworkName, 'Name of the network'), ...networkFields })),
      own_score: Type.Integer({
        minimum: 0,
        maximum: 100,
        description: 'Score at the settings of the load itself, which the cells may not include',
      }),
      cells: Type.Array(Cell),
      break_points: Type.Array(BreakPoint),
    }),
    fixes: Type.Object({
      error: described(error, 'Measured error of one fix alone, not of several together; null if not measured yet'),
      steps: arrayOf(FixStep, 'Cumulative: each step adds the fix with the largest gain'),
      reachable: group('The highest score across all steps', {
        points: number('Points above the current score'),
        fixes: count('Number of fixes needed to reach that score'),
        values: Values,
      }),
      not_predicted: Type.Array(
        Type.Object({
          id: text('Id of the audit that proposes the fix'),
          title: text('Title of the audit'),
          reason: text('Why its gain is not simulated'),
        }),
      ),
    }),
    limits: arrayOf(Type.String(), 'Effects that the simulation does not cover'),
    links: Type.Object({ result: text('The stored load') }),
  },
);
export type WhatIf = Static<typeof WhatIf>;
