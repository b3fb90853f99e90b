import type { Analyser } from '../analyser.ts';
import type { SharedLimits } from './call-gate.ts';
import { createPsiClient, type PsiClientSettings } from './client.ts';

/** What the endpoint is called: without the key that it may hold, and without user and password. */
const toName = (endpoint: string): string => {
  const { host, pathname } = new URL(endpoint);
  return `${host}${pathname}`;
};

/** Measures over the wire: Google's PageSpeed Insights, or another server that speaks v5. */
export function createPsiAnalyser({
  limits,
  ...settings
}: Omit<PsiClientSettings, 'shared'> & {
  /** Counted over instances; undefined: they are those of this instance. */
  limits?: SharedLimits | undefined;
}): Analyser {
  const { kind, endpoint, host, apiKey } = settings.server;
  const identity = kind === 'google' ? 'google' : `custom · ${toName(endpoint)}`;
  const client = createPsiClient({ ...settings, shared: limits && { name: identity, limits } });
  return {
    kind,
    identity,
    host: () => host,
    description: kind === 'google' ? "Google's PageSpeed Insights" : `the PSI v5 endpoint at ${host}`,
    hasKey: apiKey !== undefined,
    async measure(request, { signal, client: forClient, isBatch, onProgress = () => {} }) {
      onProgress({ event: 'started' });
      onProgress({ event: 'progress', stage: 'waiting' });
      const onRetry = () => onProgress({ event: 'progress', stage: 'retrying' });
      return client.analyse(request, signal, { client: forClient, isBatch, onRetry });
    },
    state: () => client.state(),
    close: () => client.close(),
  };
}
