import { documentLate } from '../messages.ts';

/** A failure of the page that is clear before Lighthouse says so, in Lighthouse's own code and words. */
export class PageFailureSeen extends Error {
  readonly code: string;
  /** The document that failed, where one did. */
  readonly url: string | undefined;

  constructor(code: string, message: string, url?: string) {
    super(message);
    this.name = 'PageFailureSeen';
    this.code = code;
    this.url = url;
  }
}

/** Something that watches a page under audit; `failed` rejects with PageFailureSeen, and never resolves. */
export type Watch = { failed: Promise<never> };

export const hung = () =>
  new PageFailureSeen('PAGE_HUNG', 'Lighthouse was unable to load the page because it stopped responding.');

export const late = (url?: string) =>
  new PageFailureSeen(documentLate, 'The document had not arrived when Lighthouse gave up waiting for it.', url);
