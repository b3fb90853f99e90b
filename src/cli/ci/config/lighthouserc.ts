/** Converts the `collect` and `assert` parts of a lighthouserc to the configuration of `rangelight ci`. */
import { requestCategories } from '../../../contract/names.ts';
import { toHint } from '../../../contract/nearest-name.ts';
import { isObject } from '../../../contract/result/details.ts';
import { UsageError } from '../../input/usage-error.ts';
import { resourceTypes } from './budgets.ts';
import { metricAudits, readAuditIds, removedAudits } from './known-audits.ts';
import type { PlacedText, Source } from './source.ts';

type Json = Record<string, unknown>;

/** Text of an assertion, or a note that explains why it is skipped. */
type Read = { readonly text: string } | { readonly note: string };

const number = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
const listOfTexts = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((entry): entry is string => typeof entry === 'string');
const toPercent = (score: number): number => Number((100 * score).toFixed(2));

/** Min score that an assertion of Lighthouse CI requires if it has no limit. */
const usualScore = 0.9;

/** Reads `'error'`, `'warn'`, or `['warn', { maxNumericValue: 2000 }]`; undefined for `'off'`. */
function readLevel(value: unknown): { isWarning: boolean; limits: Json } | undefined {
  const [level, limits] = Array.isArray(value) ? value : [value, {}];
  if (level === 'off') return undefined;
  return { isWarning: level === 'warn', limits: isObject(limits) ? limits : {} };
}

function toCategoryCondition(name: string, limits: Json): Read {
  if (name === 'pwa') return { note: 'categories:pwa: Lighthouse has removed this category' };
  if (!(requestCategories as readonly string[]).includes(name))
    return { note: `categories:${name}: Lighthouse has no such category${toHint(name, requestCategories)}` };
  return { text: `${name}>=${toPercent(number(limits.minScore) ?? usualScore)}` };
}

function toResourceCondition(id: string, of: string, unit: string, limits: Json): Read {
  const most = number(limits.maxNumericValue);
  if (!/^(size|count)$/.test(unit) || most === undefined)
    return { note: `${id}: write resource-summary:TYPE:size or :count with maxNumericValue` };
  if (!(resourceTypes as readonly string[]).includes(of))
    return { note: `${id}: unknown resource type ${of}${toHint(of, resourceTypes)}` };
  return { text: `${of}-${unit}<=${most}` };
}

/** Returns the id of an audit in the installed Lighthouse, or a note that there is none. */
function toAudit(id: string, known: ReadonlySet<string>): { audit: string } | { note: string } {
  if (known.has(id)) return { audit: id };
  if (!Object.hasOwn(removedAudits, id))
    return { note: `${id}: Lighthouse 13 has no such audit${toHint(id, [...known])}` };
  const insight = removedAudits[id];
  return insight === undefined
    ? { note: `${id}: Lighthouse 13 has removed this audit, and no other one replaces it` }
    : { audit: insight };
}

function toAuditConditions(id: string, limits: Json, known: ReadonlySet<string>): Read[] {
  const found = toAudit(id, known);
  if ('note' in found) return [found];
  const { audit } = found;
  const [length, most, score] = [limits.maxLength, limits.maxNumericValue, limits.minScore].map(number);
  const numeric = (limit: number): Read => {
    if (metricAudits.has(id)) return { text: `${id}<=${limit}` };
    if (id === 'total-byte-weight') return { text: `total-size<=${limit}` };
    return { note: `${id}: maxNumericValue applies to metrics and sizes only` };
  };
  const least = length === undefined && most === undefined ? (score ?? usualScore) : score;
  return [
    ...(length === undefined ? [] : [{ text: `${audit}<=${length}` }]),
    ...(most === undefined ? [] : [numeric(most)]),
    ...(least === undefined ? [] : [{ text: `${audit}-score>=${toPercent(least)}` }]),
  ];
}

/** Returns the conditions of one assertion, without its level and pages. */
function toConditions(id: string, limits: Json, known: ReadonlySet<string>): Read[] {
  const [kind, of = '', unit = ''] = id.split(/[:.]/);
  if (kind === 'categories') return [toCategoryCondition(of, limits)];
  if (kind === 'resource-summary' && of !== '') return [toResourceCondition(id, of, unit, limits)];
  if (kind === 'user-timings')
    return [{ note: `${id}: assertions on user timing marks and measures are not supported` }];
  return toAuditConditions(id, limits, known);
}

/**
 * Converts a regular expression to the pages of an assertion; only `.*` has a counterpart. Without `^` and `$` it
 * matches anywhere.
 */
