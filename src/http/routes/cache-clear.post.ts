import type { ResultCache } from '../cache/result-cache.ts';
import { sendJson } from './answer.ts';
import type { Route } from './route.ts';
import { Cleared } from './schemas.ts';

export const cacheClearRoute = ({ cache }: { cache: ResultCache }): Route => ({
  operation: {
    method: 'POST',
    path: '/cache/clear',
    tag: 'system',
    access: 'key',
    summary: 'Clear the cache',
    description: 'Empties the cache of `/psi` results and says how many it held.',
    answer: Cleared,
    validates: false,
    fails: true,
  },
  free: false,
  handle: async (_request, reply) => sendJson(reply, JSON.stringify({ cleared: await cache.clear() })),
});
