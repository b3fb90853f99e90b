import type { Stage } from '../../contract/analysis/progress.ts';
import type { Hits, LoadVariant } from '../../contract/experiments/request.ts';
import type { Profile } from '../../contract/names.ts';
import type { FilePlace } from '../../contract/result/load-facts.ts';
import type { WhatIfOrder } from '../../contract/stored/what-if-order.ts';

/**
 * What the service and its worker processes say to each other: a line of JSON each, over the pipe below; after that of
 * a result its bytes, as they are. Plain data only: it crosses a process boundary. Of a worker nothing is believed that
 * `reply-schema.ts` does not describe.
 */

/** The file of the worker that orders come from and replies go to. */
export const channelFile = 3;

export type OnStage = (stage: Stage) => void;

/** The phases that a worker asks for before it starts them: it loads the page, or computes what was gathered. */
export const askedPhases = ['load', 'compute'] as const;
export type AskedPhase = (typeof askedPhases)[number];

/** Not a code of Lighthouse's, which calls a page blank when its document is still on its way. */
export const documentLate = 'DOCUMENT_LATE';

export type AuditSettings = {
  url: string;
  strategy: 'mobile' | 'desktop';
  categories: readonly string[];
  profile: Profile;
  /** Whether the processor of a phone is slowed down by as much as the speed of the machine asks for. */
  cpu?: 'calibrated';
  /** BCP 47, such as `en-US`. */
  locale: string;
  /** Its time is saved where no one gets the whole result. */
  withoutFullPageScreenshot?: boolean;
  /** Set by the pool: whether axe runs only the rules of the audits of these categories. */
  withoutOtherAxeRules?: boolean;
  /** Set by the pool: a folder to leave what was gathered in, for a re-audit. */
  keepIn?: string;
  /** Set by the pool: how fast this machine is, where that was measured a moment ago. */
  benchmarkIndex?: number;
  /** Set by the pool, where the processor is calibrated: what is known of this machine. */
  knownIndices?: readonly number[];
  /** The changes of a load of an experiment. */
  variant?: LoadVariant;
};

/** By what a multiplier was chosen. */
export type Calibration = {
  benchmarkIndex: number;
  measurements: number;
  /** Those of them that were made for it. */
  measured: readonly number[];
};

/** How long tasks of the page's main thread had no processor. */
export type ProcessorWait = {
  waitedMs: number;
  /** What the load scores without that, where it may make a difference: 0 to 1. */
  without?: { performance: number; totalBlockingMs: number };
  /** Milliseconds between the last script before the first contentful paint and that paint. */
  paintWaitMs?: number;
};

/** Facts about a run that the worker sends with its result. */
export type RunFacts = {
  /** The one that stands in the result. */
  benchmarkIndex?: number;
  calibration?: Calibration;
  processorWait?: ProcessorWait;
  /** Of a load with a variant. */
  hits?: Hits;
};

/** What another load of the page got in place of this one, by the addresses of this one. */
export type PageChanges = {
  /** Requests that it did not make. */
  without: readonly string[];
  /** Bytes over the network. */
  transferSizes: Readonly<Record<string, number>>;
  /** Which share of the work of a script it did, 0 to 1. */
  scriptShares: Readonly<Record<string, number>>;
  /** The same of script in tasks that name no file. */
  namelessShare?: number;
  /** Whether its tasks had a processor whenever they wanted one. */
  withoutWait?: boolean;
  /** Where files stand in the load, by their URLs without query. */
  places?: Readonly<Record<string, { readonly place: FilePlace; readonly priority: string }>>;
};

/** Settings to audit kept artifacts under; what is absent stays as it was when they were gathered. */
export type ReAuditSettings = {
  throttlingMethod?: 'simulate' | 'provided';
  rttMs?: number;
  throughputKbps?: number;
  cpuSlowdownMultiplier?: number;
  /** By what the multiplier is multiplied; default 1. */
  cpuFactor?: number;
  /** Latencies by origin in place of those observed, milliseconds. */
  latency?: {
    additionalRttByOrigin: Readonly<Record<string, number>>;
    serverResponseTimeByOrigin: Readonly<Record<string, number>>;
  };
  /** Where that is not possible, its result is empty. */
  page?: PageChanges;
};

/** Under this name a re-audit gives the performance score that Lighthouse makes of the metrics. */
export const wholeScore = 'performance';

/** By audit id, for the metrics that make up the performance score: score 0–1, value in the metric's own unit. */
export type ReAuditResult = Readonly<Record<string, { score: number | null; value: number | null }>>;

export type ReAuditOrder = {
  folder: string;
  settings: readonly ReAuditSettings[];
  /** Whether the facts of the load are read in place of an audit; then there are no settings. */
  wantsFacts?: boolean;
  /** What the load is simulated as in place of an audit; then there are no settings. */
  whatIf?: WhatIfOrder;
};

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

