import type { OnProgress } from '../contract/analysis/progress.ts';
import { AnalysisError } from '../contract/errors.ts';
import type { CacheNote, Result } from '../contract/result/result.ts';
import type { Analysed, PsiAnalyser } from '../measure/analyser.ts';
import type { Crux } from '../measure/crux.ts';
import type { Reading } from '../measure/lhr/facts/side-facts.ts';
import { fitResult } from '../measure/lhr/fit-result.ts';
import { type JsonBytes, joinObjects, toBuffer, toJson, toObject } from '../measure/lhr/json-bytes.ts';
import type { Measured } from '../measure/lhr/measured.ts';
import { type PackedJson, packJson, toPackedJson } from '../measure/lhr/packed-json.ts';
import { toConditionsId } from '../measure/shown-conditions.ts';
import type { TargetPolicy } from '../measure/targets/policy.ts';
import { toCacheKey } from '../storage/cache/key.ts';
import type { CachedResult, ResultCache } from '../storage/cache/result-cache.ts';
import type { StoredResult } from '../storage/cache/store.ts';
import type { LocalRequest } from './analyse-local.ts';
import { assertRemoteTarget } from './assert-target.ts';
import type { Recorder } from './records/recorder.ts';

/** Some options of a local measurement. A cache hit needs the same label. */
export type RemoteRequest = Pick<LocalRequest, 'url' | 'strategy' | 'categories' | 'label'> & Partial<LocalRequest>;

export type RemoteAnalysis = {
  /** Result without full data as JSON, because most requests never need it parsed. */
  json: JsonBytes;
  /** The whole Lighthouse result as it is stored, if it was requested. */
  lighthouseResult?: PackedJson;
  /** Facts for a comparison, if the result was measured for this request. */
  reading?: Reading | undefined;
  cache: CacheNote;
  /** Reason why the analyser was called; absent for a cache hit. */
  asked?: CachedResult['asked'];
  /** Whole seconds until the cached result expires; negative if it has expired. */
  ttlSeconds: number;
};

export type RemoteOptions = {
  detailed: boolean;
  fresh: boolean;
  signal: AbortSignal;
  /** Name of the client: clients take turns in the queues. A joined request has the turn of its first client. */
  client?: string | undefined;
  /** Whether this is one page of many: it waits behind single requests. */
  isBatch?: boolean | undefined;
  /** Called while the analyser works; not called for a client that joins a request in flight, or on a cache hit. */
  onProgress?: OnProgress | undefined;
};

type ForAnalyser = Pick<RemoteOptions, 'client' | 'isBatch'> & { onProgress: OnProgress };
/** Facts for the request that measured a result, which are not cached. */
type First = { reading: Reading; warning: string | undefined };
type OnRead = (first: First, lighthouseResult: Buffer) => void;

export type AnalyseRemote = (request: RemoteRequest, options: RemoteOptions) => Promise<RemoteAnalysis>;

const locale = 'en-US';
/** Max time until a result goes without the history of its field data, from the start of the first request for them. */
const historyTimeoutMs = 5000;

/** Copies bytes: a view of the buffer pool would prevent the whole pool from being freed. */
const toOwnBytes = (bytes: Buffer): Buffer => {
  const own = Buffer.allocUnsafeSlow(bytes.byteLength);
  bytes.copy(own);
  return own;
};

function withWarning(summary: JsonBytes, warning: string): JsonBytes {
  const result = JSON.parse(summary.toString()) as Result;
  return toJson({ ...result, warnings: [...result.warnings, warning] });
}

const toCacheNote = ({ status, ageSeconds, expiresAt, failure, repeated }: CachedResult): CacheNote => ({
  status,
  age: ageSeconds,
  expires_at: expiresAt.toISOString(),
  ...(failure ? { failure: failure.code } : {}),
  ...(repeated ? { repeated } : {}),
});

/**
 * Measures a page with the PSI analyser, or answers from the cache.
 * @throws AnalysisError of source `psi`; the signal's reason when the client disconnected
 */
