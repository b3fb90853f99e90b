import type { Stage } from '../../contract/analysis/progress.ts';
import type { LoadVariant } from '../../contract/experiments/load-variant.ts';
import type { MeasuringOptions } from '../../contract/measuring-options.ts';
import type { FilePlace } from '../../contract/result/load-facts.ts';
import type { RunFacts } from '../../contract/stored/run-facts.ts';
import type { WhatIfOrder } from '../../contract/stored/what-if-order.ts';

/**
 * Orders of the service for its worker processes, as plain data, because they cross a process boundary. What a worker
 * sends is stated in `replies.ts`.
 */

/** File descriptor of the worker for its port. */
export const channelFile = 3;

export type OnStage = (stage: Stage) => void;

/** Error code of this service. Lighthouse would call a page blank if its document is still arriving. */
export const documentLate = 'DOCUMENT_LATE';
/** Error code of this service, for a page that leads to an app. The message begins with the scheme. */
export const appLink = 'APP_LINK';

/** Options of a local measurement, of which an audit needs three. */
type Options = MeasuringOptions<'page'>;

export type AuditSettings = Partial<Options> &
  Pick<Options, 'strategy' | 'categories' | 'profile'> & {
    url: string;
    /** BCP 47, such as `en-US`. */
    locale: string;
    /** Skips the full-page screenshot, to save time if the whole result is not needed. */
    withoutFullPageScreenshot?: boolean;
    /** Set by the pool: axe runs only the rules of the audits in these categories. */
    withoutOtherAxeRules?: boolean;
    /** Set by the pool: folder in which artifacts are stored for a re-audit. */
    keepIn?: string;
    /** Set by the pool: benchmark index of this machine, if it was measured recently. */
    benchmarkIndex?: number;
    /** Set by the pool for calibration: known benchmark indices of this machine. */
    knownIndices?: readonly number[];
    /** Changes that an experiment makes to a load. */
    variant?: LoadVariant;
  };

/** Returns whether CPU throttling is calibrated to the speed of the machine. Desktop runs have no CPU throttling. */
export const isCalibrated = ({ cpu, strategy }: Partial<Options>): boolean =>
  cpu === 'calibrated' && strategy === 'mobile';

/** An audit with the time that is left for it, in milliseconds. */
export type TimedAudit = AuditSettings & {
  totalMs: number;
  /** Own names of the page, and those of its hosts whose certificates the client's CA has issued. */
  ownNames?: readonly string[];
  trustedHosts?: readonly string[];
  /** Servers whose TLS the proxy ends, after it has checked them: as `nameOf` writes them. */
  provenServers?: readonly string[];
};

/** Differences of another load of the page, by the URLs of this load. */
export type PageChanges = {
  /** Requests that the other load did not make. */
  without: readonly string[];
  /** Transferred bytes in the other load. */
  transferSizes: Readonly<Record<string, number>>;
  /** Share of each script's work that the other load did, 0 to 1. */
  scriptShares: Readonly<Record<string, number>>;
  /** The same share for scripts in tasks without a file. */
  namelessShare?: number;
  /** Whether the other load's tasks never waited for a CPU. */
  withoutWait?: boolean;
  /** Positions of files relative to the paints, by their URLs without query. */
  places?: Readonly<Record<string, { readonly place: FilePlace; readonly priority: string }>>;
};

/** Settings for a re-audit of stored artifacts. Absent ones are unchanged. */
export type ReAuditSettings = {
  throttlingMethod?: 'simulate' | 'provided';
  rttMs?: number;
  throughputKbps?: number;
  cpuSlowdownMultiplier?: number;
  /** Factor for the CPU slowdown multiplier; default 1. */
  cpuFactor?: number;
  /** Latencies by origin that replace the observed ones, in milliseconds. */
  latency?: {
    additionalRttByOrigin: Readonly<Record<string, number>>;
    serverResponseTimeByOrigin: Readonly<Record<string, number>>;
  };
  /** Speed index that replaces the observed one, in milliseconds. */
  observedSpeedIndex?: number;
  /** Changes of the page. The result is empty if they are impossible. */
  page?: PageChanges;
};

/** Name of the whole performance score in a re-audit. */
export const wholeScore = 'performance';

export type ReAuditOrder = {
  folder: string;
  settings: readonly ReAuditSettings[];
  /** Whether to read the facts of the load instead of auditing it. If so, `settings` is empty. */
  wantsFacts?: boolean;
  /** Simulation to run instead of an audit. If present, `settings` is empty. */
  whatIf?: WhatIfOrder;
};

/** A browser that is ready to start. */
export type PreparedBrowser = {
  executablePath: string;
  /** Additions to the browser's short environment. */
  env: Readonly<Record<string, string>>;
};

export type BrowserSettings = PreparedBrowser & {
  sandbox: boolean;
  /** Proxy, the browser's only network access; undefined for a browser that loads nothing. */
  proxyUrl: string | undefined;
};

/** Timeouts for a page. Tests use shorter ones. */
export type PageLimits = {
  /** Lighthouse's `maxWaitForFcp`. */
  firstPaintMs: number;
  /** Lighthouse's `maxWaitForLoad`: max time until the load event, and an idle network and CPU. */
  loadMs: number;
  /** Idle time of paint, load, network and CPU after which a page counts as loaded: four settings of Lighthouse. */
  quietMs: number;
  /** Max time until the document starts to arrive. */
  documentMs: number;
  /** Time without an answer after which the page counts as silent. It may still recover. */
  silentMs: number;
  /** Time without an answer after which a loading page counts as hung. */
  hungMs: number;
  /** Interval between checks whether the page answers. */
  beatMs: number;
};

/** A browser for one page. */
export type BrowserLaunch = {
  browser: BrowserSettings;
  /** A fresh folder for the profile, scratch files and HOME. */
  folder: string;
  /** The same folder, by a path short enough for sockets. */
  scratch: string;
};

/** An order: check that a browser starts, measure a page, or audit stored artifacts again. */
export type WorkerOrder = {
  limits: PageLimits;
  /** Browser of this order. Without an audit, it is started and ended to check that it works. */
  launch?: BrowserLaunch;
  /** Whether the browser is already running as the spare of the previous order. Any other spare is ended. */
  isStarted?: boolean;
  audit?: TimedAudit;
  /** Artifacts to audit again instead of a page. No browser starts. */
  reAudit?: ReAuditOrder;
  /** Spare browser for the next order, started when the page of this order is measured. */
  spare?: BrowserLaunch;
};

/** Messages of the service to a worker, which trusts them. */
export type WorkerCaller = {
  calls: {
    /**
     * The bytes are the Lighthouse result as JSON; none if only a browser was checked; for a re-audit a list of
     * `ReAuditResult`, a `LoadFacts`, or a `WhatIfFacts`.
     */
    carryOut: { order: WorkerOrder; answer: RunFacts };
  };
  /** Pauses or resumes the browser of a load that has ended: it is paused while another page loads. */
  notices: { pause: { isPaused: boolean } };
  failure: null;
};
