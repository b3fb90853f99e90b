/** What one reading may cost. */
import { mostSitemapUrls } from '../../contract/limits.ts';

export type SitemapLimits = {
  /** Pages of one answer. */
  readonly urls: number;
  /** Files, nested ones and robots.txt too. */
  readonly files: number;
  /** How deep sitemaps may name others; a list of sitemaps in a sitemap is already beyond the protocol. */
  readonly depth: number;
  readonly redirects: number;
  /** Received, of all files together. */
  readonly bytes: number;
  /** Unpacked, of all files together: the protocol allows 50 MB for each. */
  readonly unpackedBytes: number;
  readonly timeoutMs: number;
};

const mega = 1_000_000;

export const usualSitemapLimits: SitemapLimits = {
  urls: mostSitemapUrls,
  files: 50,
  depth: 3,
  redirects: 5,
  bytes: 20 * mega,
  unpackedBytes: 60 * mega,
  timeoutMs: 20_000,
};
