/** The `collect` and `assert` parts of a lighthouserc, and budget.json, in the words of `rangelight ci`. */

import { toHint } from '../../contract/nearest-name.ts';
import { isObject } from '../../contract/result/details.ts';
import { UsageError } from '../input/usage-error.ts';

type Where = { readonly path: string; lineOf(pointer: string): string };
type Json = Record<string, unknown>;

const metricAudits: ReadonlySet<string> = new Set([
  ...['first-contentful-paint', 'largest-contentful-paint', 'total-blocking-time', 'cumulative-layout-shift'],
  ...['speed-index', 'interactive', 'server-response-time'],
]);

/** Audits that Lighthouse 13 gave up, and the insight that has taken their place; undefined: nothing has. */
const removedAudits: Readonly<Record<string, string | undefined>> = {
  'critical-request-chains': 'network-dependency-tree-insight',
  'dom-size': 'dom-size-insight',
  'duplicated-javascript': 'duplicated-javascript-insight',
  'efficient-animated-content': 'image-delivery-insight',
  'first-meaningful-paint': undefined,
  'font-display': 'font-display-insight',
  'font-size': undefined,
  'largest-contentful-paint-element': 'lcp-breakdown-insight',
  'layout-shifts': 'cls-culprits-insight',
  'lcp-lazy-loaded': 'lcp-discovery-insight',
  'legacy-javascript': 'legacy-javascript-insight',
  'modern-image-formats': 'image-delivery-insight',
  'no-document-write': undefined,
  'offscreen-images': undefined,
  'performance-budget': undefined,
  'preload-fonts': undefined,
  'prioritize-lcp-image': 'lcp-discovery-insight',
  'render-blocking-resources': 'render-blocking-insight',
  'tap-targets': 'target-size',
  'third-party-facades': undefined,
  'third-party-summary': 'third-parties-insight',
  'timing-budget': undefined,
  'uses-http2': 'modern-http-insight',
  'uses-long-cache-ttl': 'cache-insight',
  'uses-optimized-images': 'image-delivery-insight',
  'uses-passive-event-listeners': undefined,
  'uses-rel-preconnect': 'network-dependency-tree-insight',
  'uses-rel-preload': undefined,
  'uses-responsive-images': 'image-delivery-insight',
  'uses-text-compression': 'document-latency-insight',
  viewport: 'viewport-insight',
  'work-during-interaction': 'inp-breakdown-insight',
};

type Read = { readonly text: string } | { readonly note: string };

const number = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

/** `'error'`, `'warn'`, or `['warn', { maxNumericValue: 2000 }]`; undefined for what is off. */
function readLevel(value: unknown): { isWarning: boolean; limits: Json } | undefined {
  const [level, limits] = Array.isArray(value) ? value : [value, {}];
  if (level === 'off') return undefined;
  return { isWarning: level === 'warn', limits: isObject(limits) ? limits : {} };
}

/** Of an audit that lists entries: how many it may list. */
function toAuditCondition(id: string, most: number, known: ReadonlySet<string>): Read {
  if (known.has(id)) return { text: `${id}<=${most}` };
  if (!Object.hasOwn(removedAudits, id))
    return { note: `${id}: Lighthouse 13 has no such audit${toHint(id, [...known])}` };
  const insight = removedAudits[id];
  return insight === undefined
    ? { note: `${id}: Lighthouse 13 has removed this audit, and nothing stands in for it` }
    : { text: `${insight}<=${most}` };
}

/** Of a metric or a size. */
function toNumericCondition(id: string, limits: Json): Read {
  const most = number(limits.maxNumericValue);
  const [, of = '', what = ''] = id.split(/[:.]/);
  const isSummary = id.startsWith('resource-summary') && /^(size|count)$/.test(what);
  const name = isSummary ? `${of}-${what}` : id === 'total-byte-weight' ? 'total-size' : id;
  if (most !== undefined && (isSummary || metricAudits.has(id) || id === 'total-byte-weight'))
    return { text: `${name}<=${most}` };
  return { note: `${id}: metrics and sizes are asserted by maxNumericValue, other audits by maxLength` };
}

