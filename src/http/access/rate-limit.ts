import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { type RateLimiterAbstract, RateLimiterMemory } from 'rate-limiter-flexible';
import { AnalysisError } from '../../contract/errors.ts';

export type RateLimit = {
  readonly isLimited: boolean;
  /**
   * Charges a client for pages in its current minute.
   * @param isFirst whether these pages belong to the request that opened the current period
   * @returns whether this request opened the period
   * @throws AnalysisError `rate_limited` if too few are left; in which case nothing is charged
   */
  take(address: string, pages: number, isFirst?: boolean): Promise<boolean>;
  /** Refunds refused pages, so that the client waits only for the others. */
  giveBack(address: string, pages: number): Promise<void>;
};

/**
 * Max number of remembered clients. Beyond it, the least recently seen client is forgotten, and its count starts again.
 */
const maxClients = 10_000;
const minuteSeconds = 60;

/** Returns the identity of a client: its IPv4 address in any notation, or the /64 network of its IPv6 address. */
export function toClient(address: string): string {
  // Most addresses are IPv4, and parsing one takes a tenth of the time of a cached answer.
  if (isIPv4(address)) return address;
  if (!ipaddr.isValid(address)) return address.slice(0, 100);
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  return `${new ipaddr.IPv6([...parsed.parts.slice(0, 4), 0, 0, 0, 0])}/64`;
}

/** Counts the pages of a client, in this process or across all instances. */
export type PageLimiter = Pick<RateLimiterAbstract, 'penalty' | 'reward' | 'set' | 'delete'>;

/**
 * @param pagesPerMinute max number of pages of one client; 0 for no limit
 * @param shared counts across all instances, and forgets clients by itself; undefined to count in this process
 * @param unit what is counted, for the error message
 */
export function createRateLimit(
  pagesPerMinute: number,
  shared?: PageLimiter | undefined,
  maxRemembered = maxClients,
  unit: 'pages' | 'requests' = 'pages',
): RateLimit {
  if (pagesPerMinute === 0) return { isLimited: false, take: async () => false, giveBack: async () => {} };
  const own = new RateLimiterMemory({ points: pagesPerMinute, duration: minuteSeconds });
  const limiter = shared ?? own;
  /** Length of each client's current period in seconds. */
  const clients = new LRUCache<string, number>({
    max: maxRemembered,
    noDisposeOnSet: true,
    dispose: (_seconds, client) => void own.delete(client),
  });

  /** Returns the length of a period; unknown if counts are shared, because another instance may have started it. */
  const lengthOf = (client: string): number =>
    shared ? Number.POSITIVE_INFINITY : (clients.get(client) ?? minuteSeconds);

  return {
    isLimited: true,
    async take(address, pages, isFirst = false) {
      const client = toClient(address);
      // A client in a new period may exceed the limit of one minute, because large batches would otherwise be
      // impossible. Its period is then extended accordingly.
      const customDuration = minuteSeconds * Math.max(1, pages / pagesPerMinute);
      const { consumedPoints, isFirstInDuration, msBeforeNext } = await limiter.penalty(client, pages, {
        customDuration,
      });
      // The wait never exceeds the whole period, even if the clock was set back during it.
      const seconds = isFirstInDuration ? customDuration : lengthOf(client);
      clients.set(client, seconds);
      if (consumedPoints <= pagesPerMinute || isFirstInDuration) return isFirst || isFirstInDuration;
      if (isFirst) {
        const extended = Math.ceil((minuteSeconds * consumedPoints) / pagesPerMinute);
        clients.set(client, extended);
        await limiter.set(client, consumedPoints, extended);
        return true;
      }
      await limiter.reward(client, pages);
      const left = Math.max(0, pagesPerMinute - (consumedPoints - pages));
      const retryAfterSeconds = Math.ceil(Math.min(seconds, Math.max(1, msBeforeNext / 1000)));
      throw new AnalysisError(
        'rate_limited',
        `This client requested ${pages} ${unit}, and has ${left} of ${pagesPerMinute} ${unit} a minute left. Retry in ${retryAfterSeconds} s.`,
        { retryAfterSeconds },
      );
    },
    async giveBack(address, pages) {
      const client = toClient(address);
      const { consumedPoints, msBeforeNext } = await limiter.reward(client, pages);
      if (consumedPoints <= 0) {
        clients.delete(client);
        await limiter.delete(client);
        return;
      }
      // The period was extended for all requested pages, so a refund shortens it.
      const seconds = Math.ceil(minuteSeconds * Math.max(1, consumedPoints / pagesPerMinute));
      if (msBeforeNext <= seconds * 1000) return;
      clients.set(client, seconds);
      await limiter.set(client, consumedPoints, seconds);
    },
  };
}
