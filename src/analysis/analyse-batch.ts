import { toPageUrl, type UrlFault } from '../targets/page-url.ts';
import type { AnalyseRemote, RemoteOptions } from './analyse-remote.ts';
import { analyseStrategies, type PageAnalysis, type PageRequest } from './analyse-strategies.ts';

/** One entry of a batch: an analysis, or what is wrong with an input that is no URL. */
export type BatchItem = PageAnalysis | { url: string; fault: UrlFault };

/** An entry, and its place in the list that was asked. */
export type PlacedItem = { index: number; item: BatchItem };

export type BatchOptions = RemoteOptions & {
  /** As they were asked, or as they end. */
  order: 'asked' | 'ended';
  /** Pages under way, or done and not yet taken: a reader that is slow stops the batch here. */
  pagesAtOnce: number;
};

type Entry = { indexes: number[]; analyse: () => Promise<BatchItem> };
type Done = { entry: Entry; item: BatchItem };

/** A URL given twice is one entry with two places. */
function toEntries(
  analyseRemote: AnalyseRemote,
  urls: readonly string[],
  request: Omit<PageRequest, 'url'>,
  options: RemoteOptions,
): Entry[] {
  const entries: Entry[] = [];
  const known = new Map<string, Entry>();
  for (const [index, input] of urls.entries()) {
    const page = toPageUrl(input);
    if (!('href' in page)) {
      const { fault } = page;
      entries.push({ indexes: [index], analyse: async () => ({ url: input, fault }) });
      continue;
    }
    const url = page.href;
    const entry = known.get(url) ?? {
      indexes: [],
      analyse: () => analyseStrategies(analyseRemote, { ...request, url }, options),
    };
    if (entry.indexes.length === 0) entries.push(entry);
    entry.indexes.push(index);
    known.set(url, entry);
  }
  return entries;
}

const start = (entry: Entry): Promise<Done> => {
  const done = entry.analyse().then(item => ({ entry, item }));
  // Awaited when its turn comes; if the caller leaves before, nobody is left to hear of it.
  done.catch(() => {});
  return done;
};

/** Each entry as soon as it has ended. */
async function* asTheyEnd(entries: readonly Entry[], atOnce: number): AsyncGenerator<PlacedItem> {
  const rest = entries.values();
  const running = new Set<Promise<Done>>();
  const ended: Done[] = [];
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
  for (let place = 0; place < atOnce; place++) startNext();
  for (;;) {
    const next = ended.shift();
    if (next) {
      for (const index of next.entry.indexes) yield { index, item: next.item };
      startNext();
    } else if (running.size > 0) await Promise.race(running);
    else return;
  }
}

/** Each entry in its place; one that is asked for again is kept for it. */
async function* asTheyWereAsked(entries: readonly Entry[], atOnce: number): AsyncGenerator<PlacedItem> {
  const places = entries
    .flatMap(entry => entry.indexes.map(index => ({ entry, index })))
    .toSorted((a, b) => a.index - b.index);
  const rest = entries.values();
  const runs = new Map<Entry, Promise<Done>>();
  const startNext = () => {
    const { value: entry, done } = rest.next();
    if (!done) runs.set(entry, start(entry));
  };
  for (let place = 0; place < atOnce; place++) startNext();
  for (const { entry, index } of places) {
    const run = runs.get(entry);
    if (!run) throw new Error('an entry is read before it was begun');
    const { item } = await run;
    yield { index, item };
    if (index === entry.indexes[0]) startNext();
    if (index === entry.indexes.at(-1)) runs.delete(entry);
  }
}

/**
 * Analyses every URL of a batch, a few pages at a time. An entry that fails is its own failure; a URL given twice is
 * analysed once and answered twice. What is not taken is not begun: memory holds what is under way, however long the
 * list. Leaving off in the middle is the signal's matter.
 * @throws only when the caller left
 */
export function analyseBatch(
  analyseRemote: AnalyseRemote,
  urls: readonly string[],
  request: Omit<PageRequest, 'url'>,
  { order, pagesAtOnce, ...options }: BatchOptions,
): AsyncGenerator<PlacedItem> {
  const entries = toEntries(analyseRemote, urls, request, options);
  return order === 'asked' ? asTheyWereAsked(entries, pagesAtOnce) : asTheyEnd(entries, pagesAtOnce);
}
