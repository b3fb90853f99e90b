/** Edits of the two Lighthouse results of a plant, and patterns of verdicts. */
import { readFileSync } from 'node:fs';
import { getLogNormalScore } from 'lighthouse/shared/statistics.js';
import type { Analyser } from '../../../src/contract/result/result.ts';
import type { PurePlant } from './compare-plant.ts';
import { call } from './pages/files.ts';
import type { Page } from './pages/pages.ts';
import { show } from './pages/show.ts';

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

/** Another page, claimed or possible, by one of these facts. */
export const pageBy = (named: string): RegExp =>
  new RegExp(`(did not load the same page|different pages?).*(${named})`, 'i');

/** A page differs, and nothing else does. */
export const elsewhere = /no known cause|CPU throttling|machines|simulation of|disturbed|network throttling/i;

export const noPage = /did not load|may have loaded|different page/i;

/** Blocking time of so many tasks of scripts, in ms before the multiplier. */
export const blockingOf = (times: readonly number[], multiplier = 1.2): number =>
  times.reduce((sum, ms) => sum + Math.max(0, multiplier * ms - 50), 0);

export type Item = Record<string, unknown>;

export type Audit = {
  score: number | null;
  numericValue?: number;
  details: { items: Item[]; data?: string; debugData: Item };
};

/** A Lighthouse result that may be changed. */
export type Draft = {
  lighthouseVersion: string;
  finalDisplayedUrl: string;
  mainDocumentUrl: string;
  finalUrl: string;
  fetchTime: string;
  environment: { benchmarkIndex: number; hostUserAgent: string };
  configSettings: { formFactor: string; throttlingMethod?: string; throttling?: Record<string, number> };
  audits: Record<string, Audit>;
  categories: Record<string, { score: number | null; auditRefs: { id: string; weight: number }[] }>;
};

export type Drafts = { psi: Draft; lighthouse: Draft };

export const metricAudits = [
  'first-contentful-paint',
  'largest-contentful-paint',
  'total-blocking-time',
  'cumulative-layout-shift',
  'speed-index',
] as const;

export type Metric = (typeof metricAudits)[number];

export const origin = 'http://www.boats.example';

export const base = `${origin}/same-many/`;

export const auditOf = (draft: Draft, id: string): Audit =>
  draft.audits[id] ?? { score: 1, details: { items: [], debugData: {} } };

export const requestsOf = (draft: Draft): Item[] => auditOf(draft, 'network-requests').details.items;

/** Scores 0 to 1 of metrics; the category follows. */
export function score(draft: Draft, scores: Partial<Record<Metric, number>>): void {
  for (const [id, value] of Object.entries(scores)) auditOf(draft, id).score = value;
  const { performance } = draft.categories;
  if (!performance) return;
  const sum = performance.auditRefs.reduce((all, { id, weight }) => all + weight * (auditOf(draft, id).score ?? 0), 0);
  performance.score = Math.round(sum) / 100;
}

export const lcp = (draft: Draft, value: number) => score(draft, { 'largest-contentful-paint': value });

export const tbt = (draft: Draft, value: number) => score(draft, { 'total-blocking-time': value });

export const withFile = (draft: Draft, name: string, change: Item | null): void => {
  const { details } = auditOf(draft, 'network-requests');
  details.items = details.items.flatMap(item => {
    if (!String(item.url).endsWith(`/${name}`)) return [item];
    return change ? [{ ...item, ...change }] : [];
  });
};

export const addFile = (draft: Draft, url: string, fields: Item): void => {
  requestsOf(draft).push({ url, statusCode: 200, resourceType: 'Script', resourceSize: 900, ...fields });
};

export const addScriptTime = (draft: Draft, url: string, ms: number): void => {
  auditOf(draft, 'bootup-time').details.items.push({ url, scripting: 1.2 * ms, total: 1.2 * ms });
};

export const addError = (draft: Draft, description: string): void => {
  auditOf(draft, 'errors-in-console').details.items.push({ description });
};

export const setDocument = (draft: Draft, change: Item): void => {
  Object.assign(requestsOf(draft)[0] ?? {}, change);
};

export const setElement = (draft: Draft, nodeLabel: string): void => {
  Object.assign(auditOf(draft, 'lcp-breakdown-insight').details.items.at(-1) ?? {}, { nodeLabel });
};

export const setElements = (draft: Draft, totalElements: number): void => {
  auditOf(draft, 'dom-size-insight').details.debugData = { totalElements };
};

