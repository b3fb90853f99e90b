import type { Analyser } from '../report/report.ts';

/** Who answers as PSI v5. */
export type RemoteAnalyser = {
  kind: Exclude<Analyser['kind'], 'local'>;
  /** Full URL of `runPagespeed`; a function, because the embedded one is known only once the service listens. */
  endpoint: () => string;
  /** Sent in the `X-Goog-Api-Key` header. */
  apiKey: string | undefined;
};
