/** How much one request may ask for, and one answer give. Free of any library: pages import it, too. */

/** URLs of a batch that is answered while its client waits, and of one that is a job. */
export const mostBatchUrls = 100;
export const mostJobUrls = 10_000;

/** Pages of one answer about a sitemap. */
export const mostSitemapUrls = 1000;

/** Of what a result is kept under. */
export const maxLabelCharacters = 100;
