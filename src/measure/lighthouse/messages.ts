import type { Stage } from '../../contract/analysis/progress.ts';
import type { Hits, LoadVariant } from '../../contract/experiments/load-variant.ts';
import type { MeasuringOptions } from '../../contract/measuring-options.ts';
import type { DelayedPaint } from '../../contract/result/environment.ts';
import type { FilePlace } from '../../contract/result/load-facts.ts';
import type { Cost, WhatIfOrder } from '../../contract/stored/what-if-order.ts';

/**
 * Messages between the service and its worker processes: lines of JSON over a pipe, with the bytes of a result after
 * its line. They are plain data, because they cross a process boundary. Replies that `reply-schema.ts` does not
 * describe are refused.
 */

/** File descriptor of the worker for orders and replies. */
export const channelFile = 3;

export type OnStage = (stage: Stage) => void;

/** Phases for which a worker asks permission: loading the page, or computing the result. */
export const askedPhases = ['load', 'compute'] as const;
export type AskedPhase = (typeof askedPhases)[number];

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
export type TimedAudit = AuditSettings & { totalMs: number };

/** Basis of a calibrated multiplier. */
export type Calibration = {
  benchmarkIndex: number;
  measurements: number;
  /** Indices among them that were measured for the calibration. */
  measured: readonly number[];
};

/** Time that main-thread tasks waited for a CPU. */
export type ProcessorWait = {
  waitedMs: number;
  /** CPU time of other programs during the load. No task waited longer than that for other programs. */
  othersMs?: number | undefined;
  /** Score (0 to 1) and blocking time without that wait, if they may differ, and in milliseconds the paints that it delayed. */
  without?: {
    performance: number;
    totalBlockingMs: number;
    laterPaints: Readonly<Partial<Record<DelayedPaint, number>>>;
  };
  /** Milliseconds between the page's last work before a late first contentful paint and that paint. */
  paintWaitMs?: number;
};

/** Facts about a run that the worker sends with its result. */
export type RunFacts = {
  /** Benchmark index in the result. */
  benchmarkIndex?: number;
  calibration?: Calibration;
  processorWait?: ProcessorWait;
  /** Part of the layout shift from before the whole HTML was painted. */
  earlyShift?: number;
  /** Number of times that each change of a variant was applied; present for a load with a variant. */
  hits?: Hits;
  /** What the load would gain from each fix; absent if it was not simulated. */
  costs?: readonly Cost[];
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

/** Metrics of the performance score by audit id: score 0–1, value in the metric's own unit. */
export type ReAuditResult = Readonly<Record<string, { score: number | null; value: number | null }>>;

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

/** Max length of an error's text. */
export const maxTextLength = 8_192;

export type WorkerReply =
  /** Lighthouse is imported; the worker accepts orders. */
  | { type: 'ready' }
  /** The worker waits for `Permission` to start a phase. */
  | { type: 'ask'; phase: AskedPhase }
  /** Process id of the browser, which is also its process group. */
  | { type: 'browser'; pid: number }
  /** Process id of the spare browser. */
  | { type: 'spare'; pid: number }
  /** Current stage of the audit. */
  | { type: 'stage'; stage: Stage }
  /** Whether the load is waiting for the network, and has used almost no CPU time for a few seconds. */
  | { type: 'rest'; isAtRest: boolean }
  /** Whether the page's main thread has not answered for a few seconds. */
  | { type: 'pulse'; isSilent: boolean }
  /**
   * Number of bytes that follow: the Lighthouse result as JSON; nothing if only a browser was checked; for a re-audit a
   * list of `ReAuditResult`, a `LoadFacts`, or a `WhatIfFacts`.
   */
  | ({ type: 'result'; bytes: number } & RunFacts)
  | {
      type: 'failed';
      during: 'launch' | 'audit';
      code?: string;
      message: string;
      /** URL of the document that failed, if one did. */
      url?: string;
    }
  /**
   * The browser has ended, the spare one is running or cannot start, and the worker is free. This follows every
   * `result` and `failed`.
   */
  | { type: 'idle' };

/** Answer to `ask`: the phase may start. */
export type Permission = { begin: AskedPhase };

/** Pauses or resumes the browser of a load that has ended: it is paused while another page loads. */
export type Pause = { pause: boolean };

export const toLine = (message: WorkerOrder | Permission | Pause | WorkerReply): string =>
  `${JSON.stringify(message)}\n`;

const lineEnd = 0x0a;

/**
 * Assembles lines from received pieces, and the bytes that follow a line.
 * @param onLine returns how many bytes follow the line; undefined if another line follows
 */
export function createLines(
  onLine: (line: string) => number | undefined,
  onBytes: (bytes: Buffer) => void = () => {},
): (chunk: Buffer) => void {
  /** Pieces of the current line. */
  let pieces: Buffer[] = [];
  /** Bytes that follow a line; undefined while a line is read. `arrived` is the number received so far. */
  let following: Buffer | undefined;
  let arrived = 0;

  const endBytes = () => {
    if (!following || arrived < following.length) return;
    const bytes = following;
    following = undefined;
    onBytes(bytes);
  };

  /** @returns the rest of the chunk, which belongs to the next line or bytes */
  function takeFrom(chunk: Buffer): Buffer {
    if (following) {
      const piece = chunk.subarray(0, following.length - arrived);
      following.set(piece, arrived);
      arrived += piece.length;
      endBytes();
      return chunk.subarray(piece.length);
    }
    const end = chunk.indexOf(lineEnd);
    pieces.push(end === -1 ? chunk : chunk.subarray(0, end));
    if (end === -1) return chunk.subarray(chunk.length);
    const line = Buffer.concat(pieces).toString();
    pieces = [];
    const length = onLine(line);
    // Another thread parses these bytes. Shared memory avoids a copy, which would block the event loop.
    if (length !== undefined) following = Buffer.from(new SharedArrayBuffer(length));
    arrived = 0;
    endBytes();
    return chunk.subarray(end + 1);
  }

  return chunk => {
    let rest = chunk;
    while (rest.length > 0) rest = takeFrom(rest);
  };
}
