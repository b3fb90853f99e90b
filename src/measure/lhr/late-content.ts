/**
 * Whether the main content came long after the largest paint. Lighthouse takes the largest single element: a footer
 * that is there from the start may be larger than any row of a list that a script fetches. The filmstrip shows what a
 * visitor sees.
 */

import jpeg from 'jpeg-js';
import { isObject, itemsOf, listOf, rowsOf } from '../../contract/result/details.ts';
import type { LateContent } from '../../contract/result/metrics.ts';
import type { Lhr } from './lhr.ts';

/* A picture of a load, as pixels. */

/** A picture of a load is some 20 to 60 KB. */
export const maxCharacters = 1_000_000;
const limits = { useTArray: true, formatAsRGBA: false, maxResolutionInMP: 2, maxMemoryUsageInMB: 64 } as const;

/** Red, green and blue of each pixel, in rows. */
export type Picture = { width: number; height: number; data: Uint8Array };

/** @returns null for what is no picture, or one that is too large */
export function readPicture(url: unknown): Picture | null {
  if (typeof url !== 'string') return null;
  const [, base64] = /^data:image\/jpeg;base64,([\w+/=]+)$/.exec(url.slice(0, maxCharacters)) ?? [];
  if (base64 === undefined) return null;
  try {
    return jpeg.decode(Buffer.from(base64, 'base64'), limits);
  } catch {
    return null;
  }
}

/** Cells across the width of a picture: about a word of text each. */
const columns = 20;
/**
 * From the darkest to the brightest pixel of a cell with text or a picture in it, of 255. Less is a plain ground, or
 * the grey bars that stand for content that is not there yet.
 */
const leastContrast = 40;
const channels = 3;

/** Which cells of a picture have something in them. */
function toFilledCells({ width, height, data }: Picture): boolean[] {
  const size = Math.max(1, Math.floor(width / columns));
  const filled: boolean[] = [];
  for (let top = 0; top + size <= height; top += size)
    for (let left = 0; left + size <= width; left += size) {
      let [low, high] = [255, 0];
      for (let y = top; y < top + size; y += 1)
        for (let at = channels * (y * width + left); at < channels * (y * width + left + size); at += 1) {
          // About as bright as a colour looks.
          const value = (2 * (data[at] ?? 0) + 5 * (data[at + 1] ?? 0) + (data[at + 2] ?? 0)) / 8;
          low = Math.min(low, value);
          high = Math.max(high, value);
        }
      filled.push(high - low >= leastContrast);
    }
  return filled;
}

/** Lighthouse writes eight; of another server's hundreds none is decoded. */
const mostFrames = 32;

type Frame = { readonly atMs: number; readonly filled: () => readonly boolean[] | undefined };

/**
 * The filmstrip in time's order. A frame is decoded when it is looked at; one that shows the same has the same bytes.
 */
function readFrames(lhr: Lhr): Frame[] {
  const known = new Map<unknown, readonly boolean[] | undefined>();
  const read = (data: unknown) => {
    if (!known.has(data)) {
      const picture = readPicture(data);
      known.set(data, picture ? toFilledCells(picture) : undefined);
    }
    return known.get(data);
  };
  const rows = rowsOf(lhr, 'screenshot-thumbnails');
  return (rows.length > mostFrames ? [] : rows).map(({ timing, data }) => ({
    atMs: typeof timing === 'number' ? timing : Number.NaN,
    filled: () => read(data),
  }));
}

type Growth = {
  /** Of the cells that have something in them at the end, those that have it in a frame already. */
  readonly share: number;
  /** Of the view, the cells that are filled after it. */
  readonly toCome: number;
};

/** Undefined for a frame that is no picture, or not as large as the last one. */
function toGrowth(frame: Frame, last: readonly boolean[]): Growth | undefined {
  const now = frame.filled();
  if (now?.length !== last.length) return undefined;
  const [end, already] = [last.filter(Boolean).length, last.filter((is, at) => is && now[at]).length];
  return { share: end === 0 ? 1 : already / end, toCome: (end - already) / last.length };
}

/** A page is there when so much of it is, and hardly there when so little is. */
const thereShare = 0.75;
const hardlyShare = 0.5;
/** Of the view, so much has to come late: less is an advertisement, a chat, a film. */
const leastOfView = 0.15;
/** Sooner after the largest paint no one takes the one for the other. */
const leastLateMs = 1000;

/** The element of the largest paint. */
function toLargestPaint(lhr: Lhr): string | null {
  const rows = rowsOf(lhr, 'lcp-breakdown-insight').flatMap(row => [row, ...itemsOf(row)]);
  const node = rows.filter(isObject).find(({ type }) => type === 'node');
  return typeof node?.selector === 'string' ? node.selector : null;
}

type Observed = { readonly paintMs: number; readonly lastMs: number; readonly reportedMs: number };

/** Undefined if the view did not change any more, so that nothing has to be looked at. */
function readObserved(lhr: Lhr): Observed | undefined {
  const [metrics = {}] = listOf((lhr.audits.metrics?.details as { items?: unknown } | undefined)?.items);
  const { observedLargestContentfulPaint: paintMs, observedLastVisualChange: lastMs } = metrics;
  const reportedMs = lhr.audits['largest-contentful-paint']?.numericValue;
  if (typeof paintMs !== 'number' || typeof lastMs !== 'number' || typeof reportedMs !== 'number') return undefined;
  return lastMs - paintMs < leastLateMs || lastMs <= reportedMs ? undefined : { paintMs, lastMs, reportedMs };
}

/** The frame since which the page is there, and the one before it. */
function findAppearance(frames: readonly Frame[], last: readonly boolean[]) {
  const at = frames.findLastIndex(frame => (toGrowth(frame, last)?.share ?? 1) < thereShare);
  const [before, from] = [frames[at], frames[at + 1]];
  return before && from ? { before, from } : undefined;
}

/** Undefined for a page whose main content is there at about its largest paint, and if the filmstrip does not say. */
export function findLateContent(lhr: Lhr): LateContent | undefined {
  const observed = readObserved(lhr);
  const frames = observed ? readFrames(lhr) : [];
  const last = frames.at(-1)?.filled();
  const atPaint = observed && frames.find(({ atMs }) => atMs >= observed.paintMs);
  const growth = last && atPaint && toGrowth(atPaint, last);
  if (!observed || !last || !growth || growth.share >= hardlyShare || growth.toCome < leastOfView) return undefined;
  const { paintMs, lastMs, reportedMs } = observed;
  const found = findAppearance(frames, last);
  if (!found || found.before.atMs - paintMs < leastLateMs) return undefined;
  const { before, from } = found;
  // The frames are far apart: the last change is exact.
  const appearedMs = Math.round(lastMs > before.atMs && lastMs < from.atMs ? lastMs : from.atMs);
  if (appearedMs <= reportedMs) return undefined;
  return {
    appeared_ms: appearedMs,
    filled_before: Math.round(100 * growth.share),
    largest_paint: toLargestPaint(lhr),
  };
}
