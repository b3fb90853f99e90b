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

export type MetricsRegistry = ReturnType<typeof createMetrics>;

const prefix = 'rangelight_';
const requestSeconds = [0.005, 0.02, 0.1, 0.5, 2, 10, 30, 120];
const auditSeconds = [2, 4, 6, 8, 12, 20, 30, 60, 120];
const waitSeconds = [0.1, 1, 5, 15, 30, 60, 120, 300];

export function createMetrics() {
  const register = new Registry();
  const toBasics = (name: string, help: string) => ({ name: prefix + name, help, registers: [register] });
  const toHistogram = <Label extends string = never>(
    name: string,
    help: string,
    buckets: readonly number[],
    ...labelNames: Label[]
  ) => new Histogram<Label>({ ...toBasics(name, help), buckets: [...buckets], labelNames });
  const toCounter = <Label extends string = never>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter<Label>({ ...toBasics(name, help), labelNames });
  let hasDefaults = false;

  const requests = toHistogram(
    'http_request_duration_seconds',
    'Requests by method, route and status, until the response was sent. Status 499: the client disconnected',
    requestSeconds,
    ...(['method', 'route', 'status'] as const),
  );
  const audits = toHistogram(
    'audit_duration_seconds',
    'Local audits by outcome (ok, client_disconnected, or an error code), from start to result',
    auditSeconds,
    'outcome',
  );
  const waits = toHistogram('audit_wait_seconds', 'Time that local audits waited for a slot', waitSeconds);
  const cacheAnswers = toCounter(
    'cache_answers_total',
    'Pages requested from /psi and the PSI side of /compare, by cache outcome: hit, miss, joined or stale',
    'status',
  );
  const remotePages = toHistogram(
    'remote_page_duration_seconds',
    'Pages requested from the PSI analyser by outcome, including waits and retries',
    auditSeconds,
    'outcome',
  );
  const remoteRetries = toCounter('remote_retries_total', 'Retried calls to the PSI analyser');
  const browserStarts = toCounter('browser_starts_total', 'Browsers started, including spare ones');
  const leftovers = toCounter(
    'leftovers_total',
    'Folders that could not be removed, or that an earlier process left behind',
  );
  const removals = toCounter(
    'retention_removed_total',
    'Entries that retention removed, by kind: results, artifacts, jobs or builds',
    'kind',
  );
  const callbacksGivenUp = toCounter(
    'callbacks_given_up_total',
    'Job callbacks that could not be delivered within a day, or that the receiver rejected permanently',
  );

  return {
    contentType: register.contentType,
    countRequest: (labels: { method: string; route: string; status: string }, seconds: number) =>
      requests.observe(labels, seconds),
    /** @param outcome `ok`, `client_disconnected`, or the code of the error */
    countAudit: (outcome: string, seconds: number) => audits.observe({ outcome }, seconds),
    countWait: (seconds: number) => waits.observe(seconds),
    countCacheAnswer: (status: string) => cacheAnswers.inc({ status }),
    /** Counts one page measured by the PSI analyser, including its retries. */
    countRemotePage: (outcome: string, seconds: number) => remotePages.observe({ outcome }, seconds),
    countRemoteRetry: () => remoteRetries.inc(),
    countBrowserStart: () => browserStarts.inc(),
    countLeftover: () => leftovers.inc(),
    /** Counts entries that retention removed. */
    countRemoved: (kind: string, count: number) => removals.inc({ kind }, count),
    countCallbackGivenUp: () => callbacksGivenUp.inc(),
    addReading({ name, help, isCounter = false, read }: Reading): void {
      const basics = toBasics(name, help);
      if (!isCounter) {
        const gauge: Gauge = new Gauge({ ...basics, collect: () => gauge.set(read()) });
        return;
      }
      const counter: Counter = new Counter({
        ...basics,
        collect() {
          counter.reset();
          counter.inc(read());
        },
      });
    },
    toText(): Promise<string> {
      // The default metrics of the process watch the event loop, so they start only with the first request for metrics.
      if (!hasDefaults) collectDefaultMetrics({ register });
      hasDefaults = true;
      return register.metrics();
    },
    close: () => register.clear(),
  };
}
