import type { FastifyRequest } from 'fastify';
import { type Judging, type MeasuredBy, refusalOf } from '../../analysis/assert-target.ts';
import { type ErrorCode, errorTable } from '../../contract/errors.ts';
import { toPageUrl } from '../../measure/targets/page-url.ts';
import { ValidationFailure } from '../input/validation-error.ts';
import { noteTargets } from '../server/request-log.ts';
import type { ToClientId } from './api-keys.ts';
import type { RateLimit } from './rate-limit.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Pages that the client was charged for; undefined until the request is admitted. */
    charge: Charge | undefined;
  }
}

type Charge = {
  pages: number;
  /** Whether this request opened the period of its client. */
  isFirst: boolean;
  giveBack: (pages: number) => void;
};

/**
 * Admits a valid request before its analysis: logs its pages, and charges its client's limit for those that may be
 * measured. A request that was refused before costs nothing.
 * @param kind what measures the pages; `lighthouse` by default
 * @param isKept whether entries that cannot be measured are stored, too, and therefore charged
 * @returns the name of the client in the queues
 * @throws AnalysisError `rate_limited`
 */
export type Admit = (
  request: FastifyRequest,
  urls: readonly string[],
  kind?: MeasuredBy,
  isKept?: boolean,
) => Promise<string>;

type AdmitParts = Judging & { rateLimit: RateLimit; toClientId: ToClientId };

export const createAdmit =
  ({ rateLimit, toClientId, policy, analyser }: AdmitParts): Admit =>
  async (request, urls, kind = 'lighthouse', isKept = false) => {
    noteTargets(request, urls);
    const isCharged = (url: string): boolean => {
      if (isKept) return true;
      const page = toPageUrl(url);
      return 'href' in page && !refusalOf({ policy, analyser }, kind, page.href);
    };
    const pages = rateLimit.isLimited ? urls.filter(isCharged).length : 0;
    const { isFirst: wasFirst = false } = request.charge ?? {};
    // The first charge of a request, such as the sitemap of a list, is not refunded if the second one is refused.
    request.charge = undefined;
    const isFirst = pages > 0 ? await rateLimit.take(request.ip, pages, wasFirst) : wasFirst;
    const giveBack = (count: number) => void rateLimit.giveBack(request.ip, count).catch(() => {});
    request.charge = { pages, isFirst, giveBack };
    return toClientId(request);
  };

/**
 * Codes of requests refused before any measurement: no Lighthouse, slot or database is available, or the service is
 * stopping.
 */
const refused = new Set<ErrorCode>([
  'lighthouse_unavailable',
  'queue_full',
  'queue_unavailable',
  'jobs_unavailable',
  'results_unavailable',
  'shutting_down',
]);

/**
 * Returns whether a page was refused. A forbidden target is not refunded: if it was known before the load, it was not
 * charged; otherwise, its page was loaded.
 */
const isRefusal = (code: ErrorCode): boolean =>
  refused.has(code) || (errorTable[code].status < 500 && code !== 'target_forbidden');

/** Refunds a client for refused pages. @param pages by default all pages of the request */
export function giveBack(request: FastifyRequest, codes: readonly ErrorCode[], pages?: number): void {
  const { charge } = request;
  if (!charge || codes.length === 0 || !codes.every(isRefusal)) return;
  const count = Math.min(charge.pages, pages ?? charge.pages);
  charge.pages -= count;
  if (count > 0) charge.giveBack(count);
}

export function giveBackAll(request: FastifyRequest, error: unknown): void {
  const code = error instanceof ValidationFailure ? 'invalid_url' : (error as { code?: ErrorCode }).code;
  if (code !== undefined && Object.hasOwn(errorTable, code)) giveBack(request, [code]);
}