/** The document's answer comes so late, and the load event that waits for it does, too. */
export const setResponse = (draft: Draft, ms: number): void => {
  const [metrics] = auditOf(draft, 'metrics').details.items;
  if (metrics) metrics.observedLoad = Number(metrics.observedLoad) + ms;
  auditOf(draft, 'server-response-time').numericValue = ms;
  for (const item of auditOf(draft, 'network-server-latency').details.items) item.serverResponseTime = ms;
};

export const setThrottling = (draft: Draft, change: Record<string, number>, throttlingMethod = 'simulate'): void => {
  const preset = { rttMs: 150, throughputKbps: 1638.4, cpuSlowdownMultiplier: 1.2 };
  draft.configSettings = { ...draft.configSettings, throttlingMethod, throttling: { ...preset, ...change } };
};

export const moveTo = (draft: Draft, url: string): void => {
  Object.assign(draft, { finalDisplayedUrl: url, mainDocumentUrl: url, finalUrl: url });
};

export const flip = (draft: Draft, id: string, category: string, value: number): void => {
  auditOf(draft, id).score = 0;
  const found = draft.categories[category];
  if (found) found.score = value;
};

/** A last picture that looks like nothing else: that of the other half of this file, cut off, is no picture. */
export const otherPicture = (draft: Draft): void => {
  auditOf(draft, 'final-screenshot').details.data = greyPicture;
};

/** Long tasks, of so much script, and the work of the main thread. */
export const block = (draft: Draft, ms: number, scripting: number, group: string): void => {
  const url = `${base}1.js`;
  auditOf(draft, 'total-blocking-time').numericValue = ms;
  auditOf(draft, 'long-tasks').details.items = [{ url, duration: ms + 50, startTime: 2000 }];
  auditOf(draft, 'bootup-time').details.items = [{ url, scripting, total: ms + 50 }];
  auditOf(draft, 'mainthread-work-breakdown').details.items = [{ group, duration: ms + 50 }];
};

export const { greyPicture } = JSON.parse(readFileSync(new URL('pictures.json', import.meta.url), 'utf8')) as {
  greyPicture: string;
};

export const custom: Analyser = { kind: 'custom', host: 'psi.example' };

export const quiet = /did not load|may have loaded|no known cause|explains?|costs?|Possible cause/i;

export const same = /^(Both sides score|Local Lighthouse .* within (normal|the spread))/;

export const nothing = (_drafts: Drafts) => {};

export const phone = { rttMs: 150, throughputKbps: 1638.4, cpuSlowdownMultiplier: 4 };

export const desktop = { rttMs: 40, throughputKbps: 10_240, cpuSlowdownMultiplier: 1 };

export const noPageClaimed = /did not load/;

export const keepOnlyTheDocument = (draft: Parameters<typeof requestsOf>[0]) => {
  auditOf(draft, 'network-requests').details.items = requestsOf(draft).slice(0, 1);
};

export const scriptNames = ['1.js', '2.js', '3.js', '4.js'];

export const onBoth =
  (change: (draft: Draft, at: number) => void): PurePlant['plant'] =>
  ({ psi, lighthouse }) =>
    [psi, lighthouse].forEach(change);

export const [far, near] = ['00000000000000a7', '00000000000000b7'];

/** Scripts of the page that ran so long, in ms before the multiplier, others by URL, and the blocking time of their tasks. */
export function runScripts(
  draft: Draft,
  times: readonly number[],
  others: Record<string, number> = {},
  multiplier = 1.2,
): void {
  const own = Object.fromEntries(times.map((ms, at) => [scriptNames[at], ms]));
  setScripts(draft, { ...own, ...others }, multiplier);
  measure(draft, { tbt: blockingOf([...times, ...Object.values(others)], multiplier) });
}

export const claims = /did not load|no known cause|explains?|costs?|CPU throttling|machines|simulation of/i;

export const setIndices = ({ psi, lighthouse }: { psi: Draft; lighthouse: Draft }, theirs: number, ours: number) => {
  psi.environment.benchmarkIndex = theirs;
  lighthouse.environment.benchmarkIndex = ours;
};

export const twoMachines = { psi: { boot_id: '00000000000000e8' }, lighthouse: { boot_id: '00000000000000f8' } };

export const managerTag = 'https://tags.example/manager.js';

export const usualTimes = [60, 62, 95, 58] as const;

