/** One file of a site: redirects followed, its status judged, its text piece by piece. */
import { type Dispatcher, ProxyAgent, request } from 'undici';
import { AnalysisError } from '../../contract/errors.ts';
import { serviceVersion } from '../../contract/version.ts';
import { type Budgets, readText, type SitemapLimits } from './unpack.ts';

/** The sitemaps that a robots.txt names (https://www.sitemaps.org/protocol.html#submit_robots). */

/** The address of a file that another one names, without a user name or password: Rangelight logs in nowhere. */
export function toFileUrl(address: string, base: string): URL | null {
  const url = URL.parse(address, base);
  if (url) url.username = '';
  if (url) url.password = '';
  return url;
}

/** Absolute, or relative to the file, which some sites write. */
export function readRobots(text: string, base: string): string[] {
  const named = [...text.matchAll(/^[ \t]*sitemap[ \t]*:[ \t]*(\S+)/gim)].flatMap(
    ([, address = '']) => toFileUrl(address, base)?.href ?? [],
  );
  return [...new Set(named)];
}

type OpenedFile = {
  /** After redirects. */
  readonly url: string;
  readonly text: AsyncGenerator<string>;
  close(): void;
};

/** @throws AnalysisError; the signal's reason */
export type OpenFile = (url: string, budgets: Budgets) => Promise<OpenedFile>;

type Way = {
  readonly proxyUrl: string;
  readonly signal: AbortSignal;
  readonly limits: Pick<SitemapLimits, 'redirects'>;
  /** Why nothing came of a connection, in our codes. */
  readonly explain: (url: string, failure: AnalysisError) => Promise<unknown>;
};

/** Codes of a connection that was not made or ended early. Any other fault of an https request is one of TLS. */
const isOfConnection = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /^(UND_ERR_|HPE_|E(CONN|PIPE|TIMEDOUT))/.test(`${error.code}`);

const toFailure = (url: string, error: unknown): AnalysisError =>
  url.startsWith('https:') && !isOfConnection(error)
    ? new AnalysisError(
        'page_insecure',
        'The HTTPS connection failed: the certificate or the protocol of the server is invalid.',
        { cause: error },
      )
    : new AnalysisError('page_unreachable', 'The server does not answer. Check the URL.', { cause: error });

/** A new object for each request: undici writes the host into it. */
const toHeaders = () => ({
  'user-agent': `Rangelight/${serviceVersion}`,
  accept: 'application/xml, text/xml, text/plain, */*;q=0.5',
  'accept-encoding': 'gzip',
});

const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status);

/** Where a redirect leads; undefined for no redirect. */
function nextOf({ statusCode, headers: { location } }: Dispatcher.ResponseData, url: string): string | undefined {
  if (!isRedirect(statusCode) || typeof location !== 'string') return undefined;
  const next = toFileUrl(location, url);
  if (next && ['http:', 'https:'].includes(next.protocol)) return next.href;
  throw new AnalysisError('page_error', 'The URL redirects to a scheme other than http and https.', {
    pageStatus: statusCode,
  });
}

const assertFound = ({ statusCode }: Dispatcher.ResponseData, url: string): void => {
  if (statusCode >= 200 && statusCode < 300) return;
  throw new AnalysisError('page_error', `${url} answered with status ${statusCode}.`, { pageStatus: statusCode });
};

export const createOpenFile = ({ proxyUrl, signal, limits, explain }: Way): OpenFile => {
  /** What ended it, in our codes. */
  const toReason = async (url: string, error: unknown): Promise<unknown> => {
    signal.throwIfAborted();
    return explain(url, toFailure(url, error));
  };

  async function get(url: string, proxy: ProxyAgent): Promise<Dispatcher.ResponseData> {
    try {
      return await request(url, { dispatcher: proxy, headers: toHeaders(), signal });
    } catch (error) {
      throw await toReason(url, error);
    }
  }

  async function* explained(url: string, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    try {
      yield* chunks;
    } catch (error) {
      throw await toReason(url, error);
    }
  }

  return async (asked, budgets) => {
    let url = asked;
    for (let hops = 0; hops <= limits.redirects; hops += 1) {
      // One connection for each file: what is not read to its end is closed.
      const proxy = new ProxyAgent({ uri: proxyUrl, proxyTunnel: false });
      const close = () => void proxy.destroy();
      try {
        const answer = await get(url, proxy);
        const next = nextOf(answer, url);
        if (next === undefined) {
          assertFound(answer, url);
          return { url, text: readText(explained(url, answer.body), budgets), close };
        }
        close();
        url = next;
      } catch (error) {
        close();
        throw error;
      }
    }
    throw new AnalysisError('too_many_redirects', `${asked} redirects more than ${limits.redirects} times.`);
  };
};
