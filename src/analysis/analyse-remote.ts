import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import { toCacheKey } from '../cache/key.ts';
import type { CachedResult, ResultCache } from '../cache/result-cache.ts';
import { AnalysisError } from '../errors.ts';
import type { PsiClient, RemoteAnalyser } from '../psi/client.ts';
import { toFieldVitals } from '../psi/field-data.ts';
import type { PsiResult } from '../psi/result.ts';
import type { CacheNote, Category, Report, Strategy } from '../report/report.ts';
import { toReport } from '../report/to-report.ts';
import type { TargetPolicy } from '../targets/policy.ts';

export type RemoteRequest = { url: string; strategy: Strategy; categories: readonly Category[] };

export type RemoteAnalysis = {
  /** The Report as JSON text: it is stored as text, and most requests never need it parsed. */
  text: string;
  cache: CacheNote;
};

export type AnalyseRemote = (
  request: RemoteRequest,
  options: { detailed: boolean; fresh: boolean; signal: AbortSignal },
) => Promise<RemoteAnalysis>;

const locale = 'en-US';
const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** Adds fields to an object that is JSON text already. */
const withFields = (object: string, fields: string): string => `${object.slice(0, -1)},${fields}}`;

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
    });

  const produce = (request: RemoteRequest) => async (signal: AbortSignal) => {
    const { result } = await client.analyse({ ...request, locale }, signal);
    return {
      summary: JSON.stringify(summarise(request, result)),
      lighthouseResult: await compress(JSON.stringify(result.lighthouseResult)),
    };
  };

  return async (request, { detailed, fresh, signal }) => {
    assertAllowed(request.url);
    const key = toCacheKey({ ...request, locale, analyser: analyser.endpoint() });
    const cached = await cache.resolve(key, produce(request), { signal, fresh });
    const note = toCacheNote(cached);
    const summary = withFields(cached.result.summary, `"cache":${JSON.stringify(note)}`);
    if (!detailed) return { text: summary, cache: note };
    const full = (await decompress(cached.result.lighthouseResult)).toString('utf8');
    return { text: withFields(summary, `"lighthouse_result":${full}`), cache: note };
  };
}
