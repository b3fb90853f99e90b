import type { FastifyRequest } from 'fastify';
import type { RateLimit } from './rate-limit.ts';
import { noteTargets } from './request-log.ts';

/**
 * Stands between a request that was understood and its analysis: names its pages for the log, and takes them from what
 * its client may have. A request that was refused before costs nothing.
 * @throws AnalysisError `rate_limited`
 */
export type Admit = (request: FastifyRequest, urls: readonly string[]) => Promise<void>;

export const createAdmit =
  (rateLimit: RateLimit, isOwnCall: (request: FastifyRequest) => boolean): Admit =>
  async (request, urls) => {
    const isOwn = isOwnCall(request);
    noteTargets(request, urls, isOwn);
    // Who asked for it has paid already.
    if (!isOwn) await rateLimit.take(request.ip, urls.length);
  };
