/** The pages of a list: those that a request names, or those of a site. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { FoundSite } from '../../../contract/jobs/job.ts';
import type { ReadSitemap } from '../../../measure/sitemaps/read-sitemap.ts';
import type { RouteParts } from '../../route.ts';
import { toCaller } from '../../server/full-turns.ts';

export type ListPages =
  | { readonly urls: readonly string[] }
  | { readonly site: string; readonly sample: number | null };

type ReadParts = { readonly urls?: string[] | null; readonly site?: string | null; readonly sample?: number | null };

/** @param read a request with one of both, as its schema was checked */
export const toListPages = ({ urls, site, sample = null }: ReadParts): ListPages =>
  typeof site === 'string' ? { site, sample } : { urls: urls ?? [] };

/** Reads the site of a list, which counts as one page of the client. @throws AnalysisError if it has no pages */
export async function findPages(
  { readSitemap, admit, toClientId }: Pick<RouteParts, 'admit' | 'toClientId'> & { readSitemap: ReadSitemap },
  request: FastifyRequest,
  reply: FastifyReply,
  pages: ListPages,
): Promise<{ urls: readonly string[]; site?: FoundSite }> {
  if ('urls' in pages) return pages;
  const { site: url, sample } = pages;
  await admit(request, [url]);
  const { urls, found } = await readSitemap({ url, sample }, toCaller(toClientId, request, reply));
  return { urls, site: { url, sample, found } };
}
