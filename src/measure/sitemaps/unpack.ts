/** Yields the text of a file in pieces, unpacked and limited in size. */
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { NotASitemap } from './sitemap-reader.ts';

/* Limits of one read. */

export type SitemapLimits = {
  /** Max number of pages to find. */
  readonly urls: number;
  /** Max number of sitemaps, including nested ones. robots.txt does not count. */
  readonly files: number;
  /** Max nesting of sitemaps. The protocol allows no sitemap index within another one. */
  readonly depth: number;
  readonly redirects: number;
  /** Max number of received bytes, across all files. */
  readonly bytes: number;
  /** Max number of unpacked bytes, across all files. The protocol allows 50 MB for each. */
  readonly unpackedBytes: number;
  readonly timeoutMs: number;
  /** Limits of the search by links, if there is no sitemap. */
  readonly links: CrawlLimits;
};

export type CrawlLimits = {
  readonly urls: number;
  readonly bytes: number;
  readonly unpackedBytes: number;
  /** Number of links from the start page to the last pages. */
  readonly depth: number;
  readonly fetches: number;
  /** Number of pages of a route template that are followed, at each depth. */
  readonly followed: number;
  readonly pageCharacters: number;
  readonly atOnce: number;
  readonly timeoutMs: number;
};

const mega = 1_000_000;

export const usualSitemapLimits: SitemapLimits = {
  urls: 10_000,
  files: 50,
  depth: 3,
  redirects: 5,
  bytes: 20 * mega,
  unpackedBytes: 60 * mega,
  timeoutMs: 20_000,
  links: {
    urls: 10_000,
    bytes: 100 * mega,
    unpackedBytes: 300 * mega,
    depth: 3,
    fetches: 600,
    followed: 40,
    pageCharacters: 2 * mega,
    atOnce: 8,
    timeoutMs: 10_000,
  },
};

/** Counts bytes across several files. */
export type Budget = {
  /** @throws TooLarge */
  take(bytes: number): void;
};

export class TooLarge extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'TooLarge';
  }
}

export function createBudget(bytes: number, what: string): Budget {
  let left = bytes;
  return {
    take(count) {
      left -= count;
      if (left < 0) throw new TooLarge(`${what} are more than ${bytes / 1_000_000} MB`);
    },
  };
}

async function* counted(chunks: AsyncIterable<Buffer>, budget: Budget): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    budget.take(chunk.byteLength);
    yield chunk;
  }
}

/** @throws NotASitemap */
async function* gunzipped(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  // The last stream receives the errors of the others.
  const unpacked = pipeline(Readable.from(chunks), createGunzip(), () => {});
  try {
    for await (const chunk of unpacked) yield chunk as Buffer;
  } catch (error) {
    const isOfZlib = error instanceof Error && 'code' in error && `${error.code}`.startsWith('Z_');
    throw isOfZlib ? new NotASitemap('it is not a valid gzip file') : error;
  }
}

const isGzip = (chunk: Buffer): boolean => chunk[0] === 0x1f && chunk[1] === 0x8b;

/** Unpacks gzip, and yields other data unchanged. */
async function* whereGzip(chunks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  let first = Buffer.alloc(0);
  while (first.byteLength < 2) {
    const next = await chunks.next();
    if (next.done) return void (yield first);
    first = Buffer.concat([first, next.value]);
  }
  async function* whole(): AsyncGenerator<Buffer> {
    yield first;
    yield* chunks;
  }
  yield* isGzip(first) ? gunzipped(whole()) : whole();
}

export type Budgets = {
  readonly received: Budget;
  /** Limit on the bytes between two decompressions, if the server compressed a compressed file again. */
  readonly between: Budget;
  readonly unpacked: Budget;
};

const headBytes = 200;

/** Returns the encoding that the first bytes declare: by a byte order mark, by zeros, or in the XML declaration. */
function declaredEncoding(head: Buffer): string | undefined {
  const [first, second] = head;
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c)) return 'utf-16be';
  const [, name] = /^(?:\xef\xbb\xbf)?\s*<\?xml[^>]*\sencoding\s*=\s*["']([^"'>]+)/.exec(head.toString('latin1')) ?? [];
  // Bytes in which this can be read are not UTF-16.
  return name !== undefined && /^utf-?16/i.test(name) ? 'utf-8' : name;
}

/** @throws NotASitemap */
function createDecoder(encoding: string) {
  try {
    return new TextDecoder(encoding);
  } catch {
    throw new NotASitemap(`its encoding ${encoding.slice(0, 40)} is unknown`);
  }
}

/** Yields text. A character that is invalid becomes U+FFFD, which no URL may contain. @throws NotASitemap */
async function* decoded(chunks: AsyncIterable<Buffer>, charset: string | undefined): AsyncGenerator<string> {
  let head = Buffer.alloc(0);
  let decoder: ReturnType<typeof createDecoder> | undefined;
  const start = () => createDecoder(declaredEncoding(head) ?? charset ?? 'utf-8');
  for await (const chunk of chunks) {
    if (decoder) yield decoder.decode(chunk, { stream: true });
    else {
      head = Buffer.concat([head, chunk]);
      if (head.byteLength < headBytes) continue;
      decoder = start();
      yield decoder.decode(head, { stream: true });
    }
  }
  yield decoder ? decoder.decode() : start().decode(head);
}

/**
 * @param charset encoding of the response, which a declaration in the file overrides
 * @throws TooLarge, NotASitemap, and the errors of the chunks
 */
export async function* readText(
  chunks: AsyncIterable<Buffer>,
  budgets: Budgets,
  charset?: string,
): AsyncGenerator<string> {
  const once = counted(whereGzip(counted(chunks, budgets.received)), budgets.between);
  const twice = counted(whereGzip(once), budgets.unpacked);
  yield* decoded(twice, charset);
}
