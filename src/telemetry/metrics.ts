/**
 * Metrics of the service for Prometheus. The number of series is limited: a label is a route, a status, an error code
 * or another fixed name, never a URL or a client.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** A value that is read when metrics are requested. */
export type Reading = {
  name: string;
  help: string;
  /** Whether the value only increases until the process is restarted. */
  isCounter?: boolean;
  read: () => number;
};

export type MetricsRegistry = {
  readonly contentType: string;
  countRequest(labels: { method: string; route: string; status: string }, seconds: number): void;
  /** @param outcome `ok`, `client_disconnected`, or the code of the error */
  countAudit(outcome: string, seconds: number): void;
  /** Records how long an audit waited for its slot. */
  countWait(seconds: number): void;
  countCacheAnswer(status: string): void;
  /** Counts one page measured by the PSI analyser, including its retries. */
  countRemotePage(outcome: string, seconds: number): void;
  countRemoteRetry(): void;
  countBrowserStart(): void;
  countLeftover(): void;
  /** Counts entries that retention removed. */
  countRemoved(kind: string, count: number): void;
  countCallbackGivenUp(): void;
  addReading(reading: Reading): void;
  /** Returns the metrics in the text format of Prometheus. */
  toText(): Promise<string>;
  close(): void;
};

const prefix = 'rangelight_';
const requestSeconds = [0.005, 0.02, 0.1, 0.5, 2, 10, 30, 120];
const auditSeconds = [2, 4, 6, 8, 12, 20, 30, 60, 120];
const waitSeconds = [0.1, 1, 5, 15, 30, 60, 120, 300];

export function createMetrics(): MetricsRegistry {
  const register = new Registry();
  const registers = [register];
  let hasDefaults = false;

  const requests = new Histogram({
    name: `${prefix}http_request_duration_seconds`,
    registers,
    buckets: requestSeconds,
    help: 'Requests by method, route and status, until the response was sent. Status 499: the client disconnected',
    labelNames: ['method', 'route', 'status'] as const,
  });
  const audits = new Histogram({
    name: `${prefix}audit_duration_seconds`,
    registers,
    buckets: auditSeconds,
    help: 'Local audits by outcome (ok, client_disconnected, or an error code), from start to result',
    labelNames: ['outcome'] as const,
  });
  const waits = new Histogram({
    name: `${prefix}audit_wait_seconds`,
    registers,
    buckets: waitSeconds,
    help: 'Time that local audits waited for a slot',
  });
  const cacheAnswers = new Counter({
    name: `${prefix}cache_answers_total`,
    registers,
    help: 'Pages requested from /psi and the PSI side of /compare, by cache outcome: hit, miss, joined or stale',
    labelNames: ['status'] as const,
  });
  const remotePages = new Histogram({
    name: `${prefix}remote_page_duration_seconds`,
    registers,
    buckets: auditSeconds,
    help: 'Pages requested from the PSI analyser by outcome, including waits and retries',
    labelNames: ['outcome'] as const,
  });
  const remoteRetries = new Counter({
    name: `${prefix}remote_retries_total`,
    registers,
    help: 'Retried calls to the PSI analyser',
  });
  const browserStarts = new Counter({
    name: `${prefix}browser_starts_total`,
    registers,
    help: 'Browsers started, including spare ones',
  });
  const leftovers = new Counter({
    name: `${prefix}leftovers_total`,
    registers,
    help: 'Folders that could not be removed, or that an earlier process left behind',
  });
  const removals = new Counter({
    name: `${prefix}retention_removed_total`,
    registers,
    help: 'Entries that retention removed, by kind: results, artifacts, jobs or builds',
    labelNames: ['kind'] as const,
  });

  const callbacksGivenUp = new Counter({
    name: `${prefix}callbacks_given_up_total`,
    registers,
    help: 'Job callbacks that could not be delivered within a day, or that the receiver rejected permanently',
  });

  const addGauge = ({ name, help, read }: Reading): void => {
    new Gauge({
      name: `${prefix}${name}`,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  };

  return {
    contentType: register.contentType,
    countRequest: (labels, seconds) => requests.observe(labels, seconds),
    countAudit: (outcome, seconds) => audits.observe({ outcome }, seconds),
    countWait: seconds => waits.observe(seconds),
    countCacheAnswer: status => cacheAnswers.inc({ status }),
    countRemotePage: (outcome, seconds) => remotePages.observe({ outcome }, seconds),
    countRemoteRetry: () => remoteRetries.inc(),
    countBrowserStart: () => browserStarts.inc(),
    countLeftover: () => leftovers.inc(),
    countRemoved: (kind, count) => removals.inc({ kind }, count),
    countCallbackGivenUp: () => callbacksGivenUp.inc(),
    addReading({ name, help, isCounter = false, read }) {
      if (isCounter)
        new Counter({
          name: `${prefix}${name}`,
          help,
          registers,
          collect() {
            this.reset();
            this.inc(read());
          },
        });
      else addGauge({ name, help, read });
    },
    toText() {
      // The default metrics of the process watch the event loop, so they start only with the first request for metrics.
      if (!hasDefaults) collectDefaultMetrics({ register });
      hasDefaults = true;
      return register.metrics();
    },
    close: () => register.clear(),
  };
}