export const googleApi = { kind: 'google', host: 'pagespeedonline.googleapis.com' } as const;

export const socket = {
  url: 'ws://www.boats.example/live',
  statusCode: 101,
  resourceType: 'WebSocket',
  finished: true,
  mimeType: '',
  resourceSize: 0,
  transferSize: 0,
};

export const polls = Array.from({ length: 18 }, (_, index) => call(`api/poll?since=${4100 + 7 * index}`, 2600));

export const packed = (size: unknown) => Math.round(0.42 * Number(size));

export const small = (item: Item): Item =>
  item.resourceType === 'Image'
    ? { ...item, resourceSize: packed(item.resourceSize), transferSize: packed(item.transferSize) }
    : item;

/** The manual leads to its newest version. */
export const version = (draft: Draft, name: string, page: Page) => {
  show(draft, page);
  const hop = { ...requestsOf(draft)[0], statusCode: 302, resourceSize: 0, transferSize: 260 };
  const url = `${origin}/same-many/${name}/`;
  Object.assign(requestsOf(draft)[0] ?? {}, { url });
  requestsOf(draft).unshift(hop);
  moveTo(draft, url);
};

export const usualScripts: Readonly<Record<string, number>> = { '1.js': 24, '2.js': 26, '3.js': 22, '4.js': 25 };

export const nameless = 'Unattributable';

export const embedded: Analyser = { kind: 'embedded', host: '127.0.0.1:8000' };

export type Work = { multiplier?: number; blockingMs?: number; otherMs?: number };

/**
 * The main thread as Lighthouse reports it: milliseconds of each script before the multiplier, every one a single task.
 * A name that is no file of the page is reported as it stands, `Unattributable` with the browser's own overhead.
 */
export function mainThread(draft: Draft, scripts: Readonly<Record<string, number>>, given: Work = {}): void {
  const { multiplier = 1.2, otherMs = 40 } = given;
  const rows = Object.entries({ [nameless]: 2, ...scripts }).map(([name, ms]) => {
    const isFile = scriptNames.includes(name);
    const scripting = multiplier * ms;
    return { url: isFile ? `${base}${name}` : name, scripting, total: scripting + (isFile ? 1 : multiplier * otherMs) };
  });
  // Lighthouse lists no row and no task of less than 50 ms.
  auditOf(draft, 'bootup-time').details.items = rows.filter(({ total }) => total >= 50);
  auditOf(draft, 'long-tasks').details.items = rows
    .filter(({ scripting }) => scripting >= 50)
    .map(({ url, scripting }, at) => ({ url, duration: scripting, startTime: 1500 + 900 * at }));
  auditOf(draft, 'mainthread-work-breakdown').details.items = [
    { group: 'scriptEvaluation', duration: rows.reduce((sum, { scripting }) => sum + scripting, 0) },
    { group: 'other', duration: multiplier * otherMs },
  ];
  const blocking = given.blockingMs ?? blockingOf(Object.values(scripts), multiplier);
  measure(draft, { tbt: blocking });
}

export type Shift = { selector: string; label: string; score: number; cause?: string; extra?: Item };

/** What moved, as `layout-shifts` and `cls-culprits-insight` report it. */
export function shift(draft: Draft, shifts: readonly Shift[]): void {
  const rows = shifts.map(({ selector, label, score, cause, extra }) => ({
    node: { type: 'node', selector, nodeLabel: label, snippet: `<${selector.split(' ').at(-1)}>` },
    score,
    ...(cause && { subItems: { type: 'subitems', items: [{ cause, ...(extra && { extra }) }] } }),
  }));
  const total = shifts.reduce((sum, { score }) => sum + score, 0);
  draft.audits['layout-shifts'] = { score: total > 0.1 ? 0 : 1, details: { items: rows, debugData: {} } };
  const items = [{ type: 'table', items: [{ node: { type: 'text', value: 'Total' }, score: total }, ...rows] }];
  draft.audits['cls-culprits-insight'] = { score: total > 0.1 ? 0 : 1, details: { items, debugData: {} } };
  measure(draft, { cls: total });
}

export const unsized: Shift = {
  selector: 'main > p',
  label: 'Rowing boats, sailing boats and all that belongs to them',
  score: 0.31,
  cause: 'Unsized image element',
  extra: { type: 'node', selector: 'main > img', nodeLabel: 'A boat', snippet: '<img src="hero.png" alt="A boat">' },
};

