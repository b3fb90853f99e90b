import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { type RateLimiterAbstract, RateLimiterMemory } from 'rate-limiter-flexible';
import { AnalysisError } from '../../contract/errors.ts';

export type RateLimit = {
  readonly isLimited: boolean;
  /**
   * Takes so many pages from what a client may have analysed in its minute.
   * @throws AnalysisError `rate_limited` when they are not there; then nothing was taken
   */
  take(address: string, pages: number): Promise<void>;
  /** Gives pages back that were taken and refused: the client waits no longer than for those that it got. */
  giveBack(address: string, pages: number): Promise<void>;
};

/** Clients remembered at once. The one not seen for longest is forgotten, which favours it. */
const maxClients = 10_000;
const minuteSeconds = 60;

/** Who counts as one client: an IPv4 address, however it is written, or the /64 that a person is given of IPv6. */
export function toClient(address: string): string {
  // Nearly every one is, and to parse it is a tenth of a cached answer.
  if (isIPv4(address)) return address;
  if (!ipaddr.isValid(address)) return address.slice(0, 100);
  const parsed = ipaddr.process(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString();
  return `${new ipaddr.IPv6([...parsed.parts.slice(0, 4), 0, 0, 0, 0])}/64`;
}

/** What counts the pages of a client: in this process, or over instances. */
export type PageLimiter = Pick<RateLimiterAbstract, 'penalty' | 'reward' | 'set' | 'delete'>;

/**
 * @param pagesPerMinute 0 for no limit
 * @param shared counts over instances, and forgets clients by itself; undefined: it is counted here
 */
export function createRateLimit(
  pagesPerMinute: number,
  shared?: PageLimiter | undefined,
  maxRemembered = maxClients,
): RateLimit {
  if (pagesPerMinute === 0) return { isLimited: false, take: async () => {}, giveBack: async () => {} };
  const own = new RateLimiterMemory({ points: pagesPerMinute, duration: minuteSeconds });
  const limiter = shared ?? own;
  /** How many seconds each client's minute has. */
  const clients = new LRUCache<string, number>({
    max: maxRemembered,
    noDisposeOnSet: true,
    dispose: (_seconds, client) => void own.delete(client),
  });

  /** Another instance may have started its minute, with as many pages as that one was asked for. */
  const lengthOf = (client: string): number =>
    shared ? Number.POSITIVE_INFINITY : (clients.get(client) ?? minuteSeconds);

  return {
    isLimited: true,
    async take(address, pages) {
      const client = toClient(address);
      // More than a minute's pages are let in at the start of one, or a large batch could never be; it then lasts
      // for as long as the limit would have taken for them.
      const customDuration = minuteSeconds * Math.max(1, pages / pagesPerMinute);
      const { consumedPoints, isFirstInDuration, msBeforeNext } = await limiter.penalty(client, pages, {
        customDuration,
      });
      // The wait is no longer than the whole minute, also when someone has set the clock back in it.
      const seconds = isFirstInDuration ? customDuration : lengthOf(client);
      clients.set(client, seconds);
      if (consumedPoints <= pagesPerMinute || isFirstInDuration) return;
      await limiter.reward(client, pages);
      const left = Math.max(0, pagesPerMinute - (consumedPoints - pages));
      const retryAfterSeconds = Math.ceil(Math.min(seconds, Math.max(1, msBeforeNext / 1000)));
      throw new AnalysisError(
        'rate_limited',
        `This client requested ${pages} pages, and has ${left} of ${pagesPerMinute} pages a minute left. Retry in ${retryAfterSeconds} s.`,
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
      // The time was measured by all that was asked for.
      const seconds = Math.ceil(minuteSeconds * Math.max(1, consumedPoints / pagesPerMinute));
      if (msBeforeNext <= seconds * 1000) return;
      clients.set(client, seconds);
      await limiter.set(client, consumedPoints, seconds);
    },
  };
}
