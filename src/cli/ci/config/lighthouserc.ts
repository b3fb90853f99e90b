/** Converts a lighthouserc to the configuration of `rangelight ci`, and reads its assertions. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { defaultSettings } from 'lighthouse/core/config/constants.js';
import { toHint } from '../../../contract/nearest-name.ts';
import { isObject, type Json } from '../../../contract/result/details.ts';
import { UsageError } from '../../input/usage-error.ts';
import { readBudgetFile, toBudgetMatrix } from './budgets.ts';
import { type Layers, readLayers } from './layers.ts';
import { type Findings, type LhciAssertion, readLhciAssertions, readNumber } from './lhci-assertions.ts';
import { conditionSettings, toLhciConditions } from './lhci-conditions.ts';
import { type ConfigSource, type PlacedText, readText } from './source.ts';

export type ImportedConfig = {
  readonly config: Json;
  readonly asserts: readonly PlacedText[];
  readonly lhci: readonly LhciAssertion[];
  readonly notes: readonly string[];
  lineOf(pointer: string): string;
};

/** Settings of `assert`. Elsewhere, Lighthouse CI ignores them or reads them by chance. */
const assertNames = ['assert', 'assertions', 'assertMatrix', 'budgetsFile', 'aggregationMethod', 'matchingUrlPattern'];
const isOfAssert = (name: string, value: unknown): boolean =>
  assertNames.includes(name) ||
  /^(?:categories|resource-summary):/.test(name) ||
  (name === 'preset' && /^lighthouse:/.test(String(value)));

/** Replacements for settings without a counterpart. */
const instead: Readonly<Record<string, string>> = {
  puppeteerScript: ': for a login, use --state or --access',
};

type Other = { readonly at: string; readonly path: string; readonly name: string; readonly value: unknown };

/** Adds a note for a setting that is ignored, or a fault if it asserts something. */
function noteOther({ at, path, name, value }: Other, { faults, notes }: Findings): void {
  if (isOfAssert(name, value)) faults.push(`${at}: ${path} asserts nothing here; move it into "assert" of "ci"`);
  else notes.push(`${at}: ${path} has no counterpart and is not used${instead[name] ?? ''}.`);
}

const othersOf = (given: Json, pointer: string, read: readonly string[], { lineOf }: Layers): Other[] =>
  Object.keys(given)
    .filter(name => !read.includes(name) && given[name] !== undefined)
    .map(name => ({
      at: lineOf(`${pointer}/${name}`),
      path: `ci${pointer}/${name}`.replaceAll('/', '.'),
      name,
      value: given[name],
    }));

/**
 * @param used names that other ones may misspell
 * @param valid names that are spelt correctly, used or not
 */
function noteOthers(
  given: Json,
  pointer: string,
  read: readonly string[],
  layers: Layers,
  findings: Findings,
  used: readonly string[] = [],
  valid = used,
) {
  for (const other of othersOf(given, pointer, read, layers)) {
    const hint = valid.includes(other.name) ? '' : toHint(other.name, used);
    if (hint === '') noteOther(other, findings);
    else findings.faults.push(`${other.at}: unknown setting '${other.name}'${hint}`);
  }
}

/** Returns texts of a list, or of a single one. */
function readTexts(given: unknown, pointer: string, { lineOf }: Layers, { faults }: Findings): string[] {
  const texts = given === undefined || given === null ? [] : [given].flat();
  const name = pointer.split('/').at(-1);
  for (const [at, text] of texts.entries())
    if (typeof text !== 'string')
      faults.push(`${lineOf(Array.isArray(given) ? `${pointer}/${at}` : pointer)}: ${name} must be a list of strings`);
  return texts.filter(text => typeof text === 'string');
}

/** Returns each page once: Lighthouse CI measures a repeated one again. */
function readPages(collect: Json, layers: Layers, findings: Findings): string[] {
  const pages = readTexts(collect.url, '/collect/url', layers, findings);
  const hrefs = pages.map(page => URL.parse(page)?.href ?? page);
  const isRepeated = (at: number) => hrefs.indexOf(hrefs[at] ?? '') < at;
  for (const [at, page] of pages.entries())
    if (isRepeated(at))
      findings.notes.push(`${layers.lineOf(`/collect/url/${at}`)}: ${page} is listed twice and measured once.`);
  return pages.filter((_, at) => !isRepeated(at));
}

