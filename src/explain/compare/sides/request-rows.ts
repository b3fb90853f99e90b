/** Rows of `network-requests`, as Lighthouse lists them. */
import type { Json } from '../../../contract/result/details.ts';
import { toNumber } from './values.ts';

/** Beacons, reports and what the browser asks for by itself say nothing of the page. */
const telling: ReadonlySet<unknown> = new Set([
  ...['Document', 'Stylesheet', 'Script', 'Image', 'Font', 'Media', 'XHR', 'Fetch'],
]);

export const isTelling = ({ resourceType }: Json): boolean => telling.has(resourceType);

/** Not modified is what the cache has. */
export const isRedirect = (status: number | null): boolean =>
  status !== null && status >= 300 && status < 400 && status !== 304;

export const toDuration = ({ networkRequestTime: from, networkEndTime: to }: Json): number | null => {
  const [begin, end] = [toNumber(from), toNumber(to)];
  return begin === null || end === null || end < begin ? null : end - begin;
};