/** How the page asked for its largest picture: a list of checks, and the node. */
export function discover(draft: Draft, checks: Readonly<Record<string, boolean>>, label = 'A boat at sea'): void {
  const items = {
    priorityHinted: { label: 'fetchpriority=high applied', value: true },
    requestDiscoverable: { label: 'Request is discoverable in initial document', value: true },
    eagerlyLoaded: { label: 'LCP resources should not use loading=lazy', value: true },
    ...Object.fromEntries(Object.entries(checks).map(([name, value]) => [name, { label: name, value }])),
  };
  const node = { type: 'node', selector: 'main > img', nodeLabel: label };
  draft.audits['lcp-discovery-insight'] = {
    score: 0,
    details: { items: [{ type: 'checklist', items }, node] as unknown as Item[], debugData: {} },
  };
}

/** A request that the browser itself refused, before it went out. */
export const blocked = (draft: Draft, name: string, type = 'Script'): void =>
  withFile(draft, name, {
    ...refused,
    resourceType: type,
    protocol: '',
    networkRequestTime: 76,
    networkEndTime: 76.01,
  });

export const noOther = /did not load|no known cause|simulation of|disturbed|run-to-run noise|machines/i;

export const aside = /no known cause|simulation of|disturbed|run-to-run noise|machines/i;

export const chatWidget = 'https://chat.example/widget.js';

export const throttledChat = (draft: Draft, multiplier: number, ms: number) => {
  setThrottling(draft, { cpuSlowdownMultiplier: multiplier });
  mainThread(draft, usualScripts, { multiplier });
  if (ms === 0) return;
  addScript(draft, chatWidget, 90_000);
  addScriptTime(draft, chatWidget, (ms * multiplier) / 1.2);
  auditOf(draft, 'long-tasks').details.items.push({ url: chatWidget, duration: ms * multiplier, startTime: 3000 });
  measure(draft, { tbt: blockingOf([...Object.values(usualScripts), ms], multiplier) });
};

export const changeBoth = (
  { psi, lighthouse }: { psi: Draft; lighthouse: Draft },
  change: (draft: Draft) => void,
): void => [psi, lighthouse].forEach(change);

export const waitFor = (ms: number, performance: number, blocking: number) => ({
  processor_wait: { main_thread_ms: ms, without: { performance, total_blocking_time: blocking } },
});

export const metrics = {
  fcp: { id: 'first-contentful-paint', field: 'firstContentfulPaint', mobile: [1800, 3000], desktop: [934, 1600] },
  lcp: { id: 'largest-contentful-paint', field: 'largestContentfulPaint', mobile: [2500, 4000], desktop: [1200, 2400] },
  tbt: { id: 'total-blocking-time', field: 'totalBlockingTime', mobile: [200, 600], desktop: [150, 350] },
  cls: { id: 'cumulative-layout-shift', field: 'cumulativeLayoutShift', mobile: [0.1, 0.25], desktop: [0.1, 0.25] },
  si: { id: 'speed-index', field: 'speedIndex', mobile: [3387, 5800], desktop: [1311, 2300] },
} as const satisfies Record<string, { id: Metric; field: string; mobile: Curve; desktop: Curve }>;

export type Curve = readonly [p10: number, median: number];

/** Simulated values: times in ms, shifts without a unit. */
export type Values = Partial<Record<keyof typeof metrics, number>>;

export const each = (values: Values) =>
  Object.entries(values).map(([name, value]) => ({ ...metrics[name as keyof Values], value }));

/** Scores that Lighthouse's curves give these values. */
export const scoresOf = (values: Values, device: 'mobile' | 'desktop' = 'mobile'): Partial<Record<Metric, number>> =>
  Object.fromEntries(
    each(values).map(({ id, value, ...curves }) => {
      const [p10, median] = curves[device];
      return [id, Math.round(100 * getLogNormalScore({ median, p10 }, value)) / 100];
    }),
  );

/** Sets simulated values with their scores, and what the browser saw if that differs. */
export function measure(draft: Draft, values: Values, seen?: { paint: number; largest?: number }): void {
  for (const { id, field, value } of each(values)) {
    auditOf(draft, id).numericValue = value;
    Object.assign(auditOf(draft, 'metrics').details.items[0] ?? {}, { [field]: value });
  }
  score(draft, scoresOf(values, draft.configSettings.formFactor === 'desktop' ? 'desktop' : 'mobile'));
  if (seen) setObserved(draft, seen.paint, seen.largest ?? seen.paint);
}
