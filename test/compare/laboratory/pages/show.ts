/** Edits of a Lighthouse result that keep its tables consistent. */
import {
  addError,
  auditOf,
  base,
  type Draft,
  type Item,
  measure,
  requestsOf,
  setElement,
  setElements,
  setObserved,
  setResponse,
} from '../drafts.ts';
import type { Page } from './pages.ts';

/** Tasks one after the other from the first paint on; an early task comes before it and blocks nothing. */
function inTurn(all: readonly { url: string; total: number }[], paint: number, early: string | undefined): Item[] {
  let next = paint + 150;
  return all.map(({ url, total }) => {
    const startTime = url === early ? paint - total - 40 : next;
    if (url !== early) next += total + 80;
    return { url, duration: Math.round(total), startTime: Math.round(startTime) };
  });
}

/**
 * Makes each script one task, scaled by the side's CPU multiplier.
 * @returns the blocking time
 */
function work(draft: Draft, { scripts, layout, painting, early }: Page, wobble: number, paint: number): number {
  const multiplier = draft.configSettings.throttling?.cpuSlowdownMultiplier ?? 1.2;
  const all = Object.entries(scripts).map(([url, ms]) => {
    const total = Math.round(10 * ms * multiplier * wobble) / 10;
    return { url, total, scripting: 0.97 * total, scriptParseCompile: 0.02 * total };
  });
  const idle = 60 * multiplier;
  auditOf(draft, 'bootup-time').details.items = [
    ...all,
    { url: 'Unattributable', total: idle, scripting: 3, scriptParseCompile: 0 },
  ];
  const { details } = auditOf(draft, 'long-tasks');
  details.items = inTurn(all, paint, early).filter(({ duration }) => Number(duration) >= 50);
  details.debugData = {};
  auditOf(draft, 'mainthread-work-breakdown').details.items = [
    { group: 'scriptEvaluation', duration: all.reduce((sum, { scripting }) => sum + scripting, 0) },
    { group: 'styleLayout', duration: layout * multiplier * wobble },
    { group: 'paintCompositeRender', duration: painting * multiplier * wobble },
    { group: 'other', duration: idle * wobble },
  ];
  return Math.round(all.reduce((sum, { url, total }) => sum + (url === early ? 0 : Math.max(0, total - 50)), 0));
}

/** When each file came: one after the other behind the document, by the speed of a good line. */
function timed(page: Page, wobble: number): Item[] {
  const [resourceSize, transferSize] = page.document;
  const after = page.response + 30;
  const document = {
    url: base,
    finished: true,
    statusCode: 200,
    mimeType: 'text/html',
    resourceType: 'Document',
    protocol: 'http/1.1',
    priority: 'VeryHigh',
    resourceSize,
    transferSize,
    networkRequestTime: 4,
    networkEndTime: after,
  };
  return [
    document,
    ...page.files.map((file, at) => {
      const start = after + 9 * at;
      const networkEndTime = start + Math.round(wobble * (22 + Number(file.transferSize) / 5000));
      return { networkRequestTime: start, networkEndTime, ...file };
    }),
  ];
}

/** Sets round-trip and response times of all hosts. */
function setHosts(draft: Draft, page: Page): void {
  const others = new Set(requestsOf(draft).map(({ url }) => new URL(String(url)).origin));
  for (const own of ['http://www.boats.example', 'ws://www.boats.example']) others.delete(own);
  setResponse(draft, page.response);
  for (const host of others) {
    auditOf(draft, 'network-rtt').details.items.push({ origin: host, rtt: 11 });
    auditOf(draft, 'network-server-latency').details.items.push({ origin: host, serverResponseTime: 24 });
  }
}

/** When the page is quiet, and what the largest paint waited for. */
function setEnds(draft: Draft, fcp: number, response: number, largest: number): void {
  const ends = auditOf(draft, 'long-tasks').details.items.map(task => Number(task.startTime) + Number(task.duration));
  const interactive = Math.max(fcp, ...ends);
  auditOf(draft, 'interactive').numericValue = interactive;
  Object.assign(auditOf(draft, 'metrics').details.items[0] ?? {}, { interactive });
  const parts = [
    { subpart: 'timeToFirstByte', label: 'Time to first byte', duration: response },
    { subpart: 'elementRenderDelay', label: 'Element render delay', duration: largest - response },
  ];
  Object.assign(auditOf(draft, 'lcp-breakdown-insight').details.items[0] ?? {}, { items: parts });
}

/** Sets a load of this page. With a wobble of 1.05 everything takes 5 % longer. */
export function show(draft: Draft, page: Page, wobble = 1): void {
  auditOf(draft, 'network-requests').details.items = timed(page, wobble);
  setHosts(draft, page);
  const sizes = requestsOf(draft).map(({ url, transferSize }) => ({ url, totalBytes: Number(transferSize) }));
  const weight = auditOf(draft, 'total-byte-weight');
  weight.numericValue = sizes.reduce((sum, { totalBytes }) => sum + totalBytes, 0);
  weight.details.items = sizes.toSorted((a, b) => b.totalBytes - a.totalBytes).slice(0, 10);
  setElements(draft, page.elements);
  setElement(draft, page.element);
  const [paint, largest] = page.seen.map(ms => Math.round(ms * wobble));
  setObserved(draft, paint ?? 0, largest);
  const [fcp = 0, lcp = 0, si = 0] = page.paints.map(ms => Math.round(ms * wobble));
  const tbt = work(draft, page, wobble, fcp);
  setEnds(draft, fcp, page.response, largest ?? 0);
  measure(draft, { fcp, lcp, si, tbt, cls: page.shift });
}

/** Makes audits fail and recomputes the categories that count them. */
export function fail(draft: Draft, ids: readonly string[]): void {
  for (const id of ids) auditOf(draft, id).score = 0;
  for (const name of ['accessibility', 'best-practices', 'seo']) {
    const category = draft.categories[name];
    if (!category) continue;
    const weights = category.auditRefs.reduce((sum, { weight }) => sum + weight, 0);
    const sum = category.auditRefs.reduce((all, { id, weight }) => all + weight * (auditOf(draft, id).score ?? 0), 0);
    category.score = Math.round((100 * sum) / weights) / 100;
  }
}

/** Adds a console error, which counts in Best Practices. */
export function logError(draft: Draft, description: string): void {
  addError(draft, description);
  fail(draft, ['errors-in-console']);
}
