import type { AnalysisError } from '../contract/errors.ts';
import { toProblem } from '../contract/problem.ts';
import type { NewPage } from './job.ts';
import type { JobCounts } from './statements.ts';

/** A URL in canonical form, or the fault of an invalid one. */
export type AskedPage = { url: string; error: AnalysisError | null };

/** Returns the pages of a list. A duplicate URL is measured at its first position. */
export function toPages(asked: readonly AskedPage[]): { pages: NewPage[]; counts: JobCounts } {
  const firsts = new Map<string, NewPage>();
  const pages = asked.map(({ url, error }, position): NewPage => {
    if (error) {
      const outcome = { parts: [], comparisonId: null, error: toProblem(error) };
      return { position, url, sameAs: null, copies: 1, outcome };
    }
    const first = firsts.get(url);
    if (first) {
      first.copies += 1;
      return { position, url, sameAs: first.position, copies: 1, outcome: null };
    }
    const page = { position, url, sameAs: null, copies: 1, outcome: null };
    firsts.set(url, page);
    return page;
  });
  const failed = asked.filter(({ error }) => error !== null).length;
  return { pages, counts: { total: asked.length, done: failed, failed } };
}
