/** Finds screenshots of pages for the index of a folder: in the whole result, or from the service. */

import { isObject } from '../contract/result/details.ts';
import { toFinalScreenshot } from '../presentation/full-result/pictures.ts';
import { isPicture } from '../presentation/full-result/read.ts';
import type { Asking } from './ask-json.ts';
import { type FinishedMeasurement, wholeOf } from './measurements.ts';

/** Sides in order of preference: the one on this machine first. */
const sources = ['lighthouse', 'psi'] as const;

const ofWhole = (measured: FinishedMeasurement): string | undefined =>
  sources.flatMap(source => {
    const whole = wholeOf(measured, source);
    return (whole && toFinalScreenshot(whole)) ?? [];
  })[0];

/** Returns the path of a stored screenshot: of the result, or of a side of a comparison. */
function keptPathOf({ body }: FinishedMeasurement): string | undefined {
  const sides = isObject(body) ? sources.map(source => body[source]) : [];
  const links = sides.flatMap(side => (isObject(side) && isObject(side.links) ? [side.links.screenshot] : []));
  return links.find(link => typeof link === 'string')?.replace(/^\//, '');
}

async function fetchPicture(path: string, { baseUrl, apiKey, signal }: Asking): Promise<string | undefined> {
  const headers = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  try {
    const response = await fetch(new URL(path, baseUrl), { headers, signal });
    if (!response.ok) return undefined;
    const type = response.headers.get('content-type')?.split(';', 1)[0] ?? '';
    const source = `data:${type};base64,${Buffer.from(await response.arrayBuffer()).toString('base64')}`;
    return isPicture(source) ? source : undefined;
  } catch {
    // Errors are ignored, because an index without a screenshot is better than no index.
    return undefined;
  }
}

export type Pictures = ReadonlyMap<FinishedMeasurement, string>;

/** Loads screenshots one after the other, because they are small. */
export async function findPictures(all: readonly FinishedMeasurement[], asking: Asking): Promise<Pictures> {
  const found = new Map<FinishedMeasurement, string>();
  for (const measured of all) {
    const path = keptPathOf(measured);
    const picture = ofWhole(measured) ?? (path === undefined ? undefined : await fetchPicture(path, asking));
    if (picture !== undefined) found.set(measured, picture);
  }
  return found;
}