/** The condition of one assertion, without its level and its pages. */
function toCondition(id: string, limits: Json, known: ReadonlySet<string>): Read {
  const [kind, of = ''] = id.split(/[:.]/);
  if (kind === 'categories') return { text: `${of}>=${Math.round(100 * (number(limits.minScore) ?? 0.9))}` };
  const isNumeric = kind === 'resource-summary' || metricAudits.has(id) || limits.maxNumericValue !== undefined;
  return isNumeric ? toNumericCondition(id, limits) : toAuditCondition(id, number(limits.maxLength) ?? 0, known);
}

/** A regular expression as pages of an assertion: only `.*` has a counterpart. */
function toPages(pattern: unknown): string | undefined {
  const text = String(pattern)
    .replace(/^\^/, '')
    .replace(/\$$/, '')
    .replaceAll('.*', '*')
    .replaceAll('\\.', '.')
    .replaceAll('\\/', '/');
  if (/[\\^$+?()[\]{}|]/.test(text)) return undefined;
  return text.includes('/') || text.startsWith('*') ? text : `*${text}*`;
}

function toAssertions(
  assertions: unknown,
  known: ReadonlySet<string>,
  pages: string | undefined,
): { texts: string[]; notes: string[] } {
  const [texts, notes] = [[] as string[], [] as string[]];
  for (const [id, value] of Object.entries(isObject(assertions) ? assertions : {})) {
    const level = readLevel(value);
    if (!level) continue;
    const read = toCondition(id, level.limits, known);
    if ('note' in read) notes.push(`${read.note}. The assertion is left out.`);
    else texts.push(`${level.isWarning ? 'warn ' : ''}${pages === undefined ? '' : `${pages} `}${read.text}`);
  }
  return { texts, notes };
}

/** The ids of every audit of this Lighthouse. */
async function auditIds(): Promise<ReadonlySet<string>> {
  const { default: config } = await import('lighthouse/core/config/default-config.js');
  const names = (config.audits ?? []).flatMap(audit => (typeof audit === 'string' ? [audit] : []));
  return new Set(names.map(name => name.split('/').at(-1) ?? name));
}

const listOfTexts = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((entry): entry is string => typeof entry === 'string');

const ignored = ['puppeteerScript', 'startServerReadyPattern', 'headful', 'method', 'additive', 'maxAutodiscoverUrls'];

function fromCollect(collect: Json, { lineOf }: Where): { config: Json; notes: string[] } {
  const at = (name: string) => lineOf(`/ci/collect/${name}`);
  if (collect.staticDistDir !== undefined)
    throw new UsageError([
      `${at('staticDistDir')}: staticDistDir is not known; serve the folder with startServerCommand, such as 'npx serve ${collect.staticDistDir}'`,
    ]);
  const urls = listOfTexts(collect.url);
  if (urls.length === 0) throw new UsageError([`${at('url')}: collect.url is missing; name the pages to measure`]);
  const settings = isObject(collect.settings) ? collect.settings : {};
  const runs = number(collect.numberOfRuns);
  const notes = [
    ...ignored
      .filter(name => collect[name] !== undefined)
      .map(name => `${at(name)}: collect.${name} has no counterpart and is not used.`),
    ...Object.keys(settings)
      .filter(name => !['preset', 'onlyCategories'].includes(name))
      .map(name => `${at(`settings/${name}`)}: collect.settings.${name} has no counterpart and is not used.`),
  ];
  const timeout = number(collect.startServerReadyTimeout);
  const server =
    typeof collect.startServerCommand === 'string'
      ? {
          command: collect.startServerCommand,
          url: urls[0],
          ...(timeout === undefined ? {} : { timeout: Math.max(1, Math.ceil(timeout / 1000)) }),
        }
      : undefined;
  const categories = listOfTexts(settings.onlyCategories);
  return {
    notes,
    config: {
      urls,
      strategies: [settings.preset === 'desktop' ? 'desktop' : 'mobile'],
      ...(server ? { server } : {}),
      ...(runs === undefined ? {} : { runs: Math.min(5, Math.max(1, runs)) }),
      ...(categories.length > 0 ? { categories } : {}),
    },
  };
}

