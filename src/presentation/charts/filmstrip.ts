/** The pictures of a page as it loads, out of a whole Lighthouse result. */

import { rowsOf } from '../../contract/result/details.ts';
import type { Result } from '../../contract/result/result.ts';
import { isPicture, type Whole } from '../whole/read.ts';

export type Frame = { readonly atMs: number; readonly source: string };

/** In time's order; empty where the analyser gave none. */
export const toFrames = ({ lighthouse_result: result }: Result): Frame[] =>
  rowsOf((result ?? {}) as Whole, 'screenshot-thumbnails')
    .flatMap(({ timing, data }) =>
      typeof timing === 'number' && isPicture(data) ? [{ atMs: timing, source: data }] : [],
    )
    .toSorted((a, b) => a.atMs - b.atMs);
