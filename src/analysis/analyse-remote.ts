import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';
import { toCacheKey } from '../cache/key.ts';
import type { CachedResult, ResultCache } from '../cache/result-cache.ts';
import type { StoredResult } from '../cache/store.ts';
import { AnalysisError } from '../errors.ts';
import type { PsiClient } from '../psi/client.ts';
import type { Crux } from '../psi/crux.ts';
import { toFieldVitals } from '../psi/field-data.ts';
import type { RemoteAnalyser } from '../psi/remote-analyser.ts';
import type { PsiResult } from '../psi/result.ts';
import { type JsonBytes, joinObjects, toJson, toObject } from '../report/json-bytes.ts';
import type { CacheNote, Category, FieldVitals, Report, Strategy } from '../report/report.ts';
import { toReport } from '../report/to-report.ts';
import type { TargetPolicy } from '../targets/policy.ts';
import type { OnProgress, RemoteStage } from './progress.ts';

export type RemoteRequest = { url: string; strategy: Strategy; categories: readonly Category[] };

export type RemoteAnalysis = {
  /** The Report: it is stored as JSON, and most requests never need it parsed. */
  json: JsonBytes;
  cache: CacheNote;
  /** Why the analyser was asked, unless it was not. */
  asked?: CachedResult['asked'];
  /** Whole seconds until the cached result expires; negative when it has. */
  ttlSeconds: number;
};

export type RemoteOptions = {
  detailed: boolean;
  fresh: boolean;
  signal: AbortSignal;
  /** Told by the call that goes out; who joins it, or is answered from the cache, hears nothing. */
  onProgress?: OnProgress | undefined;
};

export type AnalyseRemote = (request: RemoteRequest, options: RemoteOptions) => Promise<RemoteAnalysis>;

const locale = 'en-US';
const zstd = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** Twice the default: a twentieth smaller, for a few milliseconds. Beyond it the time grows and the size does not. */
const compression = { params: { [constants.ZSTD_c_compressionLevel]: 6 } };

/** Bytes of their own: compressed ones were seen to keep twice their length from being freed. */
const toOwnBytes = (bytes: Buffer): Buffer => {
  const own = Buffer.allocUnsafeSlow(bytes.byteLength);
  bytes.copy(own);
  return own;
};

/** @throws AnalysisError for what can be read and not be written again: it is nested thousands of times */
function toText(lhr: PsiResult['lighthouseResult']): string {
  try {
    return JSON.stringify(lhr);
  } catch {
    const detail = 'The remote analyser answered with a result that is nested too deeply.';
    throw new AnalysisError('psi_bad_response', detail, { source: 'psi' });
  }
}

const toCacheNote = ({ status, ageSeconds, expiresAt, failure, repeated }: CachedResult): CacheNote => ({
  status,
  age: ageSeconds,
  expires_at: expiresAt.toISOString(),
  ...(failure ? { failure: failure.code } : {}),
  ...(repeated ? { repeated } : {}),
});

/**
 * Measures a page with the remote analyser, or answers from the cache.
 * @throws AnalysisError of source `psi`; the signal's reason when the caller left
 */
export function createAnalyseRemote({
  policy,
  cache,
  client,
  analyser,
  crux,
}: {
  policy: TargetPolicy;
  cache: ResultCache;
  client: PsiClient;
  analyser: RemoteAnalyser;
  /** Asked where the analyser has no field data; undefined: nobody is. */
  crux: Crux | undefined;
}): AnalyseRemote {
  const assertAllowed = (url: string): void => {
    const refuse = (reason: string) => {
      throw new AnalysisError('target_forbidden', reason, { source: 'psi' });
    };
    // Google could not reach it, and would learn a name from the inside.
    if (analyser.kind === 'google' && !policy.isPublicUrl(url))
      refuse('Only public pages can be sent to Google: use /lighthouse for pages on your own network.');
    const verdict = policy.judgeUrl(url);
    if (!verdict.allowed) refuse(verdict.reason);
  };

  const summarise = (request: RemoteRequest, result: PsiResult, field: FieldVitals | null): Report =>
    toReport(result.lighthouseResult, {
      ...request,
      source: 'psi',
      analyser: { kind: analyser.kind, host: new URL(analyser.endpoint()).host },
      field,
      blockedRequests: null,
    });

  /** The analyser's own field data, else those of the CrUX API. Without any the report is as good. */
  async function findField(request: RemoteRequest, result: PsiResult, signal: AbortSignal) {
    const { loadingExperience, originLoadingExperience, lighthouseResult } = result;
    const told = toFieldVitals(loadingExperience, originLoadingExperience);
    const url = lighthouseResult.mainDocumentUrl ?? lighthouseResult.finalUrl ?? request.url;
    // A page on the inside has none, and nobody need learn its name.
    if (told || !crux || !policy.isPublicUrl(request.url) || !policy.isPublicUrl(url)) return told;
    return crux.fieldDataOf(url, request.strategy, signal).catch(() => {
      signal.throwIfAborted();
      return null;
    });
  }

  // Judged before any call, and not again for what is stored: only what was allowed ever is.
  const produce = (request: RemoteRequest, onProgress: OnProgress) => async (signal: AbortSignal) => {
    assertAllowed(request.url);
    const { strategy } = request;
    const tell = (stage: RemoteStage) => onProgress({ source: 'psi', strategy, event: 'progress', stage });
    onProgress({ source: 'psi', strategy, event: 'started' });
    tell('waiting');
    const { result } = await client.analyse({ ...request, locale }, signal, () => tell('retrying'));
    const field = await findField(request, result, signal);
    return {
      summary: toOwnBytes(toJson(summarise(request, result, field))),
      lighthouseResult: toOwnBytes(await zstd(toText(result.lighthouseResult), compression)),
      fetchedAt: result.lighthouseResult.fetchTime,
    };
  };

  /** A hit within the same second has the same answer. The store counts these copies as its own. */
  const lastHits = new WeakMap<StoredResult, RemoteAnalysis>();
  const toAnalysis = (cached: CachedResult): RemoteAnalysis => {
    const last = cached.status === 'hit' ? lastHits.get(cached.result) : undefined;
    if (last?.cache.age === cached.ageSeconds) return last;
    const cache = toCacheNote(cached);
    const json = joinObjects(cached.result.summary, toObject({ cache: toJson(cache) }));
    const analysis = { json, cache, asked: cached.asked, ttlSeconds: cached.ttlSeconds };
    if (cached.status === 'hit') lastHits.set(cached.result, analysis);
    return analysis;
  };

  return async (request, { detailed, fresh, signal, onProgress = () => {} }) => {
    const key = toCacheKey({ ...request, locale, analyser: analyser.endpoint() });
    const cached = await cache.resolve(key, produce(request, onProgress), { signal, fresh });
    const analysis = toAnalysis(cached);
    if (!detailed) return analysis;
    const lighthouseResult = await decompress(cached.result.lighthouseResult);
    return { ...analysis, json: joinObjects(analysis.json, toObject({ lighthouse_result: lighthouseResult })) };
  };
}
