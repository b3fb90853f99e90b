/** Reads the filmstrip of a load from a whole Lighthouse result. */

import { rowsOf } from '../../contract/result/details.ts';
import type { Result } from '../../contract/result/result.ts';
import { isPicture, numberOf, oncePerWhole, type Whole } from '../full-result/read.ts';
import { metricWords } from '../words.ts';

export type Frame = { readonly atMs: number; readonly source: string };

/** Returns the frames in order of time; empty if the analyser sent none. */
export const toFrames = ({ lighthouse_result: result }: Pick<Result, 'lighthouse_result'>): Frame[] =>
  rowsOf((result ?? {}) as Whole, 'screenshot-thumbnails')
    .flatMap(({ timing, data }) =>
      typeof timing === 'number' && isPicture(data) ? [{ atMs: timing, source: data }] : [],
    )
    .toSorted((a, b) => a.atMs - b.atMs);

export type PaintName = 'fcp' | 'lcp' | 'complete';
export type PaintMark = { readonly name: PaintName; readonly atMs: number };

export const paintWords: Readonly<Record<PaintName, readonly [short: string, long: string]>> = {
  fcp: [metricWords.first_contentful_paint.short, metricWords.first_contentful_paint.label],
  lcp: [metricWords.largest_contentful_paint.short, metricWords.largest_contentful_paint.label],
  complete: ['VC', 'Visually complete'],
};

const observed: readonly (readonly [PaintName, string])[] = [
  ['fcp', 'observedFirstContentfulPaint'],
  ['lcp', 'observedLargestContentfulPaint'],
  ['complete', 'observedLastVisualChange'],
];

/** Returns the observed paint times in milliseconds, by the clock of the frames and requests. */
export const toPaints = oncePerWhole((whole): readonly PaintMark[] => {
  const [times = {}] = rowsOf(whole, 'metrics');
  return observed.flatMap(([name, field]) => {
    const atMs = numberOf(times[field]);
    return atMs === undefined ? [] : [{ name, atMs }];
  });
});

export type Picture = ReturnType<typeof framesAt>[number];

/** Returns the frames at the times of several loads: a load that ended repeats its last frame. */
export function framesAt(frames: readonly Frame[], paints: readonly PaintMark[], times: readonly number[]) {
  return times.map((atMs, at) => {
    const before = times[at - 1] ?? -1;
    const isLast = at === times.length - 1;
    return {
      atMs,
      source: frames.findLast(frame => frame.atMs <= atMs)?.source,
      // The last frame also contains all later paints.
      paints: paints.filter(paint => paint.atMs > before && (paint.atMs <= atMs || isLast)).map(({ name }) => name),
    };
  });
}

const columns = 8;

/** Returns common times for the filmstrips of several loads: evenly spaced until the end of the longest. */
export const sharedTimes = (strips: readonly (readonly Frame[])[]): number[] => {
  const end = Math.max(0, ...strips.flatMap(frames => frames.at(-1)?.atMs ?? 0));
  return end === 0 ? [] : Array.from({ length: columns }, (_, at) => Math.round(((at + 1) * end) / columns));
};

/** Returns whether the loads look the same at every time but one: an image of the same pixels has the same bytes. */
export function lookAlike(strips: readonly (readonly Frame[])[], times: readonly number[]): boolean {
  const isSame = (atMs: number) =>
    new Set(strips.map(frames => frames.findLast(frame => frame.atMs <= atMs)?.source)).size === 1;
  return times.filter(atMs => !isSame(atMs)).length <= 1;
}
