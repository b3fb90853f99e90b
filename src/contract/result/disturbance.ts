/** The mark of a result whose load was disturbed: the same wherever its score stands. */
import Type, { type Static } from 'typebox';
import { nullable } from '../fields.ts';

/** Results that were stored before there was such a field do not have it. */
export const disturbed = Type.Optional(
  nullable(
    Type.Boolean({
      description: 'Something other than the page changed the times of this load; null if the analyser does not say',
    }),
  ),
);

export const disturbanceKinds = ['processor_wait', 'tasks_without_script', 'late_paint', 'slow_machine'] as const;
export type DisturbanceKind = (typeof disturbanceKinds)[number];

export const deniableMetrics = [
  'first_contentful_paint',
  'largest_contentful_paint',
  'total_blocking_time',
  'speed_index',
  'interactive',
] as const;
export type DeniableMetric = (typeof deniableMetrics)[number];

export const Disturbance = Type.Object(
  {
    kinds: Type.Array(Type.Enum([...disturbanceKinds]), {
      description:
        '`processor_wait`: the page waited for a CPU; `tasks_without_script`: long tasks without a long script; `late_paint`: the browser painted long after the page was ready; `slow_machine`: the machine was far slower than usual',
    }),
    denied: Type.Array(Type.Enum([...deniableMetrics]), {
      description: 'Metrics whose values say nothing about the page',
    }),
    performance: nullable(
      Type.Integer({ minimum: 0, maximum: 100, description: 'Performance score without the disturbance, if known' }),
    ),
    total_blocking_time: nullable(
      Type.Integer({ minimum: 0, description: 'In milliseconds, without the disturbance, if known' }),
    ),
  },
  { description: 'What disturbed the load; only if `disturbed` is true' },
);
export type Disturbance = Static<typeof Disturbance>;
