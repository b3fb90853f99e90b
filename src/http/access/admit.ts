import type { FastifyRequest } from 'fastify';
import { noteTargets } from '../server/request-log.ts';
import type { ToClientId } from './client-id.ts';
import type { RateLimit } from './rate-limit.ts';

/**
 * Stands between a request that was understood and its analysis: names its pages for the log, and takes them from what
 * its client may have. A request that was refused before costs nothing.
 * @returns the client as the queues know it
 * @throws AnalysisError `rate_limited`
 */
export type Admit = (request: FastifyRequest, urls: readonly string[]) => Promise<string>;

type AdmitParts = { rateLimit: RateLimit; toClientId: ToClientId };

export const createAdmit =
  ({ rateLimit, toClientId }: AdmitParts): Admit =>
  async (request, urls) => {
    noteTargets(request, urls);
    await rateLimit.take(request.ip, urls.length);
    return toClientId(request);
  };
