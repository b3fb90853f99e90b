/** Shrinks a screenshot to a thumbnail for lists. */
import jpeg from 'jpeg-js';
import { isPicture } from '../../../presentation/full-result/read.ts';

/** Width in pixels, twice the displayed width for dense screens. */
const maxWidth = 160;
const maxHeight = 208;
const quality = 70;
/** Max length of an image that is not shrunk, because that would take longer than it saves. */
const smallCharacters = 16_000;
/** Max length of an image that cannot be shrunk. */
const maxCharacters = 60_000;
const channels = 3;

/** Limits for decoding images of an untrusted analyser. */
const limits = { useTArray: true, formatAsRGBA: false, maxResolutionInMP: 4, maxMemoryUsageInMB: 64 } as const;

type Pixels = { readonly width: number; readonly height: number; readonly data: Uint8Array };

function decode(source: string): Pixels | undefined {
  const [, base64] = /^data:image\/jpeg;base64,(.+)$/.exec(source) ?? [];
  if (base64 === undefined) return undefined;
  try {
    return jpeg.decode(Buffer.from(base64, 'base64'), limits);
  } catch {
    return undefined;
  }
}

/** Returns the mean colour of a part of an image, as an opaque pixel. */
function meanOf({ width, data }: Pixels, [left, right]: readonly number[], [top, bottom]: readonly number[]): number[] {
  const sums = [0, 0, 0];
  let count = 0;
  for (let y = top ?? 0; y < (bottom ?? 0); y += 1)
    for (let x = left ?? 0; x < (right ?? 0); x += 1) {
      const at = channels * (y * width + x);
      for (let channel = 0; channel < channels; channel += 1)
        sums[channel] = (sums[channel] ?? 0) + (data[at + channel] ?? 0);
      count += 1;
    }
  return [...sums.map(sum => Math.round(sum / Math.max(1, count))), 255];
}

/** Shrinks the upper part of the screenshot, which visitors see first. */
function shrink(pixels: Pixels): Pixels {
  const scale = Math.max(1, pixels.width / maxWidth);
  const width = Math.max(1, Math.floor(pixels.width / scale));
  const height = Math.max(1, Math.min(maxHeight, Math.floor(pixels.height / scale)));
  const data = new Uint8Array(4 * width * height);
  const boundsOf = (at: number) => [
    Math.floor(at * scale),
    Math.max(Math.floor((at + 1) * scale), Math.floor(at * scale) + 1),
  ];
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) data.set(meanOf(pixels, boundsOf(x), boundsOf(y)), 4 * (y * width + x));
  return { width, height, data };
}

/**
 * @param source a data URL
 * @returns undefined for an invalid image, or one that stays too large
 */
export function toThumbnail(source: unknown): string | undefined {
  if (!isPicture(source)) return undefined;
  if (source.length <= smallCharacters) return source;
  const pixels = decode(source);
  if (!pixels || pixels.width < 1 || pixels.height < 1) return source.length <= maxCharacters ? source : undefined;
  const small = shrink(pixels);
  const { data } = jpeg.encode({ ...small, data: Buffer.from(small.data) }, quality);
  return `data:image/jpeg;base64,${data.toString('base64')}`;
}