export function createAnalyseRemote({
  policy,
  targets,
  cache,
  analyser,
  crux,
  recorder,
}: {
  policy: TargetPolicy;
  /** The TARGETS setting as text: an instance does not use results of an instance that allows different targets. */
  targets: string;
  cache: ResultCache;
  analyser: PsiAnalyser;
  /** The CrUX API, queried if the analyser has no field data; undefined if only the analyser's field data are used. */
  crux: Crux | undefined;
  recorder: Recorder;
}): AnalyseRemote {
  /** Returns the analyser's own field data, or else those of the CrUX API. A result without field data is complete. */
  async function findField(request: RemoteRequest, { result, documentUrl }: Measured, signal: AbortSignal) {
    const { field } = result.core_web_vitals;
    // A private page has no field data, and its URL must not be sent to Google.
    // Field data describe the page that visitors get, not a load at another address or with blocked files.
    if (
      !crux ||
      toConditionsId(request) !== null ||
      !policy.isPublicUrl(request.url) ||
      !policy.isPublicUrl(documentUrl)
    )
      return field;
    const noLonger = AbortSignal.any([signal, AbortSignal.timeout(historyTimeoutMs)]);
    const orNone = () => {
      signal.throwIfAborted();
      return null;
    };
    const found = field ?? (await crux.fieldDataOf(documentUrl, request.strategy, signal).catch(orNone));
    if (!found) return null;
    const { scope } = found;
    const history = await crux.historyOf(documentUrl, request.strategy, { signal: noLonger, scope }).catch(orNone);
    return history ? { ...found, history } : found;
  }

  const profile = analyser.kind === 'embedded' ? 'psi' : null;

  const measure = async (
    request: RemoteRequest,
    requestedAt: string,
    { onProgress, ...options }: ForAnalyser,
    signal: AbortSignal,
  ): Promise<Analysed> => {
    const { url, strategy, label } = request;
    try {
      return await analyser.measure(
        { ...request, locale, requestedAt },
        { ...options, signal, onProgress: progress => onProgress({ source: 'psi', strategy, ...progress }) },
      );
    } catch (error) {
      if (!(error instanceof AnalysisError)) throw error;
      const identity = { kind: analyser.kind, host: analyser.host() };
      const conditions = toConditionsId(request);
      throw await recorder.failure({
        ...{ error, source: 'psi', url, strategy, profile, label, conditions },
        analyser: identity,
      });
    }
  };

  // The URL is checked before each call. Cached results need no check: they were stored under the same TARGETS.
  const produce = (request: RemoteRequest, forAnalyser: ForAnalyser, onRead: OnRead) => async (signal: AbortSignal) => {
    const requestedAt = new Date().toISOString();
    assertRemoteTarget({ policy, analyser }, request.url);
    const measured = await measure(request, requestedAt, forAnalyser, signal);
    const { artifacts } = measured;
    try {
      const { result, lighthouseResult } = measured;
      const field = await findField(request, measured, signal);
      // The field data were found after the result had been fitted.
      const whole = fitResult({ ...result, core_web_vitals: { ...result.core_web_vitals, field } });
      const { label } = request;
      const files = artifacts?.files;
      let warning: string | undefined;
      const onWaiting = (text: string) => {
        warning = text;
      };
      const kept = await recorder.result({ result: whole, lighthouseResult, profile, label, files, onWaiting });
      const packed = await packJson(toBuffer(lighthouseResult));
      onRead({ reading: measured.reading, warning }, packed);
      return { summary: toOwnBytes(toJson(kept)), lighthouseResult: packed, fetchedAt: result.fetched_at };
    } finally {
      void artifacts?.release();
    }
  };

  /**
   * Caches responses: repeated hits within one second get the same one. The size limit of the cache includes these
   * copies.
   */
  const lastHits = new WeakMap<StoredResult, RemoteAnalysis>();
  const toAnalysis = (cached: CachedResult, warning: string | undefined): RemoteAnalysis => {
    const last = cached.status === 'hit' ? lastHits.get(cached.result) : undefined;
    if (last?.cache.age === cached.ageSeconds) return last;
    const cache = toCacheNote(cached);
    const { summary } = cached.result;
    const shown = warning === undefined ? summary : withWarning(summary, warning);
    const json = joinObjects(shown, toObject({ cache: toJson(cache) }));
    const analysis = { json, cache, asked: cached.asked, ttlSeconds: cached.ttlSeconds };
    if (cached.status === 'hit') lastHits.set(cached.result, analysis);
    return analysis;
  };

  return async (request, { detailed, fresh, client, isBatch, signal, onProgress = () => {} }) => {
    const conditions = toConditionsId(request);
    const key = toCacheKey({ ...request, locale, analyser: analyser.identity, targets, conditions });
    const forAnalyser = { client, isBatch, onProgress };
    const read = new WeakMap<Buffer, First>();
    const onRead: OnRead = (first, packed) => void read.set(packed, first);
    // Another client with the same conditions may have other secrets.
    const isPrivate = Boolean(request.access);
    const cached = await cache.resolve(key, produce(request, forAnalyser, onRead), { signal, fresh, isPrivate });
    const { lighthouseResult } = cached.result;
    const first = read.get(lighthouseResult);
    const analysis = toAnalysis(cached, first?.warning);
    if (!detailed) return analysis;
    return { ...analysis, lighthouseResult: toPackedJson(lighthouseResult), reading: first?.reading };
  };
}
