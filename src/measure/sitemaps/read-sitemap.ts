import { AnalysisError } from '../../contract/errors.ts';
import type { Sitemap } from '../../contract/sitemap.ts';
import type { Egress } from '../egress/egress-proxy.ts';
import { type Caller, createTurns } from '../fair-turns.ts';
import { explainFailure, explainOpening, type OpenGate } from '../lighthouse/egress.ts';
import type { TargetPolicy } from '../targets/policy.ts';
import { findPages } from './find-pages.ts';
import { createOpenFile } from './read-file.ts';
import { type SitemapLimits, usualSitemapLimits } from './unpack.ts';

/** @throws AnalysisError; the signal's reason */
export type ReadSitemap = (asked: { url: string; sample: number | null }, caller: Caller) => Promise<Sitemap>;

export type SitemapSources = {
  policy: TargetPolicy;
  openGate: OpenGate;
  limits?: SitemapLimits;
};

/** Removes Lighthouse's codes from an error, because no Lighthouse ran. */
const withoutLighthouse = (error: unknown): unknown =>
  error instanceof AnalysisError && error.lighthouseCode !== undefined
    ? new AnalysisError(error.code, error.message, { cause: error.cause })
    : error;

/**
 * Max number of parallel reads, and of one client: slow sites must not make others wait. Each has a proxy, and parses in
 * the thread that serves requests.
 */
const turnLimits = { atOnce: 4, perClient: 2, mostWaiting: Number.POSITIVE_INFINITY };

/**
 * Reads the pages of a site through an egress proxy, like a page under audit: each IP address is checked when its
 * socket opens, and a public site can lead only to public addresses.
 */
export function createReadSitemap({ policy, openGate, limits = usualSitemapLimits }: SitemapSources): ReadSitemap {
  const inTurn = createTurns(turnLimits);

  async function read(url: string, sample: number | null, client: AbortSignal): Promise<Sitemap> {
    const late = new AnalysisError(
      'page_timeout',
      `Reading the sitemaps took longer than ${limits.timeoutMs / 1000} s.`,
    );
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(late), limits.timeoutMs);
    const signal = AbortSignal.any([client, deadline.signal]);
    let gate: Awaited<ReturnType<typeof openGate>> | undefined;
    let egress: Egress | undefined;
    try {
      gate = await openGate();
      const opened = await gate.open({ startUrl: url, signal });
      egress = opened;
      const explain = async (asked: string, failure: AnalysisError) =>
        withoutLighthouse(await explainFailure(opened, asked, failure));
      const open = createOpenFile({ proxyUrl: gate.proxyUrl, signal, limits, explain });
      return await findPages(url, { open, policy, limits }, sample);
    } catch (error) {
      client.throwIfAborted();
      throw withoutLighthouse(explainOpening(error));
    } finally {
      clearTimeout(timer);
      gate?.close();
      egress?.close();
    }
  }

  return async ({ url, sample }, caller) => {
    const verdict = policy.judgeUrl(url);
    if (!verdict.allowed) throw new AnalysisError('target_forbidden', verdict.reason);
    return inTurn(() => read(url, sample, caller.signal), caller);
  };
}
