/** The conditions under which a page was measured. */
import Type, { type TSchema } from 'typebox';
import { nullable } from '../fields.ts';

/** Makes a field optional, because results that were stored before it existed do not have it. */
const sinceAdded = <T extends TSchema>(schema: T) => Type.Optional(nullable(schema));

const leftOut = ['full_page_screenshot', 'other_axe_rules'] as const;
export type LeftOut = (typeof leftOut)[number];

export const Environment = Type.Object({
  user_agent: nullable(Type.String({ description: 'User agent of the browser' })),
  benchmark_index: nullable(Type.Number({ description: 'CPU speed, as measured by Lighthouse (benchmark index)' })),
  cpu_slowdown_multiplier: nullable(
    Type.Number({ description: 'CPU throttling; null if the analyser does not report it (Google)' }),
  ),
  calibration: Type.Optional(
    Type.Object(
      {
        benchmark_index: Type.Number({ description: 'Median of the measurements: the multiplier follows from it' }),
        measurements: Type.Integer({ minimum: 1, description: 'Number of measurements, at least 3' }),
      },
      { description: 'Only with `cpu=calibrated`, on mobile: basis of `cpu_slowdown_multiplier`' },
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
      description: 'Median of the recent benchmark indices of this machine while it was idle; null for fewer than 3',
    }),
  ),
  benchmark_taken_at: sinceAdded(
    Type.String({
      format: 'date-time',
      description: 'Time of the benchmark index: at most 15 minutes before the audit, usually during it',
    }),
  ),
  benchmark_concurrent_audits: sinceAdded(
    Type.Integer({
      minimum: 0,
      description: 'Number of other local audits during the measurement of the benchmark index',
    }),
  ),
  concurrent_audits: sinceAdded(
    Type.Integer({ minimum: 0, description: 'Largest number of other local audits during this one' }),
  ),
  processor_wait: sinceAdded(
    Type.Object(
      {
        main_thread_ms: Type.Integer({
          minimum: 0,
          description: 'Milliseconds that main-thread tasks waited for a CPU',
        }),
        without: Type.Optional(
          Type.Object(
            {
              performance: Type.Integer({
                minimum: 0,
                maximum: 100,
                description: 'Performance score without the wait',
              }),
              total_blocking_time: Type.Integer({ minimum: 0, description: 'In milliseconds' }),
            },
            {
              description:
                'The same load, simulated without the wait; absent if the wait is too short, or nothing is simulated',
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
        'If the first contentful paint came a second or more after the load event: milliseconds between the last script before it and the paint',
    }),
  ),
  boot_id: sinceAdded(
    Type.String({
      description: 'Boot id of the machine: the same for all audits until it restarts; null if unknown',
    }),
  ),
  processors: sinceAdded(Type.Number({ description: 'CPUs that audits may use; null if unknown' })),
  blocked_requests: nullable(
    Type.Integer({ minimum: 0, description: 'Connections of the page that `TARGETS` blocked' }),
  ),
  skipped: sinceAdded(
    Type.Array(Type.Enum([...leftOut]), {
      description: 'Artifacts that no requested category uses, and that were not gathered; null if unknown',
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
