/** Predictions for a stored load: simulated, without measuring anything. */
import Type, { type Static } from 'typebox';
import { described, nullable } from '../fields.ts';
import { strategies } from '../names.ts';

const points = Type.Number({ description: 'Points gained in the performance score; negative if points are lost' });
const ms = Type.Integer({ minimum: 0, description: 'Milliseconds' });

const PredictedError = Type.Object(
  {
    pairs: Type.Integer({ minimum: 1, description: 'Number of predictions that were compared with measurements' }),
    pages: Type.Integer({ minimum: 1, description: 'Number of pages' }),
    points: Type.Object(
      {
        median: Type.Number({ description: 'Median error' }),
        p90: Type.Number({ description: '90th percentile' }),
        p95: Type.Number({ description: '95th percentile' }),
      },
      { description: 'Error of predicted points' },
    ),
    is_preliminary: Type.Boolean({ description: 'Whether the error was measured with few runs or on a busy machine' }),
  },
  { description: 'Measured error of such predictions; null if not measured yet' },
);
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

const Condition = Type.Object({
  cpu_slowdown_multiplier: Type.Number({ description: 'CPU throttling' }),
  rtt_ms: Type.Number({ description: 'Round-trip time' }),
  throughput_kbps: Type.Number({ description: 'Throughput' }),
});

const Removal = Type.Object({
  name: Type.String({ description: "Lighthouse's name for the entity, or the URL of a script" }),
  category: nullable(Type.String({ description: 'Category of an entity, such as `analytics`' })),
  requests: Type.Integer({ minimum: 1, description: 'Number of removed requests' }),
  bytes: Type.Integer({ minimum: 0, description: 'Bytes over the network' }),
  main_thread_ms: Type.Integer({
    minimum: 0,
    description: 'Main-thread time in milliseconds, at the CPU throttling of the load',
  }),
  takes_with: Type.Array(Type.String(), { description: 'Other entities that only this one requested' }),
  predicted: nullable(
    Type.Object(
      { points, without: Values },
      {
        description:
          'Points gained by its removal, and the values of the load without it; null if not predictable (see `reason`)',
      },
    ),
  ),
  reason: nullable(Type.String({ description: 'Why it cannot be predicted' })),
});

const NetworkName = Type.Enum(['wired', 'fast_4g', 'slow_4g', '3g', 'slow_3g']);

const Cell = Type.Object({
  cpu_slowdown_multiplier: Type.Number({ description: 'CPU throttling' }),
  network: described(NetworkName, 'Name of the network'),
  score: Type.Integer({ minimum: 0, maximum: 100, description: 'Predicted performance score' }),
  is_own: Type.Boolean({ description: 'Whether these are the settings of the load itself' }),
});

const BreakPoint = Type.Object({
  score: Type.Integer({ description: 'Score that the page still reaches' }),
  slowest_cpu: nullable(
    Type.Number({
      description:
        'Largest CPU slowdown at which the page reaches the score on the network of the load. Null if no slowdown does',
    }),
  ),
  is_slowest_cpu_tried: Type.Boolean({
    description: 'Whether the page reaches the score even at the slowest simulated CPU',
  }),
  slowest_network: nullable(
    Type.Object({
      rtt_ms: Type.Number({ description: 'Round-trip time' }),
      throughput_kbps: Type.Number({ description: 'Throughput' }),
    }),
  ),
  is_slowest_network_tried: Type.Boolean({
    description: 'Whether the page reaches the score even on the slowest simulated network',
  }),
});

const FixStep = Type.Object({
  id: Type.String({ description: 'Id of the audit that proposes the fix' }),
  title: Type.String({ description: 'Title of the audit' }),
  points: Type.Number({ description: 'Points that the fix adds on top of the previous ones' }),
  after: Values,
});

export const WhatIf = Type.Object(
  {
    id: Type.String({ description: 'Id of the stored load' }),
    url: Type.String({ description: 'URL of the page' }),
    strategy: Type.Enum([...strategies], { description: 'Emulated device' }),
    disturbed: nullable(
      Type.Boolean({
        description: 'Whether the load was disturbed: the predictions then contain the time that it lost',
      }),
    ),
    basis: Type.Literal('predicted', { description: 'Simulated from one stored load; nothing was measured' }),
    settings: Condition,
    base: Values,
    third_parties: Type.Object({ error, items: Type.Array(Removal) }),
    scripts: Type.Object({
      error,
      items: Type.Array(Removal, { description: 'The ten heaviest scripts of the page itself' }),
    }),
    map: Type.Object({
      error: described(error, 'Measured error for another CPU, not for another network; null if not measured yet'),
      networks: Type.Array(
        Type.Object({
          name: described(NetworkName, 'Name of the network'),
          rtt_ms: Type.Number({ description: 'Round-trip time' }),
          throughput_kbps: Type.Number({ description: 'Throughput' }),
        }),
      ),
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
      steps: Type.Array(FixStep, { description: 'Cumulative: each step adds the fix with the largest gain' }),
      reachable: Type.Object(
        {
          points: Type.Number({ description: 'Points above the current score' }),
          fixes: Type.Integer({ minimum: 0, description: 'Number of fixes needed to reach that score' }),
          values: Values,
        },
        { description: 'The highest score across all steps' },
      ),
      not_predicted: Type.Array(
        Type.Object({
          id: Type.String({ description: 'Id of the audit that proposes the fix' }),
          title: Type.String({ description: 'Title of the audit' }),
          reason: Type.String({ description: 'Why its gain is not simulated' }),
        }),
      ),
    }),
    limits: Type.Array(Type.String(), { description: 'Effects that the simulation does not cover' }),
    links: Type.Object({ result: Type.String({ description: 'The stored load' }) }),
  },
  {
    $id: 'WhatIf',
    description:
      'Predicted scores of a stored load: without third parties and scripts, on other devices, and with all fixes',
  },
);
export type WhatIf = Static<typeof WhatIf>;
