import jpeg from 'jpeg-js';

/** A picture of a load is some 20 to 60 KB. */
const maxCharacters = 1_000_000;
const limits = { useTArray: true, formatAsRGBA: false, maxResolutionInMP: 2, maxMemoryUsageInMB: 64 } as const;
const channels = 3;

type Picture = { width: number; height: number; data: Uint8Array };

function decode(url: string): Picture | undefined {
  const [, base64] = /^data:image\/jpeg;base64,([\w+/=]+)$/.exec(url.slice(0, maxCharacters)) ?? [];
  if (base64 === undefined) return undefined;
  try {
    return jpeg.decode(Buffer.from(base64, 'base64'), limits);
  } catch {
    return undefined;
  }
}

/** Cells of so many pixels: letters that are drawn a little differently are the same. */
const cell = 8;
/** Mean difference of a channel, of 255, from which on a cell looks different. */
const visible = 12;

const differs = (one: Picture, other: Picture, x: number, y: number): boolean => {
  let sum = 0;
  for (let row = y; row < y + cell; row += 1) {
    const [a, b] = [channels * (row * one.width + x), channels * (row * other.width + x)];
    for (let at = 0; at < cell * channels; at += 1)
      sum += Math.abs((one.data[a + at] ?? 0) - (other.data[b + at] ?? 0));
  }
  return sum > visible * cell * cell * channels;
};

/**
 * How much of two pictures looks different, in percent of what both show. Null where one is no picture, or they are of
 * other shapes: then the devices differ, not the pages.
 */
export function differenceOf(one: string | null, other: string | null): number | null {
  if (one === null || other === null) return null;
  if (one === other) return 0;
  const [a, b] = [decode(one), decode(other)];
  if (!a || !b || Math.abs(a.width - b.width) >= cell || Math.abs(a.height - b.height) >= cell) return null;
  const [columns, rows] = [Math.min(a.width, b.width), Math.min(a.height, b.height)].map(size =>
    Math.floor(size / cell),
  );
  let different = 0;
  for (let row = 0; row < (rows ?? 0); row += 1)
    for (let column = 0; column < (columns ?? 0); column += 1)
      if (differs(a, b, column * cell, row * cell)) different += 1;
  return Math.round((100 * different) / Math.max(1, (columns ?? 0) * (rows ?? 0)));
}
