/** Screenshots of the page and of its elements. */
import { detailsOf, isObject, type Json } from '../../contract/result/details.ts';
import { isPicture, numberOf, textOf, type Whole } from './read.ts';

export function toFinalScreenshot(whole: Whole): string | undefined {
  const details = detailsOf(whole, 'final-screenshot');
  return isObject(details) && isPicture(details.data) ? details.data : undefined;
}

const sizeOf = (value: Json, name: string): number => Math.max(0, numberOf(value[name]) ?? 0);

/** Part of a larger screenshot, in its pixels. */
export type ElementPicture = NonNullable<ReturnType<typeof crop>>;

/** Returns a rectangle of the full-page screenshot; undefined if it is outside. */
function crop({ fullPageScreenshot: full }: Whole, rect: unknown) {
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

/** Returns the position of an element when the screenshot was taken. */
const rectOf = ({ fullPageScreenshot: full }: Whole, lhId: unknown): unknown =>
  isObject(full) && isObject(full.nodes) && Object.hasOwn(full.nodes, textOf(lhId))
    ? full.nodes[textOf(lhId)]
    : undefined;

/**
 * Returns the part of the full-page screenshot that shows an element; undefined if the element is outside.
 * @param lhId Lighthouse's id of the element
 */
export const toElementPicture = (whole: Whole, lhId: unknown): ElementPicture | undefined =>
  crop(whole, rectOf(whole, lhId));

/** Falls back on the position in the audit if the full-page screenshot lacks the id. */
export const toNodePicture = (whole: Whole, { lhId, boundingRect }: Json): ElementPicture | undefined =>
  crop(whole, rectOf(whole, lhId) ?? boundingRect);
