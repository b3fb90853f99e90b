import type { AuditProgress, RemoteStage } from '../contract/analysis/progress.ts';
import type { MeasuringOptions } from '../contract/measuring-options.ts';
import type { Analyser as AnalyserFacts } from '../contract/result/result.ts';
import type { Measured } from './lhr/measured.ts';
import type { ArtifactPaths } from './lighthouse/folders/kept-artifacts.ts';

/** Options of a local measurement. A remote one uses two, and the others have an effect only on this machine. */
type Options = MeasuringOptions<'page'>;

/** Request to measure one page with one strategy. */
export type AnalyserRequest = Pick<Options, 'strategy' | 'categories'> &
  Partial<Options> & {
    /** Canonical URL. */
    url: string;
    /** BCP 47, such as `en-US`. */
    locale: string;
    /** Time at which the service received the request: ISO 8601, UTC. */
    requestedAt: string;
  };

export type AnalyserOptions = {
  signal: AbortSignal;
  /** Name of the client: clients take turns in the queues. */
  client?: string | undefined;
  /** Whether this is one page of many: such a page waits behind single requests. */
  isBatch?: boolean | undefined;
  /** Called with the progress of the audit or of the call to a server. Must not throw. */
  onProgress?: ((progress: AuditProgress | { event: 'progress'; stage: RemoteStage }) => void) | undefined;
};

/** State of an analyser for `/health`. Times in milliseconds since the epoch. */
export type AnalyserState =
  | { state: 'ok' }
  /** The analyser refuses calls until a given time. */
  | { state: 'throttled'; untilMs: number }
  /** All calls have failed since a given time. */
  | { state: 'down'; sinceMs: number };

/** Files of a local audit, which exist until they are released. */
export type TakenArtifacts = { readonly files: ArtifactPaths; release(): Promise<void> };

/** Result of an analyser; the caller releases its artifacts. */
export type Analysed = Measured & { readonly artifacts?: TakenArtifacts | undefined };

/** Measures pages for `/psi`, on a remote server or in this process. Callers need not know which. */
export type PsiAnalyser = {
  readonly kind: Exclude<AnalyserFacts['kind'], 'local' | 'uploaded'>;
  /** Distinguishes results of this analyser from those of others, even after a restart. */
  readonly identity: string;
  /**
   * Returns host and port for results. It is a function because the service's own port is known only once it listens.
   */
  host(): string;
  /** One line of text for display. */
  readonly description: string;
  readonly hasKey: boolean;
  /**
   * Measures a page. A page that failed throws, and is never a result.
   * @throws AnalysisError of source `psi`; the signal's reason when the client disconnected
   */
  measure(request: AnalyserRequest, options: AnalyserOptions): Promise<Analysed>;
  /** Returns the state after the latest calls, without making a call. */
  state(): AnalyserState;
  /** Stops calls to other machines: waiting calls are refused with `shutting_down`, and running calls may end. */
  close(): void;
};
