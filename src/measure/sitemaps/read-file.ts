/** Reads one file of a site: follows redirects, checks the status, and yields its text piece by piece. */
import type { Agent, Dispatcher } from 'undici';
import { AnalysisError } from '../../contract/errors.ts';
import { serviceVersion } from '../../contract/version.ts';
import { createAgent } from '../egress/allowed-agent.ts';
import { connectThrough } from '../egress/tunnel.ts';
import { type Budgets, readText, type SitemapLimits } from './unpack.ts';

/**
 * Returns the URL of a file that another file names, without its user name and password, because Rangelight never logs
 * in. Null if it is invalid.
 */
export function toFileUrl(address: string, base: string): URL | null {
  const url = URL.parse(address, base);
  if (url) url.username = '';
  if (url) url.password = '';
  return url;
}

/**
 * Returns the sitemaps in a robots.txt (https://www.sitemaps.org/protocol.html#submit_robots). Relative URLs are
 * accepted, because some sites use them.
 */
export function readRobots(text: string, base: string): string[] {
  const named = [...text.matchAll(/^[ \t]*sitemap[ \t]*:[ \t]*(\S+)/gim)].flatMap(
    ([, address = '']) => toFileUrl(address, base)?.href ?? [],
  );
  return [...new Set(named)];
}

type OpenedFile = {
  /** URL after redirects. */
  readonly url: string;
  readonly isHtml: boolean;
  readonly text: AsyncGenerator<string>;
  close(): void;
};

/** @throws AnalysisError; the signal's reason */
export type OpenFile = (url: string, budgets: Budgets) => Promise<OpenedFile>;

type Way = {
  readonly proxyUrl: string;
  readonly signal: AbortSignal;
  readonly limits: Pick<SitemapLimits, 'redirects'>;
  /** Converts the error of a failed connection to the error to throw. */
  readonly explain: (url: string, failure: AnalysisError) => Promise<unknown>;
};

/**
 * Returns whether an error code means that a connection failed or ended early. Other faults of an https request are TLS
 * faults.
 */
const isOfConnection = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /^(UND_ERR_|HPE_|E(CONN|PIPE|TIMEDOUT))/.test(`${error.code}`);

const toFailure = (url: string, error: unknown): AnalysisError =>
  url.startsWith('https:') && !isOfConnection(error)
    ? new AnalysisError(
        'page_insecure',
        'The HTTPS connection failed: the certificate or the protocol of the server is invalid.',
        { cause: error },
      )
    : new AnalysisError('page_unreachable', 'The server does not respond. Check the URL.', { cause: error });

/** Returns a new object for each request, because undici writes the host into the object. */
const toHeaders = () => ({
  'user-agent': `Rangelight/${serviceVersion}`,
  accept: 'application/xml, text/xml, text/plain, */*;q=0.5',
  'accept-encoding': 'gzip',
});

const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status);

/** Returns the target of a redirect; undefined if the response is not a redirect. */
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
  throw new AnalysisError('page_error', `${url} returned status ${statusCode}.`, { pageStatus: statusCode });
};

/** Returns the encoding that the Content-Type names. */
const charsetOf = ({ headers }: Dispatcher.ResponseData): string | undefined =>
  /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(String(headers['content-type'] ?? ''))?.[1];

export const createOpenFile = ({ proxyUrl, signal, limits, explain }: Way): OpenFile => {
  /** Converts the error that ended a request to the error to throw. */
  const toReason = async (url: string, error: unknown): Promise<unknown> => {
    signal.throwIfAborted();
    return explain(url, toFailure(url, error));
  };

  async function get(url: string, agent: Agent): Promise<Dispatcher.ResponseData> {
    const { request } = await import('undici');
    try {
      return await request(url, { dispatcher: agent, headers: toHeaders(), signal });
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
      // Each file has its own connection, because the connection is closed if a file is not read to its end.
      const agent = await createAgent(target => connectThrough(proxyUrl, target));
      const close = () => void agent.destroy();
      try {
        const answer = await get(url, agent);
        const next = nextOf(answer, url);
        if (next === undefined) {
          assertFound(answer, url);
          const isHtml = /^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(`${answer.headers['content-type']}`);
          return { url, isHtml, text: readText(explained(url, answer.body), budgets, charsetOf(answer)), close };
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