/** How long a page is waited for. Tests wait less. */
export type PageLimits = {
  /** Lighthouse's `maxWaitForFcp`. */
  firstPaintMs: number;
  /** Lighthouse's `maxWaitForLoad`: for the load event, and a network and processor at rest. */
  loadMs: number;
  /** How long paint, load, network and processor rest before a page counts as loaded: four settings of Lighthouse's. */
  quietMs: number;
  /** Until the document starts to arrive. */
  documentMs: number;
  /** Silence after which the page counts as silent, and may still come back. */
  silentMs: number;
  /** Silence after which it counts as hung, while it loads. */
  hungMs: number;
  /** The same later, when Lighthouse's own scripts may keep the page busy. */
  hungLaterMs: number;
  /** Between two questions whether the page still answers. */
  beatMs: number;
};

/** One browser, for one page. */
export type BrowserLaunch = {
  browser: BrowserSettings;
  /** A fresh folder of its own: profile, scratch files and HOME. */
  folder: string;
  /** The same folder, by a path that is short enough for sockets. */
  scratch: string;
};

/** One of the three: a browser to try, with or without a page to measure in it; or artifacts to audit again. */
export type WorkerOrder = {
  limits: PageLimits;
  /** The browser of this order. Without an audit it is started and ended, to see whether that is possible. */
  launch?: BrowserLaunch;
  /** Whether it should run already, as the spare of the order before. Any other spare is ended. */
  isStarted?: boolean;
  audit?: AuditSettings;
  /** What an earlier audit kept, to be audited again in place of a page: no browser starts. */
  reAudit?: ReAuditOrder;
  /** A spare browser, to be started once the page of this order is measured, and kept for the next order. */
  spare?: BrowserLaunch;
};

/** The service has no use for more of an error's text. */
export const maxTextLength = 8_192;

export type WorkerReply =
  /** Lighthouse is imported; orders are welcome. */
  | { type: 'ready' }
  /** It waits until it may begin a phase, which `Permission` says. */
  | { type: 'ask'; phase: AskedPhase }
  /** The browser's process id, which is also its process group. */
  | { type: 'browser'; pid: number }
  /** The same of the spare browser. */
  | { type: 'spare'; pid: number }
  /** What the audit does now. */
  | { type: 'stage'; stage: Stage }
  /** Whether the load waits for the network, and has left the processors to others for some seconds. */
  | { type: 'rest'; isAtRest: boolean }
  /** Whether the page's main thread has not answered for some seconds. */
  | { type: 'pulse'; isSilent: boolean }
  /**
   * So many bytes follow: the Lighthouse result as JSON, none when nothing was to be measured, of a re-audit a list of
   * `ReAuditResult`, a `LoadFacts`, or a `WhatIfFacts`.
   */
  | ({ type: 'result'; bytes: number } & RunFacts)
  | {
      type: 'failed';
      during: 'launch' | 'audit';
      code?: string;
      message: string;
      /** The document that failed, where one did. */
      url?: string;
    }
  /** The browser is gone, the spare one runs or cannot; the worker is free. Follows every `result` and `failed`. */
  | { type: 'idle' };

/** The answer to `ask`: the phase may begin. */
export type Permission = { begin: AskedPhase };

export const toLine = (message: WorkerOrder | Permission | WorkerReply): string => `${JSON.stringify(message)}\n`;

const lineEnd = 0x0a;

/**
 * Puts lines together from the pieces that arrive, and the bytes that follow a line.
 * @param onLine gives how many bytes follow that line; nothing: another line
 */
export function createLines(
  onLine: (line: string) => number | undefined,
  onBytes: (bytes: Buffer) => void = () => {},
): (chunk: Buffer) => void {
  let pieces: Buffer[] = [];
  let gathered = 0;
  /** Undefined while a line comes. */
  let due: number | undefined;

  const gather = (piece: Buffer) => {
    pieces.push(piece);
    gathered += piece.length;
  };
  const takePieces = (): Buffer => {
    const taken = pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);
    pieces = [];
    gathered = 0;
    return taken;
  };
  const endBytes = () => {
    if (due === undefined || gathered < due) return;
    due = undefined;
    onBytes(takePieces());
  };

  /** @returns what belongs to what comes next */
  function takeFrom(chunk: Buffer): Buffer {
    if (due !== undefined) {
      const missing = due - gathered;
      gather(chunk.subarray(0, missing));
      endBytes();
      return chunk.subarray(missing);
    }
    const end = chunk.indexOf(lineEnd);
    gather(end === -1 ? chunk : chunk.subarray(0, end));
    if (end === -1) return chunk.subarray(chunk.length);
    due = onLine(takePieces().toString());
    endBytes();
    return chunk.subarray(end + 1);
  }

  return chunk => {
    let rest = chunk;
    while (rest.length > 0) rest = takeFrom(rest);
  };
}