function toPages(pattern: unknown): string | undefined {
  const given = String(pattern);
  const [isFromStart, isToEnd] = [given.startsWith('^'), /(?<!\\)\$$/.test(given)];
  const body = given
    .slice(isFromStart ? 1 : 0, isToEnd ? -1 : undefined)
    .replaceAll('.*', '*')
    .replaceAll(/\\([./?=&:-])/g, '\\$1');
  const plain = body.replaceAll(/\\([./?=&:-])/g, '');
  if (/[\\^$+?()[\]{}|\s]/.test(plain)) return undefined;
  const text = `${isFromStart ? '' : '*'}${body.replaceAll('\\', '')}${isToEnd ? '' : '*'}`.replaceAll(/\*+/g, '*');
  return /[/*]/.test(text) ? text : undefined;
}

type Assertions = { readonly asserts: PlacedText[]; readonly notes: string[] };

const join = (parts: readonly Assertions[]): Assertions => ({
  asserts: parts.flatMap(({ asserts }) => asserts),
  notes: parts.flatMap(({ notes }) => notes),
});

const leftOut = 'The assertion is left out.';

function toAssertions(
  { pointer, value, pages }: { pointer: string; value: unknown; pages?: string },
  known: ReadonlySet<string>,
  { lineOf }: Source,
): Assertions {
  const parts = Object.entries(isObject(value) ? value : {}).map(([id, given]): Assertions => {
    const level = readLevel(given);
    if (!level) return { asserts: [], notes: [] };
    const at = lineOf(`${pointer}/${id}`);
    const about = [level.isWarning ? 'warn ' : '', pages === undefined ? '' : `${pages} `].join('');
    const reads = toConditions(id, level.limits, known);
    return {
      asserts: reads.flatMap(read => ('text' in read ? [{ text: `${about}${read.text}`, at }] : [])),
      notes: [
        ...(level.limits.aggregationMethod === undefined ? [] : [`${at}: ${id}: ${sayAggregation(level.limits)}`]),
        ...reads.flatMap(read => ('note' in read ? [`${at}: ${read.note}. ${leftOut}`] : [])),
      ],
    };
  });
  return join(parts);
}

const sayAggregation = ({ aggregationMethod }: Json): string =>
  `aggregationMethod ${aggregationMethod} is not used; assertions are about the median of the runs.`;

/** Adds a note for every setting that is ignored, so that no check becomes weaker silently. */
const noteOthers = (given: Json, pointer: string, read: readonly string[], { lineOf }: Source): string[] =>
  Object.keys(given)
    .filter(name => !read.includes(name) && given[name] !== undefined)
    .map(name => {
      const at = lineOf(`${pointer}/${name}`);
      if (name === 'aggregationMethod') return `${at}: ${sayAggregation(given)}`;
      return `${at}: ${`${pointer}/${name}`.slice(1).replaceAll('/', '.')} has no counterpart and is not used.`;
    });

function toMatrixAssertions(entry: Json, pointer: string, known: ReadonlySet<string>, source: Source): Assertions {
  const { matchingUrlPattern: pattern, assertions: value } = entry;
  const others = noteOthers(entry, pointer, ['matchingUrlPattern', 'assertions'], source);
  const pages = toPages(pattern ?? '.*');
  if (pages === undefined) {
    const at = source.lineOf(`${pointer}/matchingUrlPattern`);
    const note = `${at}: matchingUrlPattern ${pattern}: only .* is known; write the pages as in "/shop/* LCP<=2s". Its assertions are left out.`;
    return { asserts: [], notes: [...others, note] };
  }
  const read = toAssertions({ pointer: `${pointer}/assertions`, value, pages }, known, source);
  return { asserts: read.asserts, notes: [...others, ...read.notes] };
}

async function fromAssert(assert: Json, source: Source): Promise<Assertions> {
  const known = await readAuditIds();
  const notes = noteOthers(assert, '/ci/assert', ['preset', 'assertions', 'assertMatrix', 'budgetsFile'], source);
  if (assert.preset !== undefined)
    notes.push(
      `${source.lineOf('/ci/assert/preset')}: the preset ${assert.preset} is not used; "preset good-scores" in "assert" of rangelight.config.json comes near.`,
    );
  const matrix = Array.isArray(assert.assertMatrix) ? assert.assertMatrix : [];
  const parts = [
    toAssertions({ pointer: '/ci/assert/assertions', value: assert.assertions }, known, source),
    ...matrix.flatMap((entry, at) =>
      isObject(entry) ? [toMatrixAssertions(entry, `/ci/assert/assertMatrix/${at}`, known, source)] : [],
    ),
  ];
  return join([{ asserts: [], notes }, ...parts]);
}

const collected = [
  ...['url', 'numberOfRuns', 'settings', 'startServerCommand', 'startServerReadyTimeout', 'staticDistDir'],
];

function toServer(collect: Json, url: string | undefined): Json | undefined {
  const timeout = number(collect.startServerReadyTimeout);
  if (typeof collect.startServerCommand !== 'string') return undefined;
  const seconds = timeout === undefined ? undefined : Math.max(1, Math.ceil(timeout / 1000));
  return { command: collect.startServerCommand, url, timeout: seconds };
}

const maxRuns = 5;

/** Returns the strategy. As in Lighthouse, `formFactor` overrides the preset. */
const toStrategy = ({ formFactor, preset }: Json): 'mobile' | 'desktop' =>
  (formFactor ?? preset) === 'desktop' ? 'desktop' : 'mobile';

const readSettings = ({ formFactor, throttlingMethod }: Json): string[] => [
  ...['preset', 'onlyCategories'],
  ...(formFactor === 'mobile' || formFactor === 'desktop' ? ['formFactor'] : []),
  ...(throttlingMethod === 'simulate' ? ['throttlingMethod'] : []),
];

function fromCollect(collect: Json, source: Source): { config: Json; notes: string[] } {
  const at = (name: string) => source.lineOf(`/ci/collect/${name}`);
  if (collect.staticDistDir !== undefined)
    throw new UsageError([
      `${at('staticDistDir')}: staticDistDir is not known; serve the folder with startServerCommand, such as 'npx serve ${collect.staticDistDir}'`,
    ]);
  const urls = listOfTexts(collect.url);
  if (urls.length === 0) throw new UsageError([`${at('url')}: collect.url is missing; name the pages to measure`]);
  const settings = isObject(collect.settings) ? collect.settings : {};
  const notes = [
    ...noteOthers(collect, '/ci/collect', collected, source),
    ...noteOthers(settings, '/ci/collect/settings', readSettings(settings), source),
  ];
  if (settings.preset !== undefined && settings.preset !== 'desktop')
    notes.push(
      `${at('settings/preset')}: the preset ${settings.preset} is not used; pages are measured as ${toStrategy(settings)}.`,
    );
  const asked = listOfTexts(settings.onlyCategories);
  const categories = asked.filter(name => name !== 'pwa');
  if (categories.length < asked.length)
    notes.push(`${at('settings/onlyCategories')}: Lighthouse has removed the category pwa; it is left out.`);
  const runs = number(collect.numberOfRuns);
  if (runs !== undefined && runs > maxRuns)
    notes.push(`${at('numberOfRuns')}: a page has ${maxRuns} runs at most, not ${runs}.`);
  const config = {
    urls,
    strategies: [toStrategy(settings)],
    server: toServer(collect, urls[0]),
    runs: runs === undefined ? undefined : Math.min(maxRuns, Math.max(1, runs)),
    categories: categories.length > 0 ? categories : undefined,
  };
  // JSON removes undefined settings, which would have the wrong type.
  return { notes, config: JSON.parse(JSON.stringify(config)) as Json };
}

/** Origins of the settings of a lighthouserc. */
const origins: Readonly<Record<string, string>> = {
  urls: 'collect/url',
  strategies: 'collect/settings/preset',
  server: 'collect/startServerCommand',
  runs: 'collect/numberOfRuns',
  categories: 'collect/settings/onlyCategories',
  budgets: 'assert/budgetsFile',
};

export type Imported = Assertions & { readonly config: Json; lineOf(pointer: string): string };

/** @throws UsageError for settings that would measure something else */
export async function fromLighthouserc(source: Source): Promise<Imported> {
  const { path, value, lineOf } = source;
  const ci = isObject(value) && isObject(value.ci) ? value.ci : undefined;
  if (!isObject(value) || !ci)
    throw new UsageError([`${path}:1: it has no "ci"; write { "ci": { "collect": { "url": [ … ] } } }`]);
  const collect = fromCollect(isObject(ci.collect) ? ci.collect : {}, source);
  const assert = isObject(ci.assert) ? ci.assert : {};
  const { asserts, notes } = await fromAssert(assert, source);
  const budgets = assert.budgetsFile === undefined ? {} : { budgets: assert.budgetsFile };
  return {
    config: { ...collect.config, ...budgets },
    asserts,
    notes: [
      ...noteOthers(value, '', ['ci', '$schema'], source),
      ...noteOthers(ci, '/ci', ['collect', 'assert'], source),
      ...collect.notes,
      ...notes,
    ],
    lineOf: pointer => {
      const [name = '', ...rest] = pointer.split('/').slice(1);
      const index = name === 'urls' ? rest : [];
      return lineOf(`/ci/${[origins[name] ?? name, ...index].join('/')}`);
    },
  };
}
