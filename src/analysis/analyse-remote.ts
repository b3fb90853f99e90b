import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import { toCacheKey } from '../cache/key.ts';
import type { CachedResult, ResultCache } from '../cache/result-cache.ts';
import type { StoredResult } from '../cache/store.ts';
import { AnalysisError } from '../errors.ts';
import type { PsiClient, RemoteAnalyser } from '../psi/client.ts';
import { toFieldVitals } from '../psi/field-data.ts';
import type { PsiResult } from '../psi/result.ts';
import { type JsonBytes, joinObjects, toJson, toObject } from '../report/json-bytes.ts';
import type { CacheNote, Category, Report, Strategy } from '../report/report.ts';
import { toReport } from '../report/to-report.ts';
import type { TargetPolicy } from '../targets/policy.ts';

export type RemoteRequest = { url: string; strategy: Strategy; categories: readonly Category[] };

export type RemoteAnalysis = {
  /** The Report: it is stored as JSON, and most requests never need it parsed. */
  json: JsonBytes;
  cache: CacheNote;
  /** Whole seconds until the cached result expires. */
  ttlSeconds: number;
};

export type AnalyseRemote = (
  request: RemoteRequest,
  options: { detailed: boolean; fresh: boolean; signal: AbortSignal },
) => Promise<RemoteAnalysis>;

const locale = 'en-US';
const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

const toCacheNote = ({ status, ageSeconds, expiresAt }: CachedResult): CacheNote => ({
  status,
  age: ageSeconds,
  expires_at: expiresAt.toISOString(),
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
}: {
  policy: TargetPolicy;
  cache: ResultCache;
  client: PsiClient;
  analyser: RemoteAnalyser;
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

  const summarise = (request: RemoteRequest, result: PsiResult): Report =>
    toReport(result.lighthouseResult, {
      ...request,
      source: 'psi',
      analyser: { kind: analyser.kind, host: new URL(analyser.endpoint()).host },
      field: toFieldVitals(result.loadingExperience),
      blockedRequests: null,
    });

  // Judged before any call, and not again for what is stored: only what was allowed ever is.
  const produce = (request: RemoteRequest) => async (signal: AbortSignal) => {
    assertAllowed(request.url);
    const { result } = await client.analyse({ ...request, locale }, signal);
    return {
      summary: toJson(summarise(request, result)),
      lighthouseResult: await compress(JSON.stringify(result.lighthouseResult)),
    };
  };

  /** A hit within the same second has the same answer. */
  const lastHits = new WeakMap<StoredResult, RemoteAnalysis>();
  const toAnalysis = (cached: CachedResult): RemoteAnalysis => {
    const last = cached.status === 'hit' ? lastHits.get(cached.result) : undefined;
    if (last?.cache.age === cached.ageSeconds) return last;
    const cache = toCacheNote(cached);
    const json = joinObjects(cached.result.summary, toObject({ cache: toJson(cache) }));
    const analysis = { json, cache, ttlSeconds: cached.ttlSeconds };
    if (cached.status === 'hit') lastHits.set(cached.result, analysis);
    return analysis;
  };

  return async (request, { detailed, fresh, signal }) => {
    const key = toCacheKey({ ...request, locale, analyser: analyser.endpoint() });
    const cached = await cache.resolve(key, produce(request), { signal, fresh });
    const analysis = toAnalysis(cached);
    if (!detailed) return analysis;
    const lighthouseResult = await decompress(cached.result.lighthouseResult);
    return { ...analysis, json: joinObjects(analysis.json, toObject({ lighthouse_result: lighthouseResult })) };
  };
}
