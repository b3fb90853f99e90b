import type { Stage } from './stages.ts';

/** What the pool and its worker processes say to each other. Plain data only: it crosses a process boundary. */

/** `lighthouse`: the command's own defaults. `psi`: the presets PageSpeed Insights runs with. */
export type Profile = 'lighthouse' | 'psi';

export type AuditSettings = {
  url: string;
  strategy: 'mobile' | 'desktop';
  categories: readonly string[];
  profile: Profile;
  /** BCP 47, such as `en-US`. */
  locale: string;
  /** Set by the pool: a folder to leave what was gathered in, for a re-audit. */
  keepIn?: string;
};

/** Settings to audit kept artifacts under; what is absent stays as it was when they were gathered. */
export type ReAuditSettings = {
  throttlingMethod?: 'simulate' | 'provided';
  rttMs?: number;
  throughputKbps?: number;
  cpuSlowdownMultiplier?: number;
  /** Latencies by origin in place of those observed, milliseconds. */
  latency?: {
    additionalRttByOrigin: Readonly<Record<string, number>>;
    serverResponseTimeByOrigin: Readonly<Record<string, number>>;
  };
};

/** By audit id, for the metrics that make up the performance score: score 0–1, value in the metric's own unit. */
export type ReAuditResult = Readonly<Record<string, { score: number | null; value: number | null }>>;

export type ReAuditOrder = { folder: string; settings: readonly ReAuditSettings[] };

/** A browser that is ready to start. */
export type PreparedBrowser = {
  executablePath: string;
  /** Added to the short environment the browser gets. */
  env: Readonly<Record<string, string>>;
};

export type BrowserSettings = PreparedBrowser & {
  sandbox: boolean;
  /** The only way to the network; undefined for a browser that loads nothing. */
  proxyUrl: string | undefined;
};

export type WorkerOrder = {
  /** What to measure; undefined only starts a browser and ends it, to see whether it can. */
  audit: AuditSettings | undefined;
  /** What an earlier audit kept, to be audited again in place of a page: no browser starts. */
  reAudit?: ReAuditOrder;
  browser: BrowserSettings;
  /** A fresh folder of this order's own: profile, scratch files and HOME of its browser. */
  folder: string;
};

export type WorkerReply =
  /** Lighthouse is imported; orders are welcome. */
  | { type: 'ready' }
  /** The browser's process id, which is also its process group. */
  | { type: 'browser'; pid: number }
  /** What the audit does now. */
  | { type: 'stage'; stage: Stage }
  /** Whether the page's main thread has not answered for some seconds. */
  | { type: 'pulse'; isSilent: boolean }
  /**
   * The Lighthouse result as JSON text, which may carry a `runtimeError`; empty when nothing was to be measured; of a
   * re-audit a list of `ReAuditResult`.
   */
  | { type: 'result'; lhr: string }
  | {
      type: 'failed';
      during: 'launch' | 'audit';
      code: string | undefined;
      message: string;
      /** The document that failed, where one did. */
      url?: string;
    }
  /** The browser is gone; the worker is free. Follows every `result` and `failed`. */
  | { type: 'idle' };