/** @throws UsageError for what would measure something else */
export async function fromLighthouserc(value: unknown, where: Where): Promise<{ config: Json; notes: string[] }> {
  const ci = isObject(value) && isObject(value.ci) ? value.ci : undefined;
  if (!ci) throw new UsageError([`${where.path}:1: it has no "ci"; see docs/ci.md`]);
  const collected = fromCollect(isObject(ci.collect) ? ci.collect : {}, where);
  const asserted = isObject(ci.assert) ? ci.assert : {};
  const known = await auditIds();
  const notes = [...collected.notes];
  if (typeof asserted.preset === 'string')
    notes.push(
      `${where.lineOf('/ci/assert/preset')}: the preset ${asserted.preset} is not used; 'preset good-scores' in "assert" comes near.`,
    );
  const matrix = Array.isArray(asserted.assertMatrix) ? asserted.assertMatrix.filter(isObject) : [];
  const parts = [
    toAssertions(asserted.assertions, known, undefined),
    ...matrix.map(({ matchingUrlPattern, assertions }) => {
      const pages = toPages(matchingUrlPattern);
      if (pages !== undefined) return toAssertions(assertions, known, pages);
      return {
        texts: [],
        notes: [`matchingUrlPattern ${matchingUrlPattern}: only .* is known. Its assertions are left out.`],
      };
    }),
  ];
  const assert = parts.flatMap(({ texts }) => texts);
  notes.push(...parts.flatMap(part => part.notes));
  return { config: { ...collected.config, ...(assert.length > 0 ? { assert } : {}) }, notes };
}

/** `*` is anything, `$` the end; without it a path means everything below. */
const toBudgetPages = (path: unknown): string => {
  const text = typeof path === 'string' && path !== '' ? path : '/';
  if (text.endsWith('$')) return text.slice(0, -1);
  return text.endsWith('*') ? text : `${text}*`;
};

/**
 * Assertions of a budget.json: sizes there are KiB, times milliseconds.
 * Source: GoogleChrome/budget.json and lighthouse 11 core/config/budget.js.
 */
export function fromBudgets(value: unknown, { path, lineOf }: Where): string[] {
  if (!Array.isArray(value)) throw new UsageError([`${path}:1: a budget.json is a list; put [ ] around it`]);
  const faults: string[] = [];
  const texts = value.filter(isObject).flatMap((budget, index) => {
    const pages = toBudgetPages(budget.path);
    const rowsOf = (name: string) => (Array.isArray(budget[name]) ? budget[name].filter(isObject) : []);
    const limitOf = (row: Json, pointer: string): number => {
      const limit = number(row.budget);
      if (limit === undefined) faults.push(`${lineOf(`/${index}/${pointer}`)}: "budget" is not a number`);
      return limit ?? 0;
    };
    return [
      ...rowsOf('resourceSizes').map(
        (row, at) => `${pages} ${row.resourceType}-size<=${limitOf(row, `resourceSizes/${at}`)}KiB`,
      ),
      ...rowsOf('resourceCounts').map(
        (row, at) => `${pages} ${row.resourceType}-count<=${limitOf(row, `resourceCounts/${at}`)}`,
      ),
      ...rowsOf('timings').map((row, at) => `${pages} ${row.metric}<=${limitOf(row, `timings/${at}`)}`),
    ];
  });
  if (faults.length > 0) throw new UsageError(faults);
  return texts;
}
