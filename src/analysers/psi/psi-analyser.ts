import type { Analyser } from '../analyser.ts';
import { createPsiClient, type PsiClientSettings } from './client.ts';

/** Without the key that it may hold. */
const withoutQuery = (endpoint: string): string => endpoint.replace(/[?#].*$/s, '');

/** Measures over the wire: Google's PageSpeed Insights, or another server that speaks v5. */
export function createPsiAnalyser(settings: PsiClientSettings): Analyser {
  const { kind, endpoint, host, apiKey } = settings.server;
  const client = createPsiClient(settings);
  return {
    kind,
    identity: kind === 'google' ? 'google' : withoutQuery(endpoint),
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
  };
}
