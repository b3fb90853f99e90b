/** A picture of a load, as pixels. */
import jpeg from 'jpeg-js';

/** A picture of a load is some 20 to 60 KB. */
const maxCharacters = 1_000_000;
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
