/**
 * Finds main content that appears long after the largest contentful paint. Lighthouse takes the largest single element:
 * a footer that is present from the start may be larger than any row of a list that a script fetches. Its simulation
 * takes one usual time for all answers of a server, so it may paint before a slow answer has come. The filmstrip shows
 * what visitors see.
 */

import jpeg from 'jpeg-js';
import { isObject, itemsOf, rowsOf } from '../../contract/result/details.ts';
import type { LateContent } from '../../contract/result/metrics.ts';
import type { Lhr } from './lhr.ts';
import { observedOf, toNumber } from './values.ts';

/** Max length of a screenshot, which usually has 20 to 60 KB. */
export const maxCharacters = 1_000_000;
const limits = { useTArray: true, formatAsRGBA: false, maxResolutionInMP: 2, maxMemoryUsageInMB: 64 } as const;

/** Red, green and blue of each pixel, row by row. */
export type DecodedPicture = { width: number; height: number; data: Uint8Array };

/** @returns null for invalid or too large images */
export function readPicture(url: unknown): DecodedPicture | null {
  if (typeof url !== 'string') return null;
  const [, base64] = /^data:image\/jpeg;base64,([\w+/=]+)$/.exec(url.slice(0, maxCharacters)) ?? [];
  if (base64 === undefined) return null;
  try {
    return jpeg.decode(Buffer.from(base64, 'base64'), limits);
  } catch {
    return null;
  }
}

/** Number of cells across the width of an image: one cell is about a word of text. */
const columns = 20;
/**
 * Min contrast of a cell that contains text or an image, out of 255. Plain backgrounds and grey placeholders have less.
 */
const leastContrast = 40;
const channels = 3;

/** Returns which cells of an image have content. */
function toFilledCells({ width, height, data }: DecodedPicture): boolean[] {
  const size = Math.max(1, Math.floor(width / columns));
  const filled: boolean[] = [];
  for (let top = 0; top + size <= height; top += size)
    for (let left = 0; left + size <= width; left += size) {
      let [low, high] = [255, 0];
      for (let y = top; y < top + size; y += 1)
        for (let at = channels * (y * width + left); at < channels * (y * width + left + size); at += 1) {
          // This approximates the perceived brightness.
          const value = (2 * (data[at] ?? 0) + 5 * (data[at + 1] ?? 0) + (data[at + 2] ?? 0)) / 8;
          low = Math.min(low, value);
          high = Math.max(high, value);
        }
      filled.push(high - low >= leastContrast);
    }
  return filled;
}

/** Max number of frames: longer filmstrips are ignored. Lighthouse writes eight; another server may send hundreds. */
const mostFrames = 32;

type FilledFrame = { readonly atMs: number; readonly filled: () => readonly boolean[] | undefined };

/** Reads the filmstrip in order of time. Frames are decoded on demand, and identical ones only once. */
function readFrames(lhr: Lhr): FilledFrame[] {
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

/** Compares a frame with the last one. Undefined if the frame is not an image, or differs in size from the last one. */
function toGrowth(frame: FilledFrame, last: readonly boolean[]) {
  const now = frame.filled();
  if (now?.length !== last.length) return undefined;
  const [end, already] = [last.filter(Boolean).length, last.filter((is, at) => is && now[at]).length];
  return {
    /** Share of the finally filled cells that this frame already fills. */
    share: end === 0 ? 1 : already / end,
    /** Share of the viewport whose cells are filled later. */
    toCome: (end - already) / last.length,
  };
}

/** Shares of content above which a page counts as visible, and below which it counts as barely visible. */
const thereShare = 0.75;
const hardlyShare = 0.5;
/** Min share of the viewport that must appear late. Less may be an ad, a chat or a video. */
const leastOfView = 0.15;
/** Min delay after the largest contentful paint. */
const leastLateMs = 1000;

/** Returns the element of the largest contentful paint. */
function toLargestPaint(lhr: Lhr): string | null {
  const rows = rowsOf(lhr, 'lcp-breakdown-insight').flatMap(row => [row, ...itemsOf(row)]);
  const node = rows.filter(isObject).find(({ type }) => type === 'node');
  return typeof node?.selector === 'string' ? node.selector : null;
}

/** Returns whether a slow answer came shortly before a paint, which a busy machine does not explain. */
const followsSlowAnswer = (lhr: Lhr, paintMs: number): boolean =>
  rowsOf(lhr, 'network-requests').some(({ networkRequestTime: from, networkEndTime }) => {
    const end = toNumber(networkEndTime) ?? Number.NaN;
    return end - (toNumber(from) ?? Number.NaN) >= leastLateMs && end <= paintMs && paintMs - end < leastLateMs;
  });

/**
 * Reads the observed paints. Undefined if the viewport did not change after the largest contentful paint, so that no
 * frame need be decoded.
 */
function readObserved(lhr: Lhr) {
  const { largestPaint, lastChange: lastMs } = observedOf(lhr);
  const reportedMs = lhr.audits['largest-contentful-paint']?.numericValue;
  if (largestPaint === null || lastMs === null || typeof reportedMs !== 'number') return undefined;
  const isTooEarly = largestPaint - reportedMs >= leastLateMs && followsSlowAnswer(lhr, largestPaint);
  const paintMs = isTooEarly ? reportedMs : largestPaint;
  return lastMs - paintMs < leastLateMs || lastMs <= reportedMs
    ? undefined
    : { paintMs, lastMs, reportedMs, isTooEarly };
}

/** Returns the first frame in which the page is visible, and the frame before it. */
function findAppearance(frames: readonly FilledFrame[], last: readonly boolean[]) {
  const at = frames.findLastIndex(frame => (toGrowth(frame, last)?.share ?? 1) < thereShare);
  const [before, from] = [frames[at], frames[at + 1]];
  return before && from ? { before, from } : undefined;
}

/**
 * Finds late main content. Undefined if it appears at about the largest contentful paint, or the filmstrip is
 * inconclusive.
 */
export function findLateContent(lhr: Lhr): LateContent | undefined {
  const observed = readObserved(lhr);
  const frames = observed ? readFrames(lhr) : [];
  const last = frames.at(-1)?.filled();
  const atPaint = observed && frames.find(({ atMs }) => atMs >= observed.paintMs);
  const growth = last && atPaint && toGrowth(atPaint, last);
  if (!observed || !last || !growth || growth.share >= hardlyShare || growth.toCome < leastOfView) return undefined;
  const { paintMs, lastMs, reportedMs, isTooEarly } = observed;
  const found = findAppearance(frames, last);
  if (!found || found.before.atMs - paintMs < leastLateMs) return undefined;
  const { before, from } = found;
  // The frames are far apart, but the time of the last visual change is exact.
  const appearedMs = Math.round(lastMs > before.atMs && lastMs < from.atMs ? lastMs : from.atMs);
  if (appearedMs <= reportedMs) return undefined;
  return {
    appeared_ms: appearedMs,
    filled_before: Math.round(100 * growth.share),
    largest_paint: isTooEarly ? null : toLargestPaint(lhr),
  };
}
