/** A store with very many results, of a hundred pages, a minute apart. */
import { randomBytes } from 'node:crypto';
import { toRandom } from '../../src/explain/change/random.ts';
import type { NewEntry, ResultStore } from '../../src/storage/results/store.ts';
import { buildEntry } from '../../test/support/builders/entry.ts';

const pages = 100;
/** A summary of a usual page, and a whole result of such a size that 100,000 are the 2 GB that are kept unless said otherwise. */
const summary = JSON.stringify({ text: randomBytes(1500).toString('hex').repeat(4) });
const fullBytes = 17_000;
export const beginMs = Date.parse('2026-01-01T00:00:00Z');

export const urlOf = (at: number): string => `https://example.com/page-${at % pages}`;

/** In a thousand results a page goes up and down again none to six times: change points take longer to find than none. */
const mostChanges = 6;

/** LCP as real pages have it: some tenths of it from run to run. */
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

/** Adds what is missing to this many. */
export async function fillStore(store: ResultStore, count: number): Promise<void> {
  for (let at = store.status().entries; at < count; at += 200) {
    await Promise.all(
      Array.from({ length: Math.min(200, count - at) }, (_, of) => store.keep(entryAt(at + of, fullBytes))),
    );
    if (at % 20_000 === 0) console.error(`  ${at} of ${count}`);
  }
}
