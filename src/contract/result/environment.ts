/** The conditions under which a page was measured. */
import Type, { type TSchema } from 'typebox';
import { nullable } from '../fields.ts';

/** Makes a field optional, because results that were stored before it existed do not have it. */
const sinceAdded = <T extends TSchema>(schema: T) => Type.Optional(nullable(schema));

const leftOut = ['full_page_screenshot', 'other_axe_rules'] as const;
export type LeftOut = (typeof leftOut)[number];

/** Paints that a wait for a CPU may delay. */
export const delayedPaints = ['first_contentful_paint', 'largest_contentful_paint', 'speed_index'] as const;

export const Environment = Type.Object({
  user_agent: nullable(Type.String({ description: 'User agent of the browser' })),
  benchmark_index: nullable(Type.Number({ description: 'CPU speed, as measured by Lighthouse (benchmark index)' })),
  cpu_slowdown_multiplier: nullable(
    Type.Number({ description: 'CPU throttling; null if the analyser does not report it (Google)' }),
  ),
  calibration: Type.Optional(
    Type.Object(
      {
        benchmark_index: Type.Number({
          description: 'Median of the measurements, from which the multiplier is computed',
        }),
        measurements: Type.Integer({ minimum: 1, description: 'Number of measurements, at least 3' }),
      },
      { description: 'Basis of `cpu_slowdown_multiplier`; only with `cpu=calibrated` on mobile' },
    ),
  ),
  throttling_method: nullable(
    Type.String({ description: '`simulate`, `devtools` or `provided`; null if not reported' }),
  ),
  network_throttling: nullable(
    Type.Object(
      {
        rtt_ms: Type.Number({ description: 'Round-trip time' }),
        throughput_kbps: Type.Number({ description: 'Throughput' }),
      },
      { description: 'Simulated network; null if the analyser does not report it' },
    ),
  ),
  benchmark_median: sinceAdded(
    Type.Number({
      description: 'Median of recent benchmark indices of this machine while idle; null if there are fewer than 3',
    }),
  ),
  benchmark_taken_at: sinceAdded(
    Type.String({
      format: 'date-time',
      description: 'Time of the benchmark: usually during the audit, and at most 15 minutes before it',
    }),
  ),
  benchmark_concurrent_audits: sinceAdded(
    Type.Integer({
      minimum: 0,
      description: 'Number of other local audits that ran during the benchmark',
    }),
  ),
  concurrent_audits: sinceAdded(
    Type.Integer({ minimum: 0, description: 'Maximum number of other local audits during this one' }),
  ),
  processor_wait: sinceAdded(
    Type.Object(
      {
        main_thread_ms: Type.Integer({
          minimum: 0,
          description: 'Milliseconds that main-thread tasks waited for a CPU',
        }),
        others_ms: Type.Optional(
          Type.Integer({
            minimum: 0,
            description:
              'CPU time of other programs during the load, in milliseconds. Tasks that waited longer than this waited for the browser itself. Absent where the system does not report it',
          }),
        ),
        without: Type.Optional(
          Type.Object(
            {
              performance: Type.Integer({
                minimum: 0,
                maximum: 100,
                description: 'Performance score without the wait',
              }),
              total_blocking_time: Type.Integer({ minimum: 0, description: 'In milliseconds' }),
              later_paints: Type.Optional(
                Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
                  description:
                    'Paints that the wait delayed by at least 100 ms, in milliseconds without it; absent in results of earlier versions',
                }),
              ),
            },
            {
              description:
                'The same load, simulated without the wait; absent if the wait was too short, or if the load was not simulated',
            },
          ),
        ),
      },
      { description: 'Effect of other work on the machine; null if unknown' },
    ),
  ),
  paint_wait_ms: Type.Optional(
    Type.Integer({
      minimum: 0,
      description:
        'Milliseconds between the first contentful paint and the last script before it; only if the paint came a second or more after the load event',
    }),
  ),
  boot_id: sinceAdded(
    Type.String({
      description: 'Boot id of the machine: the same for all audits until it restarts; null if unknown',
    }),
  ),
  processors: sinceAdded(Type.Number({ description: 'Number of CPUs that audits may use; null if unknown' })),
  blocked_requests: nullable(
    Type.Integer({ minimum: 0, description: 'Connections of the page that `TARGETS` blocked' }),
  ),
  skipped: sinceAdded(
    Type.Array(Type.Enum([...leftOut]), {
      description: 'Artifacts that were not gathered, because no requested category uses them; null if unknown',
    }),
  ),
  attempts: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 2,
      description: 'With a shared queue: 2 if the audit was repeated because its first machine was lost',
    }),
  ),
});
