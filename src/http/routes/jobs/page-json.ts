/** The answer of a page of a job: from the job itself, or put together from what is kept of it. */
import type { JobPage, PagePart } from '../../../jobs/job.ts';
import type { ResultStore } from '../../../storage/results/store.ts';
import { askStore } from '../results/stored.ts';

const parse = (json: string): unknown => JSON.parse(json);

/** Undefined where it was removed meanwhile. */
async function readSide(store: ResultStore | undefined, url: string, part: PagePart): Promise<unknown> {
  const { id, error } = part;
  if (id === null) return { url, error };
  const entry = await askStore(store, stored => stored.get(id));
  return entry && parse(entry.summary);
}

/** Undefined where there is none yet, or it was removed meanwhile. */
export async function toPageJson(
  store: ResultStore | undefined,
  { page, answer }: { page: JobPage; answer: Buffer | null },
): Promise<Buffer | undefined> {
  const { url, outcome } = page;
  if (!outcome) return undefined;
  if (outcome.error) return Buffer.from(JSON.stringify({ url, error: outcome.error }));
  if (answer) return answer;
  const { comparisonId, parts } = outcome;
  if (comparisonId !== null) {
    const entry = await askStore(store, stored => stored.get(comparisonId));
    return entry && Buffer.from(entry.summary);
  }
  const sides = await Promise.all(parts.map(part => readSide(store, url, part)));
  if (sides.some(side => side === undefined)) return undefined;
  const [first, second] = sides;
  const body = second === undefined ? first : { url, strategy: 'both', mobile: first, desktop: second };
  return Buffer.from(JSON.stringify(body));
}
