/** The conditions under which a page was measured. */
import Type, { type TSchema } from 'typebox';
import { arrayOf, byName, count, group, moment, nullable, number, text } from '../fields.ts';

/** Makes a field optional, because results that were stored before it existed do not have it. */
const sinceAdded = <T extends TSchema>(schema: T) => Type.Optional(nullable(schema));

const leftOut = ['full_page_screenshot', 'other_axe_rules'] as const;
export type LeftOut = (typeof leftOut)[number];

export const Environment = Type.Object({
  user_agent: nullable(text('User agent of the browser')),
  benchmark_index: nullable(number('CPU speed, as measured by Lighthouse (benchmark index)')),
  cpu_slowdown_multiplier: nullable(number('CPU throttling; null if the analyser does not report it (Google)')),
  calibration: Type.Optional(
    group('Basis of `cpu_slowdown_multiplier`; only with `cpu=calibrated` on mobile', {
      benchmark_index: number('Median of the measurements, from which the multiplier is computed'),
      measurements: count('Number of measurements, at least 3', 1),
    }),
  ),
  throttling_method: nullable(text('`simulate`, `devtools` or `provided`; null if not reported')),
  network_throttling: nullable(
    group('Simulated network; null if the analyser does not report it', {
      rtt_ms: number('Round-trip time'),
      throughput_kbps: number('Throughput'),
    }),
  ),
  benchmark_median: sinceAdded(
    number('Median of recent benchmark indices of this machine while idle; null if there are fewer than 3'),
  ),
  benchmark_taken_at: sinceAdded(
    moment('Time of the benchmark: usually during the audit, and at most 15 minutes before it'),
  ),
  benchmark_concurrent_audits: sinceAdded(count('Number of other local audits that ran during the benchmark')),
  concurrent_audits: sinceAdded(count('Maximum number of other local audits during this one')),
  processor_wait: sinceAdded(
    group('Effect of other work on the machine; null if unknown', {
      main_thread_ms: count('Milliseconds that main-thread tasks waited for a CPU'),
      others_ms: Type.Optional(
        count(
          'CPU time of other programs during the load, in milliseconds. Tasks that waited longer than this waited for the browser itself. Absent where the system does not report it',
        ),
      ),
      without: Type.Optional(
        group(
          'The same load, simulated without the wait; absent if the wait was too short, or if the load was not simulated',
          {
            performance: Type.Integer({ minimum: 0, maximum: 100, description: 'Performance score without the wait' }),
            total_blocking_time: count('In milliseconds'),
            later_paints: Type.Optional(
              byName(
                Type.Integer({ minimum: 0 }),
                'Paints that the wait delayed by at least 100 ms, in milliseconds without it; absent in results of earlier versions',
              ),
            ),
          },
        ),
      ),
    }),
  ),
  paint_wait_ms: Type.Optional(
    count(
      'Milliseconds between the first contentful paint and the last script before it; only if the paint came a second or more after the load event',
    ),
  ),
  boot_id: sinceAdded(text('Boot id of the machine: the same for all audits until it restarts; null if unknown')),
  processors: sinceAdded(number('Number of CPUs that audits may use; null if unknown')),
  blocked_requests: nullable(count('Connections of the page that `TARGETS` blocked')),
  skipped: sinceAdded(
    arrayOf(
      Type.Enum([...leftOut]),
      'Artifacts that were not gathered, because no requested category uses them; null if unknown',
    ),
  ),
  attempts: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 2,
      description: 'With a shared queue: 2 if the audit was repeated because its first machine was lost',
    }),
  ),
});
