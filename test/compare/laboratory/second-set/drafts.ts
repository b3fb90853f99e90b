/** Helpers of the second set, in addition to those of the first. */
import { addFile, auditOf, base, type Draft, type Item, requestsOf, score } from '../pure-plants.ts';

export const otherPage = /^The two sides did not load the same page/;
/** Of this page no other one may be claimed, and no cause be found. */
export const blames =
  /did not load|no known cause|explains?|costs?|Possible cause|CPU throttling|machines|simulation of/i;
/** The same, where a page may differ in what is no page of its own: nothing is claimed. */
export const alike =
  /^(Both sides score|Local Lighthouse .* within (normal|the spread)|Local Lighthouse .* is (inside|only))/i;

/** Blocking time as a score and as a value. */
export function blocking(draft: Draft, value: number, ms: number): void {
  auditOf(draft, 'total-blocking-time').numericValue = ms;
  score(draft, { 'total-blocking-time': value });
}

/** How long each script ran, as Lighthouse tells it: after the multiplier. Each is one task. */
export function setScripts(draft: Draft, times: Record<string, number>, multiplier = 1.2): void {
  const all = Object.entries(times).map(([url, ms]) => ({
    url: url.includes('/') ? url : `${base}${url}`,
    total: multiplier * ms,
    scripting: multiplier * ms,
  }));
  auditOf(draft, 'bootup-time').details.items = all;
  const tasks = all.map(({ url, total }, at) => ({ url, duration: total, startTime: 1000 + 400 * at }));
  auditOf(draft, 'long-tasks').details.items = tasks.filter(({ duration }) => duration >= 50);
  const duration = all.reduce((sum, { total }) => sum + total, 0);
  auditOf(draft, 'mainthread-work-breakdown').details.items = [
    { group: 'scriptEvaluation', duration },
    { group: 'other', duration: 90 },
  ];
}

/** What the browser saw, in ms; simulated values are others. */
export function setObserved(draft: Draft, paint: number, largest = paint): void {
  const { items } = auditOf(draft, 'metrics').details;
  Object.assign(items[0] ?? {}, { observedFirstContentfulPaint: paint, observedLargestContentfulPaint: largest });
}

export function setPaints(draft: Draft, paint: number, largest: number): void {
  auditOf(draft, 'first-contentful-paint').numericValue = paint;
  auditOf(draft, 'largest-contentful-paint').numericValue = largest;
}

export const addPicture = (draft: Draft, url: string, bytes: number, fields: Item = {}): void =>
  addFile(draft, url, { resourceType: 'Image', resourceSize: bytes, transferSize: bytes + 150, ...fields });

export const addScript = (draft: Draft, url: string, bytes: number, fields: Item = {}): void =>
  addFile(draft, url, { resourceType: 'Script', resourceSize: bytes, transferSize: bytes + 150, ...fields });

/** A request that the network refused: Lighthouse gives it the status −1. */
export const refused: Item = { statusCode: -1, resourceSize: 0, transferSize: 0 };

export const eachRequest = (draft: Draft, change: (item: Item) => Item): void =>
  requestsOf(draft).forEach(item => {
    Object.assign(item, change(item));
  });

/** One answer that took so long, from 100 ms after the start on. */
export const took = (ms: number): Item => ({ networkRequestTime: 100, networkEndTime: 100 + ms });
