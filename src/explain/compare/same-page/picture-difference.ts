/** How much of two pictures looks different. */
import type { LoadFacts } from '../../../measure/lhr/facts/load-facts.ts';
import { type Picture, readPicture } from '../../../measure/lhr/late-content.ts';

const channels = 3;

/** Cells of so many pixels, and the mean difference of a channel, of 255, from which on one looks different. */
const scales = {
  /** Pixel by pixel: for pictures of one machine. */
  fine: { cell: 8, visible: 12 },
  /** By its mean colour: letters of another font are the same. */
  coarse: { cell: 32, visible: 20 },
} as const;
export type Scale = keyof typeof scales;

/** Of a cell, by channel: the sum of the differences, and the difference of the sums. */
function measureCell(one: Picture, other: Picture, [x, y]: readonly [number, number], cell: number) {
  let each = 0;
  const sums = [0, 0, 0];
  for (let row = y; row < y + cell; row += 1) {
    const [a, b] = [channels * (row * one.width + x), channels * (row * other.width + x)];
    for (let at = 0; at < cell * channels; at += 1) {
      const difference = (one.data[a + at] ?? 0) - (other.data[b + at] ?? 0);
      each += Math.abs(difference);
      sums[at % channels] = (sums[at % channels] ?? 0) + difference;
    }
  }
  return { fine: each, coarse: sums.reduce((all, sum) => all + Math.abs(sum), 0) };
}

/**
 * How much of two pictures looks different, in percent of what both show. Null where one is no picture, or they are of
 * other shapes: then the devices differ, not the pages.
 */
export function differenceOf(a: Picture | null, b: Picture | null, scale: Scale = 'fine'): number | null {
  const { cell, visible } = scales[scale];
  if (!a || !b || Math.abs(a.width - b.width) >= 8 || Math.abs(a.height - b.height) >= 8) return null;
  const columns = Math.floor(Math.min(a.width, b.width) / cell);
  const rows = Math.floor(Math.min(a.height, b.height) / cell);
  let different = 0;
  for (let row = 0; row < rows; row += 1)
    for (let column = 0; column < columns; column += 1) {
      const measured = measureCell(a, b, [column * cell, row * cell], cell)[scale];
      if (measured > visible * cell * cell * channels) different += 1;
    }
  return Math.round((100 * different) / Math.max(1, columns * rows));
}

const pictures = new WeakMap<LoadFacts, Picture | null>();

/** The last picture of a load, decoded once: it is compared with that of each other run. */
export function pictureOf(load: LoadFacts): Picture | null {
  if (!pictures.has(load)) pictures.set(load, readPicture(load.picture));
  return pictures.get(load) ?? null;
}
