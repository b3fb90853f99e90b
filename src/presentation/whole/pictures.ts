/** Pictures of the page and of its elements. */
import { detailsOf, isObject, type Json } from '../../contract/result/details.ts';
import { isPicture, numberOf, textOf, type Whole } from './read.ts';

/** How the page looked at the end of its load. */
export function toFinalScreenshot(whole: Whole): string | undefined {
  const details = detailsOf(whole, 'final-screenshot');
  return isObject(details) && isPicture(details.data) ? details.data : undefined;
}

/** A part of a larger picture, in its pixels. */
export type ElementPicture = {
  readonly source: string;
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly top: number;
  readonly elementWidth: number;
  readonly elementHeight: number;
};

const sizeOf = (value: Json, name: string): number => Math.max(0, numberOf(value[name]) ?? 0);

/** A rectangle of the picture of the whole page; undefined if it is not on it. */
function crop({ fullPageScreenshot: full }: Whole, rect: unknown): ElementPicture | undefined {
  if (!isObject(full) || !isObject(full.screenshot) || !isObject(rect)) return undefined;
  const { data } = full.screenshot;
  const [width, height] = [sizeOf(full.screenshot, 'width'), sizeOf(full.screenshot, 'height')];
  if (!isPicture(data)) return undefined;
  const [left, top] = [sizeOf(rect, 'left'), sizeOf(rect, 'top')];
  const elementWidth = Math.min(sizeOf(rect, 'width'), width - left);
  const elementHeight = Math.min(sizeOf(rect, 'height'), height - top);
  if (elementWidth < 1 || elementHeight < 1) return undefined;
  return { source: data, width, height, left, top, elementWidth, elementHeight };
}

/** Where the elements were when the picture was taken. */
const rectOf = ({ fullPageScreenshot: full }: Whole, lhId: unknown): unknown =>
  isObject(full) && isObject(full.nodes) && Object.hasOwn(full.nodes, textOf(lhId))
    ? full.nodes[textOf(lhId)]
    : undefined;

/**
 * An element on the picture of the whole page; undefined if it is not on it. @param lhId as Lighthouse names the
 * element
 */
export const toElementPicture = (whole: Whole, lhId: unknown): ElementPicture | undefined =>
  crop(whole, rectOf(whole, lhId));

/** The same of a cell that holds an element: where the picture does not know it, by where the audit saw it. */
export const toNodePicture = (whole: Whole, { lhId, boundingRect }: Json): ElementPicture | undefined =>
  crop(whole, rectOf(whole, lhId) ?? boundingRect);
