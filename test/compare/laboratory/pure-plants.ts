/**
 * Differences planted into two real loads of one page without a browser, by editing what each side reports. load.json
 * contains the loads: a page of 13 files, loaded by two services at once.
 */
import { readFileSync } from 'node:fs';
import type { CauseName, Comparison } from '../../../src/contract/analysis/comparison.ts';
import { categoryNames } from '../../../src/contract/names.ts';
import type { Analyser, Result } from '../../../src/contract/result/result.ts';
import type { Runs } from '../../../src/contract/result/runs.ts';
import type { Step } from '../../../src/explain/compare/re-audits/plan-re-audits.ts';
import type { ReAuditOutcome, ReAuditResult } from '../../../src/explain/compare/re-audits/step-points.ts';
import type { Side } from '../../../src/explain/compare/side.ts';
import { toDisturbances } from '../../../src/measure/lhr/disturbances.ts';
import type { Lhr } from '../../../src/measure/lhr/lhr.ts';
import { toResult } from '../../../src/measure/lhr/to-result.ts';
import { compareSides, type OtherSide, planFor } from '../../support/builders/compared.ts';

export type Item = Record<string, unknown>;
type Audit = {
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

export type PurePlant = {
  name: string;
  planted: string;
  plant: (drafts: Drafts) => void;
  analyser?: Analyser;
  /** Of the machine: what a result says beside its Lighthouse result. */
  environment?: { psi?: Partial<Result['environment']>; lighthouse?: Partial<Result['environment']> };
  isOwnAddress?: boolean;
  /** Scores of total blocking time that the re-audits give, the first without a change. */
  again?: readonly number[];
  /** The same for the load with what the remote side got; absent: the worker finds that it is not possible. */
  againAsThere?: Partial<Record<Metric, number>>;
  /** The same under the settings of the local side, where these make another score of it. */
  againAsThereHere?: Partial<Record<Metric, number>>;
  /** Instead of `again`: metric scores of the local load under settings of the remote side, whichever are tried. */
  simulated?: Partial<Record<CauseName, Partial<Record<Metric, number>>>>;
  strategy?: Result['strategy'];
  /** What the other local runs are like. */
  others?: readonly ((draft: Draft) => void)[];
  cached?: { age: number };
  /** Cause that comes first, or any of several; null: nothing is stated. */
  first: CauseName | null | readonly (CauseName | null)[];
  says: RegExp;
  never?: RegExp;
};

const loads = readFileSync(new URL('load.json', import.meta.url), 'utf8');
const metricAudits = [
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

const { greyPicture } = JSON.parse(readFileSync(new URL('pictures.json', import.meta.url), 'utf8')) as {
  greyPicture: string;
};

export const custom: Analyser = { kind: 'custom', host: 'psi.example' };
export const quiet = /did not load|may have loaded|no known cause|explains?|costs?|Possible cause/i;
export const same = /^(Both sides score|Local Lighthouse .* within (normal|the spread))/;
export const nothing = (_drafts: Drafts) => {};

export const purePlants: readonly PurePlant[] = [
  // Another page: single files.
  {
    name: 'image of 50 KB in place of 3 MB',
    planted: 'remote: smaller file, LCP 0.2 here',
    plant: ({ psi, lighthouse }) => {
      withFile(lighthouse, '3.png', { resourceSize: 3_000_000 });
      withFile(psi, '3.png', { resourceSize: 50_000 });
      lcp(lighthouse, 0.2);
    },
    againAsThere: { 'largest-contentful-paint': 0.99 },
    first: 'different_page',
    says: /^The two sides did not load the same page: \/same-many\/3\.png has 50 KB on psi\.example and 3 MB in local Lighthouse\. .* a different page.{0,60} (explains?|accounts? for) (19|the whole)/i,
    never: /no known cause|Simulated/,
  },
  {
    name: 'a smaller image that explains little',
    planted: 'remote: smaller file; 30 points by blocking time here, and the experiment gives 1 point',
    plant: ({ psi, lighthouse }) => {
      withFile(lighthouse, '3.png', { resourceSize: 3_000_000 });
      withFile(psi, '3.png', { resourceSize: 50_000 });
      score(lighthouse, { 'largest-contentful-paint': 0.95, 'total-blocking-time': 0 });
    },
    againAsThere: { 'largest-contentful-paint': 0.99 },
    first: 'different_page',
    says: /^The two sides did not load the same page: \/same-many\/3\.png has 50 KB on psi\.example/i,
    never: /a different page|no known cause/i,
  },
  {
    name: 'a larger image that the score does not show',
    planted: 'local: larger file, and 24 points more; the experiment gives 20 points the other way',
    plant: ({ psi, lighthouse }) => {
      withFile(lighthouse, '3.png', { resourceSize: 3_000_000 });
      withFile(psi, '3.png', { resourceSize: 50_000 });
      lcp(lighthouse, 0.2);
      score(psi, { 'total-blocking-time': 0, 'cumulative-layout-shift': 0.4 });
    },
    againAsThere: { 'largest-contentful-paint': 1 },
    first: 'different_page',
    says: /^The two sides did not load the same page/,
    never: /a different page|no known cause/i,
  },
  ...(
    [
      ['picture', '1.png', 403],
      ['picture', '2.png', 404],
      ['style sheet', '1.css', 404],
      ['script', '2.js', 500],
      ['script', '3.js', 503],
    ] as const
  ).map(
    ([what, name, status]): PurePlant => ({
      name: `${status} for a ${what}`,
      planted: `remote: ${name} fails`,
      plant: ({ psi }) => withFile(psi, name, { statusCode: status, resourceSize: 0 }),
      first: 'different_page',
      says: new RegExp(
        `^The two sides did not load the same page: /same-many/${name} returned a ${status} on psi\\.example`,
      ),
    }),
  ),
  {
    name: 'failed call of a script here',
    planted: 'local: XHR 500, an error in the console',
    plant: ({ psi, lighthouse }) => {
      addFile(psi, `${base}api/stock`, { resourceType: 'Fetch' });
      addFile(lighthouse, `${base}api/stock`, { resourceType: 'Fetch', statusCode: 500 });
      addError(lighthouse, 'Failed to load resource');
    },
    first: 'different_page',
    says: /\/same-many\/api\/stock returned a 500 in local Lighthouse/i,
  },
  ...(['psi', 'lighthouse'] as const).map(
    (side): PurePlant => ({
      name: `third party on the ${side === 'psi' ? 'remote' : 'local'} side only`,
      planted: 'a script of another host, 300 ms',
      plant: drafts => {
        addFile(drafts[side], 'https://ads.example/tag.js?r=1', {});
        addScriptTime(drafts[side], 'https://ads.example/tag.js?r=1', 300);
        tbt(drafts[side], 0.6);
      },
      ...(side === 'lighthouse' ? { againAsThere: { 'total-blocking-time': 1 } } : {}),
      first: 'different_page',
      says: new RegExp(
        `^The two .*ads\\.example/tag\\.js loaded only ${side === 'psi' ? 'on psi\\.example' : 'in local Lighthouse'} .*300 ms`,
      ),
      never: /no known cause/,
    }),
  ),
  ...(['psi', 'lighthouse'] as const).map(
    (side): PurePlant => ({
      name: `700 ms of script on the ${side === 'psi' ? 'remote' : 'local'} side only`,
      planted: 'the same file works longer',
      plant: drafts => {
        addScriptTime(drafts[side], `${base}1.js`, 700);
        block(drafts[side], 650, 840, 'scriptEvaluation');
        addScriptTime(drafts[side], `${base}1.js`, 0);
        tbt(drafts[side], 0.4);
      },
      first: 'different_page',
      says: /^The two sides did not load the same page: \/same-many\/1\.js ran for/i,
      never: /CPU throttling|no known cause/i,
    }),
  ),
  {
    name: 'other style sheet',
    planted: 'remote: 90 KB in place of 9',
    plant: ({ psi }) => withFile(psi, '1.css', { resourceSize: 90_000 }),
    first: 'different_page',
    says: /\/same-many\/1\.css has 90 KB on \S+ and 9 KB/i,
  },
  {
    name: 'modern picture format',
    planted: 'remote: pictures of a third of the size',
    plant: ({ psi }) => {
      for (const name of ['4.png', '5.png', '6.png']) withFile(psi, name, { resourceSize: 25_000 });
    },
    first: 'different_page',
    says: /\/same-many\/6\.png has 25 KB on \S+ and 100 KB .*, and .*, and others/i,
  },
  {
    name: 'video on one side',
    planted: 'local: a file of 2 MB more',
    plant: ({ lighthouse }) =>
      addFile(lighthouse, `${base}film.mp4`, { resourceType: 'Media', resourceSize: 2_000_000 }),
    first: 'different_page',
    says: /\/same-many\/film\.mp4 loaded only in local Lighthouse \(2 MB\)/i,
  },
  {
    name: 'lazy content',
    planted: 'remote: four of six pictures never came',
    plant: ({ psi }) => {
      for (const name of ['3.png', '4.png', '5.png', '6.png']) withFile(psi, name, null);
    },
    first: 'different_page',
    says: /\/same-many\/6\.png, \/same-many\/5\.png and others loaded only in local Lighthouse/i,
  },
  {
    name: 'another content host',
    planted: 'remote: pictures come from a host of another country',
    plant: ({ psi }) => {
      for (const item of requestsOf(psi))
        if (String(item.url).endsWith('.png')) item.url = String(item.url).replace(origin, 'http://us.cdn.example');
    },
    first: 'different_page',
    says: /us\.cdn\.example/,
  },
  {
    name: 'frame of a third party',
    planted: 'remote: a chat window of 60 KB',
    plant: ({ psi }) => addFile(psi, 'https://chat.example/frame', { resourceType: 'Document', resourceSize: 60_000 }),
    first: 'different_page',
    says: /chat\.example\/frame loaded only on psi\.example/i,
  },
  {
    name: 'error in the console',
    planted: 'remote: a script fails, errors-in-console flips',
    plant: ({ psi }) => {
      addError(psi, 'TypeError: shop is not defined');
      flip(psi, 'errors-in-console', 'best-practices', 0.96);
    },
    first: 'different_page',
    says: /the console shows an error only on psi\.example \(TypeError: shop is not defined\)/i,
  },
  {
    name: 'a script that is not packed',
    planted: 'local: 90 KB over the network in place of 30',
    plant: ({ psi, lighthouse }) => {
      withFile(psi, '1.js', { resourceSize: 90_000, transferSize: 30_000 });
      withFile(lighthouse, '1.js', { resourceSize: 90_000, transferSize: 90_200 });
      lcp(lighthouse, 0.6);
    },
    first: 'different_page',
    says: /\/same-many\/1\.js transferred 30 KB on psi\.example and 90 KB in local Lighthouse/i,
  },
  {
    name: 'a script that holds up the page',
    planted: 'local: no `defer`, so 6 bytes less and another priority; FCP and LCP cost 10 points',
    plant: ({ psi, lighthouse }) => {
      for (const item of requestsOf(psi)) item.priority = 'Low';
      for (const item of requestsOf(lighthouse)) item.priority = 'Low';
      withFile(lighthouse, '1.js', { priority: 'High' });
      setDocument(lighthouse, { resourceSize: 1467 });
      score(lighthouse, { 'first-contentful-paint': 0.5, 'largest-contentful-paint': 0.78 });
    },
    first: 'different_page',
    says: /^The two sides did not load the same page: \/same-many\/1\.js was requested with low priority on psi/i,
    never: /simulation \(|no known cause/i,
  },
  {
    name: 'a late banner',
    planted: 'remote: 180 bytes more, layout shifts cost 20 points',
    plant: ({ psi }) => {
      setDocument(psi, { resourceSize: 1653 });
      score(psi, { 'cumulative-layout-shift': 0.2 });
    },
    first: 'different_page',
    says: /Possible causes?: a different page\. The two sides may have loaded different pages: the document has 1653 bytes/i,
    never: /no known cause/,
  },
  // Another page: the document.
  {
    name: 'consent layer',
    planted: 'remote: 600 bytes and 9 elements more, another picture',
    plant: ({ psi }) => {
      setDocument(psi, { resourceSize: 2073 });
      setElements(psi, 40);
      otherPicture(psi);
    },
    first: 'different_page',
    says: /^The two sides did not load the same page: the final screenshots/i,
  },
  {
    name: 'consent layer of a third party',
    planted: 'remote: its script, another largest element, another picture',
    plant: ({ psi }) => {
      addFile(psi, 'https://consent.example/cmp.js', { resourceSize: 90_000 });
      setElement(psi, 'We value your privacy');
      otherPicture(psi);
    },
    first: 'different_page',
    says: /consent\.example\/cmp\.js loaded only on psi\.example/i,
  },
  {
    name: 'another language',
    planted: 'remote: other words, another picture, the same size',
    plant: ({ psi }) => {
      setElement(psi, 'Ruderboote und Segelboote');
      otherPicture(psi);
    },
    first: 'different_page',
    says: /“Ruderboote und Segelboote” on psi\.example/,
  },
  {
    name: 'robot check',
    planted: 'remote: a document of 300 bytes, and nothing else',
    plant: ({ psi }) => {
      auditOf(psi, 'network-requests').details.items = requestsOf(psi).slice(0, 1);
      setDocument(psi, { resourceSize: 300 });
      setElement(psi, 'Are you a robot?');
    },
    first: 'different_page',
    says: /loaded only in local Lighthouse/i,
  },
  {
    name: 'login',
    planted: 'remote: ends at another address',
    plant: ({ psi }) => moveTo(psi, `${origin}/login`),
    first: 'different_page',
    says: /final URL was http:\/\/www\.boats\.example\/login/i,
  },
  {
    name: 'page for phones',
    planted: 'local: ends at another host',
    plant: ({ lighthouse }) => moveTo(lighthouse, 'http://m.boats.example/'),
    first: 'different_page',
    says: /http:\/\/m\.boats\.example\S* in local Lighthouse/i,
  },
  {
    name: 'error page',
    planted: 'remote: the document comes with 451',
    plant: ({ psi }) => setDocument(psi, { statusCode: 451 }),
    first: 'different_page',
    says: /status 451 on psi\.example and 200 in local Lighthouse/,
  },
  {
    name: 'paywall',
    planted: 'remote: a third of the document',
    plant: ({ psi, lighthouse }) => {
      setDocument(lighthouse, { resourceSize: 90_000 });
      setDocument(psi, { resourceSize: 30_000 });
    },
    first: 'different_page',
    says: /the document has 30 KB on psi\.example and 90 KB in local Lighthouse/i,
  },
  {
    name: 'time of day',
    planted: 'remote, an hour old: another story and a picture of another size',
    plant: ({ psi }) => {
      setElement(psi, 'Boats of the morning');
      withFile(psi, '1.png', { resourceSize: 400_000 });
    },
    cached: { age: 3600 },
    first: 'different_page',
    says: /\/same-many\/1\.png has 400 KB .*\. The result on psi\.example is 1 hour old/,
  },
  {
    name: 'another picture only',
    planted: 'remote: the last picture differs, nothing else',
    plant: ({ psi }) => otherPicture(psi),
    first: 'different_page',
    says: /the two sides may have loaded different pages: the final screenshots/i,
  },
  // Settings.
  {
    name: 'network',
    planted: 'remote: 40 ms and 10 Mbit/s; the re-audit gives 12 points',
    plant: ({ psi, lighthouse }) => {
      setThrottling(psi, { rttMs: 40, throughputKbps: 10_240 });
      setThrottling(lighthouse, {});
      tbt(lighthouse, 0.6);
    },
    again: [0.6, 1],
    first: 'throttling',
    says: /network throttling.{0,60} (explains?|accounts? for) (12|the whole)/i,
  },
  {
    name: 'processor',
    planted: 'local: 4 in place of 1.2 times; the re-audit gives 21 points',
    plant: ({ lighthouse }) => {
      setThrottling(lighthouse, { cpuSlowdownMultiplier: 4 });
      tbt(lighthouse, 0.3);
    },
    again: [0.3, 1],
    first: 'cpu',
    says: /CPU throttling.{0,60} (explains?|accounts? for) (21|the whole)/i,
  },
  {
    name: 'network and processor',
    planted: 'both settings; 9 and 12 points',
    plant: ({ psi, lighthouse }) => {
      setThrottling(psi, { rttMs: 40 });
      setThrottling(lighthouse, { cpuSlowdownMultiplier: 4 });
      tbt(lighthouse, 0.3);
    },
    again: [0.3, 0.6, 1],
    first: 'cpu',
    says: /CPU throttling.{0,60} (explains?|accounts? for) 12 of the 21 points, and network throttling explains 9/i,
  },
  {
    name: 'settings that cannot be simulated',
    planted: 'remote: throttled while it ran',
    plant: ({ psi, lighthouse }) => {
      setThrottling(psi, { rttMs: 40 }, 'devtools');
      setThrottling(lighthouse, {});
      tbt(lighthouse, 0.5);
    },
    first: 'throttling',
    says: /Possible causes?: network throttling.*effect of the settings could not be computed/i,
    never: /no known cause/,
  },
  {
    name: 'device',
    planted: 'remote: a desktop computer, 15 points',
    plant: ({ psi, lighthouse }) => {
      psi.configSettings.formFactor = 'desktop';
      tbt(lighthouse, 0.5);
    },
    first: 'form_factor',
    says: /Possible causes?: the simulated device/,
    never: /no known cause/,
  },
  {
    name: 'version of Lighthouse',
    planted: 'remote: 12.8, 15 points',
    plant: ({ psi, lighthouse }) => {
      psi.lighthouseVersion = '12.8.2';
      tbt(lighthouse, 0.5);
    },
    first: 'lighthouse_version',
    says: /Possible causes?: different versions of Lighthouse/i,
    never: /no known cause/,
  },
  // Servers.
  {
    name: 'late server',
    planted: 'local: +900 ms on every answer; 8 points',
    plant: ({ lighthouse }) => {
      setResponse(lighthouse, 950);
      Object.assign(auditOf(lighthouse, 'metrics').details.items[0] ?? {}, {
        observedFirstContentfulPaint: 1400,
        observedLargestContentfulPaint: 1400,
      });
      lcp(lighthouse, 0.66);
    },
    again: [1, 1],
    first: 'server',
    says: /950 ms in local Lighthouse/i,
    never: /CPU throttling/i,
  },
  {
    name: 'late document that costs nothing',
    planted: 'remote: +900 ms on the document',
    plant: ({ psi }) => setResponse(psi, 940),
    again: [1, 1],
    first: 'server',
    says: /^The server took 940 ms to respond on/i,
    never: /CPU throttling/i,
  },
  {
    name: 'one late answer',
    planted: 'local: a style sheet takes 1500 ms, 9 points',
    plant: ({ psi, lighthouse }) => {
      withFile(psi, '2.css', { networkRequestTime: 100, networkEndTime: 130 });
      withFile(lighthouse, '2.css', { networkRequestTime: 100, networkEndTime: 1600 });
      Object.assign(auditOf(lighthouse, 'metrics').details.items[0] ?? {}, {
        observedFirstContentfulPaint: 1800,
        observedLargestContentfulPaint: 1800,
      });
      lcp(lighthouse, 0.6);
    },
    first: 'server',
    says: /Possible causes?: server response times\. The server took 30 ms for .*2\.css.* and 1500 ms/i,
    never: /no known cause|CPU throttling/i,
  },
  {
    name: 'server that is a little slower',
    planted: '174 against 64 ms',
    plant: ({ psi, lighthouse }) => {
      setResponse(psi, 174);
      setResponse(lighthouse, 64);
    },
    first: null,
    says: same,
    never: quiet,
  },
  // Machines.
  {
    name: 'a machine of a fifth of the speed',
    planted: 'remote: benchmark 500 against 2500; 15 points',
    plant: ({ psi, lighthouse }) => {
      psi.environment.benchmarkIndex = 500;
      lighthouse.environment.benchmarkIndex = 2500;
      tbt(psi, 0.5);
    },
    analyser: custom,
    again: [1, 0.5],
    first: 'machine',
    says: /Possible causes?: the speed of the machines/i,
    never: /explains?|costs?|no known cause/i,
  },
  ...(
    [
      ['a machine of 2.5 times the index', custom, false, null],
      ['this machine under its own address', { kind: 'custom', host: '192.0.2.1:8000' }, true, null],
      ['this machine, which says so', custom, false, '0123456789abcdef'],
      ['this machine, embedded', { kind: 'embedded', host: '127.0.0.1:8000' }, false, null],
    ] as const
  ).map(
    ([name, analyser, isOwnAddress, boot_id]): PurePlant => ({
      name,
      planted: `nothing: benchmark ${name.startsWith('a ') ? '2.5' : '5'} times`,
      plant: ({ psi, lighthouse }) => {
        psi.environment.benchmarkIndex = name.startsWith('a ') ? 1000 : 500;
        lighthouse.environment.benchmarkIndex = 2500;
      },
      analyser,
      isOwnAddress,
      environment: { psi: { boot_id }, lighthouse: { boot_id } },
      first: null,
      says: same,
      never: quiet,
    }),
  ),
  {
    name: 'a processor under a limit',
    planted: 'remote: the same machine with a quarter of a processor; benchmark 1000 against 2500; 15 points',
    plant: ({ psi, lighthouse }) => {
      psi.environment.benchmarkIndex = 1000;
      lighthouse.environment.benchmarkIndex = 2500;
      tbt(psi, 0.5);
    },
    environment: {
      psi: { boot_id: '0123456789abcdef', processors: 0.25 },
      lighthouse: { boot_id: '0123456789abcdef', processors: 2 },
    },
    again: [1, 0.5],
    first: 'machine',
    says: /Possible causes?: the speed of the machines/i,
    never: /no known cause|both sides ran on this machine/i,
  },
  {
    name: 'disturbed local run',
    planted: 'local: 400 ms of blocking time that is no work of the page',
    plant: ({ lighthouse }) => {
      block(lighthouse, 400, 4, 'other');
      tbt(lighthouse, 0.6);
    },
    environment: { lighthouse: { concurrent_audits: 1 } },
    first: 'disturbed_run',
    says: /a disturbed run/i,
    never: /CPU throttling|no known cause/i,
  },
  {
    name: 'disturbed local run under other settings',
    planted: 'the same, and 4 in place of 1.2 times',
    plant: ({ lighthouse }) => {
      setThrottling(lighthouse, { cpuSlowdownMultiplier: 4 });
      block(lighthouse, 400, 4, 'other');
      tbt(lighthouse, 0.6);
    },
    environment: { lighthouse: { concurrent_audits: 1 } },
    again: [0.6, 1],
    first: 'disturbed_run',
    says: /Possible causes?: a disturbed run/i,
    never: /explains?|costs?|CPU throttling/i,
  },
  {
    name: 'slow moment of this machine',
    planted: 'local: benchmark a third of what is usual; 12 points',
    plant: ({ lighthouse }) => {
      lighthouse.environment.benchmarkIndex = 700;
      tbt(lighthouse, 0.6);
    },
    environment: { lighthouse: { benchmark_median: 2100, concurrent_audits: 0 } },
    first: 'disturbed_run',
    says: /Possible causes?: a disturbed run/i,
    never: /no known cause/,
  },
  {
    name: 'simulation',
    planted: 'the same loads; simulated FCP and LCP score 0.3 here',
    plant: ({ lighthouse }) => score(lighthouse, { 'first-contentful-paint': 0.3, 'largest-contentful-paint': 0.5 }),
    first: 'simulation',
    says: /the simulation of a slow network, not the loads themselves/i,
    never: /no known cause/,
  },
  // Age, and other categories.
  {
    name: 'answer of three days ago',
    planted: 'remote: from the cache; layout shifts cost 15 points',
    plant: ({ psi }) => score(psi, { 'cumulative-layout-shift': 0.4 }),
    cached: { age: 3 * 86_400 },
    first: 'cached_answer',
    says: /Possible causes?: the age of the PSI result.*\. The result on psi\.example is 3 days old/,
    never: /no known cause/,
  },
  {
    name: 'alternative text',
    planted: 'remote: image-alt fails',
    plant: ({ psi }) => flip(psi, 'image-alt', 'accessibility', 0.9),
    first: 'audits',
    says: /accessibility is \d+ points higher.*\(image-alt failed on psi\.example\)/i,
  },
  {
    name: 'not to be indexed',
    planted: 'local: is-crawlable fails',
    plant: ({ lighthouse }) => flip(lighthouse, 'is-crawlable', 'seo', 0.66),
    first: 'audits',
    says: /SEO is \d+ points lower.*\(is-crawlable failed in local Lighthouse\)/i,
  },
  {
    name: 'an audit that one side did not count',
    planted: 'remote: image-alt does not apply',
    plant: ({ psi }) => {
      const { accessibility } = psi.categories;
      if (accessibility) accessibility.auditRefs = accessibility.auditRefs.filter(({ id }) => id !== 'image-alt');
    },
    first: 'one_sided_audits',
    says: same,
    never: /did not load|no known cause/,
  },
  // Several local runs.
  {
    name: 'inside the local runs',
    planted: 'local runs of 70 to 93 points, remote 92',
    plant: ({ psi, lighthouse }) => {
      tbt(psi, 0.75);
      tbt(lighthouse, 0.2);
    },
    others: [draft => tbt(draft, 0), draft => tbt(draft, 0.8)],
    first: 'run_noise',
    says: /is inside the range of the 3 local runs/i,
    never: /Possible cause|explains?|costs?|accounts? for|no known cause|did not load/i,
  },
  {
    name: 'processor over three runs',
    planted: 'settings of 4 and 1.2 times; 18 to 24 points',
    plant: ({ lighthouse }) => {
      setThrottling(lighthouse, { cpuSlowdownMultiplier: 4 });
      tbt(lighthouse, 0.3);
    },
    others: [draft => tbt(draft, 0.2), draft => tbt(draft, 0.4)],
    again: [0.3, 1],
    first: 'cpu',
    says: /CPU throttling.{0,60} explains .*\(18 to 24 over 3 runs\)/i,
  },
  {
    name: 'another picture on every load',
    planted: 'nothing: local runs have other pictures among themselves, too',
    plant: ({ psi, lighthouse }) => {
      addFile(psi, `${base}heroes/one.png`, { resourceType: 'Image', resourceSize: 90_000 });
      addFile(lighthouse, `${base}heroes/two.png`, { resourceType: 'Image', resourceSize: 90_000 });
    },
    others: [
      draft => addFile(draft, `${base}heroes/three.png`, { resourceType: 'Image', resourceSize: 90_000 }),
      draft => addFile(draft, `${base}heroes/four.png`, { resourceType: 'Image', resourceSize: 90_000 }),
    ],
    first: null,
    says: /inside|within (normal|the spread)|Both sides/,
    never: quiet,
  },
  // Nothing.
  { name: 'nothing', planted: 'two loads as they are', plant: nothing, first: null, says: same, never: quiet },
  {
    name: 'a few points',
    planted: 'nothing: blocking time that differs by 4 points',
    plant: ({ lighthouse }) => tbt(lighthouse, 0.87),
    first: 'run_noise',
    says: same,
    never: quiet,
  },
  {
    name: 'costs that cancel out',
    planted: 'nothing: a re-audit gives 24 points, the scores are the same',
    plant: ({ psi, lighthouse }) => {
      setThrottling(lighthouse, { cpuSlowdownMultiplier: 4 });
      tbt(lighthouse, 0.2);
      tbt(psi, 0.2);
    },
    again: [0.2, 1],
    first: 'cpu',
    says: same,
    never: quiet,
  },
  {
    name: 'beacons and sessions',
    planted: 'nothing: pings, queries and numbers in paths',
    plant: ({ psi, lighthouse }) => {
      addFile(psi, 'https://count.example/ping?1', { resourceType: 'Ping' });
      addFile(lighthouse, `${base}app.0123abcd.js?t=1`, {});
      addFile(psi, `${base}app.89efab01.js?t=2`, {});
    },
    first: null,
    says: same,
    never: quiet,
  },
  {
    name: 'a side that says little',
    planted: 'remote: only scores; 20 points by layout shifts',
    plant: ({ psi }) => {
      psi.audits = Object.fromEntries(
        Object.entries(psi.audits).map(([id, audit]) => [id, { ...audit, details: { items: [], debugData: {} } }]),
      );
      delete (psi.audits['network-requests'] as Partial<Audit>).details;
      delete (psi.audits['errors-in-console'] as Partial<Audit>).details;
      score(psi, { 'cumulative-layout-shift': 0.2 });
    },
    first: 'unexplained',
    says: /no known cause for the difference/,
    never: /did not load|CPU throttling/i,
  },
];

const toSide = (
  draft: Draft,
  source: Result['source'],
  analyser: Analyser,
  environment: Partial<Result['environment']> = {},
  strategy: Result['strategy'] = 'mobile',
): Side => {
  const lhr = draft as unknown as Lhr;
  const facts = { source, analyser, url: base, strategy, categories: categoryNames, field: null } as const;
  const result = toResult(lhr, { ...facts, conditions: null, requestedAt: draft.fetchTime });
  const conditions = { ...result.environment, ...environment };
  const { sentences, ...marks } = toDisturbances(lhr, conditions);
  const { disturbance: _, ...undisturbed } = result;
  return { lhr, result: { ...undisturbed, ...marks, warnings: [...sentences], environment: conditions } };
};

const withScores = (draft: Draft, scores: Partial<Record<Metric, number>>): ReAuditResult =>
  Object.fromEntries(metricAudits.map(id => [id, { score: scores[id] ?? auditOf(draft, id).score }]));
const withBlocking = (draft: Draft, blocking: number) => withScores(draft, { 'total-blocking-time': blocking });

const spreadOf = (values: readonly number[]) => {
  const sorted = values.toSorted((a, b) => a - b);
  const [min = 0, max = 0] = [sorted[0], sorted.at(-1)];
  return { min, median: sorted[sorted.length >> 1] ?? 0, max, spread: max - min };
};

const withRuns = ({ lhr, result }: Side, others: readonly Side[]): Side => {
  const scores = [result, ...others.map(other => other.result)].map(run => run.scores.performance ?? 0);
  const runs: Runs = {
    requested: scores.length,
    completed: scores.length,
    selected: 1,
    selected_by: 'median_run',
    scores: { performance: spreadOf(scores) },
    metrics: {},
  };
  return { lhr, result: { ...result, runs } };
};

type AsThere = { [name in 'againAsThere' | 'againAsThereHere']: PurePlant[name] | undefined };

/** What the load scores with the remote page under so many of the settings. */
const toAsThere = (steps: readonly Step[], behind: number, { againAsThere, againAsThereHere }: AsThere) =>
  behind < steps.filter(({ cause }) => cause !== 'page').length ? (againAsThereHere ?? againAsThere) : againAsThere;

/** What each step gives, on top of those before it: a setting without scores changes nothing. */
function simulateEach(
  draft: Draft,
  steps: readonly Step[],
  simulated: NonNullable<PurePlant['simulated']>,
  page: AsThere,
): ReAuditResult[] {
  const after = (count: number) =>
    Object.assign({}, ...steps.slice(0, count).map(({ cause }) => simulated[cause as CauseName] ?? {}));
  return Array.from({ length: steps.length + 1 }, (_, count) => {
    const step = steps[count - 1];
    if (step?.cause !== 'page') return withScores(draft, after(count));
    const asThere = toAsThere(steps, step.behind, page);
    return asThere ? withScores(draft, { ...after(step.behind), ...asThere }) : {};
  });
}

/** The comparison of two loads with what was planted. */
export function comparePlant({
  plant,
  again = [],
  againAsThere,
  againAsThereHere,
  simulated,
  strategy,
  others = [],
  environment = {},
  ...plantOf
}: PurePlant): Comparison {
  const drafts = JSON.parse(loads) as Drafts;
  const untouched = structuredClone(drafts.lighthouse);
  plant(drafts);
  const { psi: remote, lighthouse: own } = drafts;
  const psi = toSide(remote, 'psi', plantOf.analyser ?? custom, environment.psi, strategy);
  if (plantOf.cached)
    psi.result.cache = { status: 'hit', age: plantOf.cached.age, expires_at: '2030-01-01T00:00:00.000Z' };
  const runs = others.map(change => {
    const draft = structuredClone(untouched);
    draft.configSettings = structuredClone(own.configSettings);
    change(draft);
    return draft;
  });
  const shown = toSide(own, 'lighthouse', { kind: 'local' }, environment.lighthouse, strategy);
  const sides = runs.map(draft => toSide(draft, 'lighthouse', { kind: 'local' }, {}, strategy));
  const lighthouse = sides.length > 0 ? withRuns(shown, sides) : shown;
  const steps = planFor(psi, lighthouse, plantOf.isOwnAddress);
  const outcomeOf = (draft: Draft): ReAuditOutcome => {
    if (steps.length === 0) return { results: [] };
    const settings = steps.filter(({ cause }) => cause !== 'page');
    const page = { againAsThere, againAsThereHere };
    if (simulated) return { results: simulateEach(draft, steps, simulated, page) };
    if (settings.length > 0 && again.length !== settings.length + 1)
      return { reason: 'its throttling cannot be simulated' };
    const first = auditOf(draft, 'total-blocking-time').score ?? 0;
    const blocking = [first, ...again.slice(1)];
    const results = blocking.map(value => withBlocking(draft, value));
    const pages = steps.flatMap(step => {
      if (step.cause !== 'page') return [];
      const asThere = toAsThere(steps, step.behind, page);
      return asThere ? withScores(draft, { 'total-blocking-time': blocking[step.behind] ?? first, ...asThere }) : [{}];
    });
    return { results: [...results, ...pages] };
  };
  return compareSides(psi, lighthouse, {
    outcome: outcomeOf(own),
    askedAtMs: Date.parse(remote.fetchTime) + 1000 * (plantOf.cached?.age ?? 0),
    isOwnAddress: plantOf.isOwnAddress,
    others: sides.map((side, at): OtherSide => ({ ...side, outcome: outcomeOf(runs[at] ?? own) })),
  });
}

/** A statement: a cause that is more than noise, or more than two points that nothing explains. */
export const isStatement = ({ cause, points, certainty }: Comparison['causes'][number]): boolean =>
  cause !== 'run_noise' &&
  (cause === 'different_page' ? certainty !== 'possible' : points === null || Math.abs(points) > 2);

/** A verdict whose scores are followed by their difference, as the patterns have it: `, 26 points lower.` */
export const withGap = (verdict: string): string =>
  verdict.replace(/(Local Lighthouse scores (\d+), .*? (\d+))\. ?/, (_, scores, own, other) => {
    const gap = Number(own) - Number(other);
    return `${scores}, ${Math.abs(gap)} point${Math.abs(gap) === 1 ? '' : 's'} ${gap > 0 ? 'higher' : 'lower'}. `;
  });

/** Whether the first cause and the sentence are about what was planted, and nothing else is blamed. */
export function isRight({ first, says, never }: PurePlant, { causes, explanation: verdict }: Comparison): boolean {
  const isFirst = [first].flat().some(cause => (cause ? causes[0]?.cause === cause : !causes.some(isStatement)));
  const told = withGap(verdict);
  return isFirst && says.test(told) && !never?.test(told);
}
