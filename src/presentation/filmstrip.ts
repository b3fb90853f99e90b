/** The pictures of a page as it loads, out of a whole Lighthouse result. */
import type { Result } from '../contract/result.ts';

export type Frame = { readonly atMs: number; readonly source: string };

/** Pictures only, and only such as carry their bytes with them: nothing is fetched for them. */
const isPicture = (data: unknown): data is string =>
  typeof data === 'string' && /^data:image\/(?:jpeg|png|webp);base64,[A-Za-z\d+/]+=*$/.test(data);

type Thumbnails = {
  audits?: Record<string, { details?: { items?: { timing?: unknown; data?: unknown }[] } } | undefined>;
};

/** In time's order; empty where the analyser gave none. */
export function toFrames({ lighthouse_result: result }: Result): Frame[] {
  const items = (result as Thumbnails | undefined)?.audits?.['screenshot-thumbnails']?.details?.items;
  if (!Array.isArray(items)) return [];
  return items
    .flatMap(({ timing, data }) =>
      typeof timing === 'number' && isPicture(data) ? [{ atMs: timing, source: data }] : [],
    )
    .toSorted((a, b) => a.atMs - b.atMs);
}
