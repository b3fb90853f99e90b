/** Fills a store with very many results of a hundred pages, a minute apart. */
import { randomBytes } from 'node:crypto';
import { toRandom } from '../../src/explain/statistics/random.ts';
import type { NewEntry, ResultStore } from '../../src/storage/results/store.ts';
import { buildEntry } from '../../test/support/builders/entry.ts';

const pages = 100;
/**
 * A summary of an ordinary page, and a full result of such a size that 100,000 results fill the default limit of 2 GB.
 */
const summary = JSON.stringify({ text: randomBytes(1500).toString('hex').repeat(4) });
const fullBytes = 17_000;
export const beginMs = Date.parse('2026-01-01T00:00:00Z');

export const urlOf = (at: number): string => `https://example.com/page-${at % pages}`;

/**
 * The level of a page goes up and down up to six times in a thousand results, because a series with change points takes
 * longer.
 */
const mostChanges = 6;

/** LCP with the noise of real pages: some tenths of its value from run to run. */
function lcpAt(at: number): number {
  const [page, run] = [at % pages, Math.floor(at / pages)];
  const isUp = Math.floor((run * ((page % (mostChanges + 1)) + 1)) / 1000) % 2 === 1;
  const random = toRandom([at]);
  const noise = (random() + random() + random() - 1.5) * 0.3;
  return Math.round(1200 * (isUp ? 1.3 : 1) * (1 + noise));
}

const usual = buildEntry();

export const entryAt = (at: number, bytes: number): NewEntry =>
  buildEntry({
    metrics: { ...usual.metrics, largest_contentful_paint: lcpAt(at) },
    measuredAtMs: beginMs + at * 60_000,
    url: urlOf(at),
    source: at % 3 === 0 ? 'psi' : 'lighthouse',
    strategy: at % 2 === 0 ? 'mobile' : 'desktop',
    label: at % 50 === 0 ? `build ${at}` : null,
    summary,
    full: { coding: 'zstd', bytes: randomBytes(bytes) },
  });

/** Adds results until the store has `count`. */
export async function fillStore(store: ResultStore, count: number): Promise<void> {
  for (let at = store.status().entries; at < count; at += 200) {
    await Promise.all(
      Array.from({ length: Math.min(200, count - at) }, (_, of) => store.keep(entryAt(at + of, fullBytes))),
    );
    if (at % 20_000 === 0) console.error(`  ${at} of ${count}`);
  }
}
