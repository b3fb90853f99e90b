import PQueue from 'p-queue';
import { toPageUrl, toShownInput, type UrlFault } from '../measure/targets/page-url.ts';
import type { AnalyseRemote, RemoteOptions } from './analyse-remote.ts';
import { analyseStrategies, type PageAnalysis, type UrlRequest } from './analyse-strategies.ts';

/** Answer for one page of a batch: its analysis, or the fault of an input that is not a URL. */
export type BatchItem = PageAnalysis | { url: string; fault: UrlFault };

/** An item and its positions in the request: a duplicate URL is one item with several positions. */
export type PlacedItem = { indexes: readonly [number, ...number[]]; item: BatchItem };

export type BatchOptions = RemoteOptions & {
  /** Order of the items: that of the request, each at its first position, or the order in which they end. */
  order: 'asked' | 'ended';
  /** Max number of pages that run in parallel: each needs memory for unpacking its result. */
  runningAtOnce: number;
  /** Max number of pages that run or wait to be read: a slow reader pauses the batch here. */
  pagesAtOnce: number;
};

type Batched = { indexes: [number, ...number[]]; analyse: () => Promise<BatchItem> };

/** Combines duplicate URLs into one entry with several positions. */
function toEntries(
  analyseRemote: AnalyseRemote,
  urls: readonly string[],
  request: Omit<UrlRequest, 'url'>,
  options: RemoteOptions,
): Batched[] {
  const entries: Batched[] = [];
  const known = new Map<string, Batched>();
  for (const [index, input] of urls.entries()) {
    const page = toPageUrl(input);
    if (!('href' in page)) {
      const { fault } = page;
      entries.push({ indexes: [index], analyse: async () => ({ url: toShownInput(input), fault }) });
      continue;
    }
    const url = page.href;
    const entry = known.get(url);
    if (entry) entry.indexes.push(index);
    else {
      const added: Batched = {
        indexes: [index],
        analyse: () => analyseStrategies(analyseRemote, { ...request, url }, options),
      };
      entries.push(added);
      known.set(url, added);
    }
  }
  return entries;
}

type Start = (entry: Batched) => Promise<PlacedItem>;

function createStart(runningAtOnce: number): Start {
  const running = new PQueue({ concurrency: runningAtOnce });
  return ({ indexes, analyse }) => {
    const done = running.add(analyse).then(item => ({ indexes, item }));
    // The promise is awaited when its turn comes. If the client disconnects before that, a rejection must not be
    // unhandled.
    done.catch(() => {});
    return done;
  };
}

async function* asTheyEnd(entries: readonly Batched[], start: Start, atOnce: number): AsyncGenerator<PlacedItem> {
  const rest = entries.values();
  const running = new Set<Promise<PlacedItem>>();
  const ended: PlacedItem[] = [];
  const startNext = () => {
    const { value: entry, done } = rest.next();
    if (done) return;
    const run = start(entry);
    running.add(run);
    run.then(
      result => {
        running.delete(run);
        ended.push(result);
      },
      () => {},
    );
  };
  for (let page = 0; page < atOnce; page++) startNext();
  for (;;) {
    const next = ended.shift();
    if (next) {
      yield next;
      startNext();
    } else if (running.size > 0) await Promise.race(running);
    else return;
  }
}

async function* asTheyWereAsked(entries: readonly Batched[], start: Start, atOnce: number): AsyncGenerator<PlacedItem> {
  const runs = entries.slice(0, atOnce).map(start);
  const rest = entries.slice(atOnce).values();
  for (let run = runs.shift(); run; run = runs.shift()) {
    yield await run;
    const { value: entry, done } = rest.next();
    if (!done) runs.push(start(entry));
  }
}

/**
 * Analyses every URL of a batch, a few pages at a time. A failed page becomes an entry with its failure, and does not
 * stop the others. A duplicate URL is analysed once, and its entry lists every position. Pages start only as the reader
 * takes entries, so only running pages are in memory, even for a long list. The signal stops the batch.
 * @throws only when the client disconnected
 */
export function analyseBatch(
  analyseRemote: AnalyseRemote,
  urls: readonly string[],
  request: Omit<UrlRequest, 'url'>,
  { order, runningAtOnce, pagesAtOnce, ...options }: BatchOptions,
): AsyncGenerator<PlacedItem> {
  const entries = toEntries(analyseRemote, urls, request, options);
  const inOrder = order === 'asked' ? asTheyWereAsked : asTheyEnd;
  return inOrder(entries, createStart(runningAtOnce), pagesAtOnce);
}