/** Returns a number that may be written as text. */
function readCount(collect: Json, name: string, least: number, { lineOf }: Layers, { faults }: Findings) {
  if (collect[name] === undefined) return undefined;
  const number = readNumber(collect[name]);
  if (number !== undefined && Number.isInteger(number) && number >= least) return number;
  faults.push(`${lineOf(`/collect/${name}`)}: ${name} must be a whole number from ${least}, without quotes`);
  return undefined;
}

const maxRuns = 5;
/** Runs of a page if the file does not say how many. */
const usualRuns = 3;

/** Returns the strategy. As in Lighthouse, `formFactor` overrides the preset. */
const toStrategy = ({ formFactor, preset }: Json): 'mobile' | 'desktop' =>
  (formFactor ?? preset) === 'desktop' ? 'desktop' : 'mobile';

const alwaysUsed = ['preset', 'onlyCategories', ...Object.values(conditionSettings)];
const usedSettings = [...alwaysUsed, 'formFactor', 'throttlingMethod'];
const validSettings = [...usedSettings, ...Object.keys(defaultSettings)];

const readSettings = ({ formFactor, throttlingMethod }: Json): string[] => [
  ...alwaysUsed,
  ...(formFactor === 'mobile' || formFactor === 'desktop' ? ['formFactor'] : []),
  ...(throttlingMethod === 'simulate' ? ['throttlingMethod'] : []),
];

function fromSettings(settings: Json, layers: Layers, findings: Findings) {
  const at = (name: string) => layers.lineOf(`/collect/settings/${name}`);
  noteOthers(settings, '/collect/settings', readSettings(settings), layers, findings, usedSettings, validSettings);
  const { preset } = settings;
  if (isOfAssert('preset', preset)) findings.faults.push(`${at('preset')}: ${preset} belongs in "preset" of "assert"`);
  else if (preset !== undefined && preset !== 'desktop')
    findings.notes.push(
      `${at('preset')}: the preset ${preset} is not used; pages are measured as ${toStrategy(settings)}.`,
    );
  const asked = readTexts(settings.onlyCategories, '/collect/settings/onlyCategories', layers, findings);
  const named = asked.flatMap(text => text.split(',')).map(name => name.trim());
  const categories = named.filter(name => name !== 'pwa');
  if (categories.length < named.length)
    findings.notes.push(`${at('onlyCategories')}: Lighthouse has removed the category pwa; it is left out.`);
  return {
    strategies: [toStrategy(settings)],
    categories: categories.length > 0 ? categories : undefined,
    ...toLhciConditions(settings, at, findings),
  };
}

/** Seconds that a server gets at least: Lighthouse CI also measures one that is late. */
const leastSeconds = 60;

function toServer(collect: Json, url: string | undefined, layers: Layers, findings: Findings): Json | undefined {
  const milliseconds = readCount(collect, 'startServerReadyTimeout', 0, layers, findings) ?? 0;
  const command = collect.startServerCommand;
  if (!command) return undefined;
  if (typeof command !== 'string')
    findings.faults.push(`${layers.lineOf('/collect/startServerCommand')}: startServerCommand must be a string`);
  return { command, url, timeout: Math.min(3600, Math.max(leastSeconds, Math.ceil(milliseconds / 1000))) };
}

const collected = 'url numberOfRuns settings startServerCommand startServerReadyTimeout staticDistDir'.split(' ');

