/** The parts of other rooms that the HTTP server needs; `src/service/` provides them. */
import type { Logger } from 'pino';
import type { AnalyseLocal } from '../analysis/analyse-local.ts';
import type { AnalyseRemote } from '../analysis/analyse-remote.ts';
import type { Recorder } from '../analysis/records/recorder.ts';
import type { Threads } from '../analysis/threads/threads.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Crux } from '../measure/crux.ts';
import type { Machine } from '../measure/psi/wire/machine-header.ts';
import type { ReadSitemap } from '../measure/sitemaps/read-sitemap.ts';
import type { TargetPolicy } from '../measure/targets/policy.ts';
import type { Settings } from '../settings/settings.ts';
import type { Vault } from '../storage/access/vault.ts';
import type { MetricsRegistry } from '../telemetry/metrics.ts';
import type { Tracing } from '../telemetry/tracing/tracing.ts';
import type { PageLimiter } from './access/rate-limit.ts';
import type { HealthSources } from './routes/health.get.ts';
import type { arrivalLimits } from './server/server-limits.ts';

type AppSettings = Pick<
  Settings,
  | 'role'
  | 'errorPages'
  | 'noindex'
  | 'debug'
  | 'psiConcurrency'
  | 'apiKeys'
  | 'adminKeys'
  | 'rateLimit'
  | 'trustProxy'
  | 'allowedHosts'
>;

export type AppParts = HealthSources & {
  /** Facts about this machine for answers of the v5 endpoint. */
  machine: Machine;
  settings: AppSettings;
  /** Interval of heartbeats in streamed responses, in milliseconds; undefined for the default. */
  heartbeatMs: number | undefined;
  /** Times that requests may take to arrive; undefined for the defaults. */
  arrival?: typeof arrivalLimits | undefined;
  log: Logger;
  policy: TargetPolicy;
  /** The CrUX API; undefined without a key. */
  crux: Crux | undefined;
  analyseRemote: AnalyseRemote;
  analyseLocal: AnalyseLocal;
  readSitemap: ReadSitemap;
  threads: Threads;
  recorder: Recorder;
  metrics: MetricsRegistry;
  /** Counts the pages of clients across all instances; undefined if this instance counts its own. */
  pageLimiter?: PageLimiter | undefined;
  /** Tracing of requests; undefined if it is off. */
  tracing?: Tracing | undefined;
  jobs: Jobs;
  /** Seals and opens stored secrets; undefined without ACCESS_KEY. */
  vault: Vault | undefined;
  /** Returns false if the service accepts no further work. */
  isAccepting: () => boolean;
  /** Aborts with `shutting_down` when the service stops waiting for its requests. */
  ending?: AbortSignal | undefined;
};
