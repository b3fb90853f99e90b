/** URLs of a batch that is answered while its client waits, and of one that is a job. */
export const mostBatchUrls = 100;
export const mostJobUrls = 10_000;