function fromCollect(given: unknown, layers: Layers, findings: Findings): Json {
  const at = (name: string) => layers.lineOf(`/collect/${name}`);
  const { faults, notes } = findings;
  const collect = isObject(given) ? given : {};
  if (given !== undefined && !isObject(given))
    faults.push(`${layers.lineOf('/collect')}: collect must be an object; write it in { }`);
  if (collect.staticDistDir) {
    faults.push(
      `${at('staticDistDir')}: staticDistDir is not known; serve the folder with startServerCommand, such as 'npx serve ${collect.staticDistDir}', and name its pages in "url"`,
    );
    return {};
  }
  const urls = readPages(collect, layers, findings);
  if (urls.length === 0) faults.push(`${at('url')}: collect.url is missing; name the pages to measure`);
  const { settings = {} } = collect;
  if (!isObject(settings)) faults.push(`${at('settings')}: settings must be an object; write it in { }`);
  noteOthers(collect, '/collect', collected, layers, findings, collected);
  const runs = readCount(collect, 'numberOfRuns', 1, layers, findings) ?? usualRuns;
  if (runs > maxRuns) notes.push(`${at('numberOfRuns')}: a page has ${maxRuns} runs at most, not ${runs}.`);
  return {
    urls,
    ...fromSettings(isObject(settings) ? settings : {}, layers, findings),
    server: toServer(collect, urls[0], layers, findings),
    runs: Math.min(maxRuns, runs),
  };
}

const origins: Readonly<Record<string, string>> = {
  urls: 'collect/url',
  strategies: 'collect/settings/preset',
  server: 'collect/startServerCommand',
  runs: 'collect/numberOfRuns',
  categories: 'collect/settings/onlyCategories',
  ...Object.fromEntries(Object.entries(conditionSettings).map(([name, own]) => [name, `collect/settings/${own}`])),
};

/** Reads `assert.budgetsFile`. As in Lighthouse CI, its path is relative to the working directory, or to the file. */
function readBudgets(assert: unknown, folders: readonly string[], { lineOf }: Layers, { faults, notes }: Findings) {
  const file = isObject(assert) ? assert.budgetsFile : undefined;
  if (file === undefined) return [];
  const found = folders.map(folder => resolve(folder, String(file))).find(path => existsSync(path));
  if (found === undefined) {
    faults.push(`${lineOf('/assert/budgetsFile')}: ${file} does not exist; write its path relative to this folder`);
    return [];
  }
  const read = readBudgetFile(readText(found));
  notes.push(...read.notes);
  return toBudgetMatrix(read.budgets);
}

/**
 * @param folders where the path of a budget.json may start
 * @throws UsageError with every fault: a setting of the wrong type, or one that asserts nothing where it stands
 */
export async function fromLighthouserc(source: ConfigSource, folders: readonly string[]): Promise<ImportedConfig> {
  const layers = await readLayers(source);
  const { sections, lineOf } = layers;
  const findings: Findings = { faults: [], notes: [] };
  for (const other of layers.others) noteOther({ ...other, path: other.name }, findings);
  noteOthers(sections, '', ['collect', 'assert'], layers, findings);
  const uploaded = isObject(sections.upload) ? othersOf(sections.upload, '/upload', [], layers) : [];
  for (const other of uploaded) if (isOfAssert(other.name, other.value)) noteOther(other, findings);
  const near = Object.keys(sections).find(name => toHint(name, ['assert']) !== '' && name !== 'assert');
  if (sections.assert === undefined && near !== undefined)
    findings.faults.push(`${lineOf(`/${near}`)}: unknown section '${near}'${toHint(near, ['assert'])}`);
  const config = fromCollect(sections.collect, layers, findings);
  const budgets = readBudgets(sections.assert, folders, layers, findings);
  const lhci = await readLhciAssertions(sections, budgets, { ...findings, lineOf });
  if (findings.faults.length > 0) throw new UsageError(findings.faults);
  return {
    // JSON removes undefined settings, which would have the wrong type.
    config: JSON.parse(JSON.stringify(config)) as Json,
    asserts: [],
    lhci,
    notes: findings.notes,
    lineOf: pointer => {
      const [name = '', index] = pointer.split('/').slice(1);
      if (name !== 'urls' || index === undefined) return lineOf(`/${origins[name] ?? name}`);
      // A repeated page is left out, so the index differs from that in the file.
      const listed = isObject(sections.collect) ? [sections.collect.url].flat() : [];
      return lineOf(`/collect/url/${listed.indexOf((config.urls as string[])[Number(index)])}`);
    },
  };
}
