/** Pictures of the page and of its elements. */
import { detailsOf, isObject, isPicture, type Json, numberOf, textOf, type Whole } from './read.ts';

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

/** An element on the picture of the whole page; undefined where it is not on it. @param lhId as Lighthouse names the element */
export function toElementPicture({ fullPageScreenshot: full }: Whole, lhId: unknown): ElementPicture | undefined {
  if (!isObject(full) || !isObject(full.screenshot) || !isObject(full.nodes)) return undefined;
  const { data } = full.screenshot;
  const [width, height] = [sizeOf(full.screenshot, 'width'), sizeOf(full.screenshot, 'height')];
  const node = Object.hasOwn(full.nodes, textOf(lhId)) ? full.nodes[textOf(lhId)] : undefined;
  if (!isPicture(data) || !isObject(node)) return undefined;
  const [left, top] = [sizeOf(node, 'left'), sizeOf(node, 'top')];
  const elementWidth = Math.min(sizeOf(node, 'width'), width - left);
  const elementHeight = Math.min(sizeOf(node, 'height'), height - top);
  if (elementWidth < 1 || elementHeight < 1) return undefined;
  return { source: data, width, height, left, top, elementWidth, elementHeight };
}
