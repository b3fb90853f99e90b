import { AnalysisError } from '../contract/errors.ts';
import type { PsiAnalyser, TakenArtifacts } from './analyser.ts';
import type { LhrReader } from './lhr/measured.ts';
import { withRepeats } from './lhr/runs.ts';
import type { LocalAnalyser } from './lighthouse/pool.ts';
import { readMeasured } from './lighthouse/read-page.ts';
import { toShownConditions } from './shown-conditions.ts';

export type EmbeddedSettings = {
  local: Pick<LocalAnalyser, 'audit' | 'filesOf' | 'release'>;
  threads: Pick<LhrReader, 'readLhr'>;
  /**
   * Returns host and port of this service for results. It is a function because the port is known only once the service
   * listens.
   */
  host: () => string;
  /** Versions of Lighthouse and browser: results of other versions are not reused. */
  versions: readonly string[];
  /** Whether the artifacts of its audits are used. */
  keepsArtifacts: boolean;
};

/**
 * Creates an analyser that measures in this process, with the audit pool and the settings of PageSpeed Insights.
 * Waiting for a slot of the pool is not a failure, and does not count towards the timeout.
 */
export function createEmbeddedAnalyser({
  local,
  threads,
  host,
  versions,
  keepsArtifacts,
}: EmbeddedSettings): PsiAnalyser {
  const toTaken = (artifacts: string | undefined): TakenArtifacts | undefined => {
    if (artifacts === undefined) return undefined;
    const files = local.filesOf(artifacts);
    if (files) return { files, release: () => local.release(artifacts) };
    // The artifacts are on another machine and not needed.
    void local.release(artifacts);
    return undefined;
  };

  return {
    kind: 'embedded',
    identity: ['embedded', 'psi presets', ...versions].join(' · '),
    host,
    description: 'PageSpeed Insights settings on this machine (set PSI_API_KEY for Google)',
    hasKey: false,
    async measure(request, { signal, ...options }) {
      const { requestedAt, ...audit } = request;
      try {
        const { url, strategy, categories } = request;
        const analyser = { kind: 'embedded', host: host() } as const;
        const readPage = readMeasured(threads, {
          ...{ source: 'psi', analyser, url, strategy, categories, requestedAt },
          asked: toShownConditions(audit),
        });
        const { value, artifacts, repeated } = await local.audit(
          // PageSpeed Insights has fixed settings, also in a comparison with a calibrated local side.
          { ...audit, profile: 'psi', cpu: 'default' },
          readPage,
          signal,
          { ...options, keepArtifacts: keepsArtifacts },
        );
        return { ...value, result: withRepeats(value.result, repeated), artifacts: toTaken(artifacts) };
      } catch (error) {
        throw error instanceof AnalysisError ? error.from('psi') : error;
      }
    },
    state: () => ({ state: 'ok' }),
    // The pool ends its audits.
    close: () => {},
  };
}
