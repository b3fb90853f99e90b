import type { AuditProgress, RemoteStage } from '../contract/analysis/progress.ts';
import type { RequestCategory, Strategy } from '../contract/names.ts';
import type { Analyser as AnalyserFacts } from '../contract/result/result.ts';
import type { Measured } from './lhr/measured.ts';
import type { ArtifactPaths } from './lighthouse/folders/kept-artifacts.ts';

/** One page under one strategy. */
export type AnalyserRequest = {
  /** Canonical. */
  url: string;
  strategy: Strategy;
  categories: readonly RequestCategory[];
  /** BCP 47, such as `en-US`. */
  locale: string;
  /** ISO 8601, UTC: when the service was asked for the analysis. */
  requestedAt: string;
};

type AnalyserOptions = {
  signal: AbortSignal;
  /** An audit on this machine runs alone there. */
  isExclusive?: boolean | undefined;
  /** Takes turns with other clients in the queues. */
  client?: string | undefined;
  /** One page of many: it comes after what someone waits for. */
  isBatch?: boolean | undefined;
  /** What the analysis is doing: its audit here, or its call to a server. It must not throw. */
  onProgress?: ((progress: AuditProgress | { event: 'progress'; stage: RemoteStage }) => void) | undefined;
};

/** What was seen of an analyser, for `/health`. Times in milliseconds since the epoch. */
export type AnalyserState =
  | { state: 'ok' }
  /** It said that it wants no more calls before a time. */
  | { state: 'throttled'; untilMs: number }
  /** Nothing but failures since a time. */
  | { state: 'down'; sinceMs: number };

/** Files of an audit on this machine, until they are released. */
export type TakenArtifacts = { readonly files: ArtifactPaths; release(): Promise<void> };

/** What an analyser measured; who asked releases the artifacts. */
export type Analysed = Measured & { readonly artifacts?: TakenArtifacts | undefined };

/** Measures pages for `/psi`: over the wire, or in this process. Nothing above it knows which. */
export type Analyser = {
  readonly kind: Exclude<AnalyserFacts['kind'], 'local' | 'uploaded'>;
  /** Reports its results from those of any other analyser, also after a restart. */
  readonly identity: string;
  /** Host and port, as results name it. A function: the service's own is known once it listens. */
  host(): string;
  /** One line for people. */
  readonly description: string;
  readonly hasKey: boolean;
  /**
   * A page that failed is never a result.
   * @throws AnalysisError of source `psi`; the signal's reason when the client disconnected
   */
  measure(request: AnalyserRequest, options: AnalyserOptions): Promise<Analysed>;
  /** As the last calls were answered. Makes no call itself. */
  state(): AnalyserState;
  /**
   * Starts no further call of another machine: what waits is refused with `shutting_down`, and calls that run may end.
   */
  close(): void;
};
