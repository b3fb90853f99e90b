/** Plans the run of a pipeline from its configuration: all faults are reported here, before anything starts. */
import { resolve } from 'node:path';
import type { Conditions } from '../../contract/conditions/conditions.ts';
import { type RequestCategory, requestCategories, type Strategy, strategies } from '../../contract/names.ts';
import { toBranchPrefix } from '../../contract/stored/build-label.ts';
import { createPolicy } from '../../measure/targets/policy.ts';
import { readSettings } from '../../settings/settings.ts';
import type { Wanted } from '../input/arguments.ts';
import { type Assertion, isOfPage } from '../input/assertion.ts';
import { faultsOfAssertions, readAssertions } from '../input/assertions.ts';
import { collectFaults, readServer } from '../input/command-line.ts';
import { toPageUrls } from '../input/gather-pages.ts';
import { type MinEffect, readMinEffect } from '../input/min-effect.ts';
import { UsageError } from '../input/usage-error.ts';
import { type FileBaseline, readBaselineFile } from './baseline-file.ts';
import type { CiConfig } from './config/config-schema.ts';
import type { Findings, LhciAssertion } from './config/lhci-assertions.ts';
import type { ReadConfig } from './config/read-config.ts';
import { matchesUrl, sayPattern } from './judge-runs.ts';
import type { Names } from './names.ts';

type Baseline = { readonly label: string } | { readonly branch: string };

export type Plan = {
  readonly urls: readonly string[];
  readonly strategies: readonly Strategy[];
  readonly categories: readonly RequestCategory[] | undefined;
  readonly runs: number | 'auto';
  /** Conditions of every load, which `runCi` loads from files. */
  readonly conditions?: Partial<Conditions>;
  readonly assertions: readonly Assertion[];
  /** Assertions of a lighthouserc, which apply to the final URLs of pages. */
  readonly lhci: readonly LhciAssertion[];
  readonly minEffect: MinEffect;
  readonly baseline: Baseline;
  /** Results of a file, which are stored as the baseline. */
  readonly file: FileBaseline | undefined;
  readonly label: string;
  /** Label of a baseline that does not exist yet. */
  readonly firstLabel: string;
  readonly server: string | undefined;
  readonly store: string;
  readonly isStrict: boolean;
  readonly note: Names['note'];
  /** Sentences for the user. */
  readonly notes: readonly string[];
};

/** Returns the path of the baseline file and its option. The command line overrides the configuration. */
function findBaselineFile({ config, folder, lineOf }: ReadConfig, wanted: Wanted<'ci'>) {
  if (wanted.baselineFile !== undefined) return { path: resolve(wanted.baselineFile), at: '--baseline-file' };
  const { file } = config.baseline ?? {};
  if (wanted.baseline !== undefined || file === undefined) return undefined;
  return { path: resolve(folder, file), at: lineOf('/baseline/file') };
}

/** Returns a branch as labels contain it. No branch has a colon, so projects and branches cannot be confused. */
const inProject = (branch: string, { project }: CiConfig): string =>
  project === undefined ? branch : `${project}:${branch}`;

function toBaseline(config: CiConfig, wanted: Wanted<'ci'>, names: Names): Baseline {
  const { baseline } = config;
  if (wanted.baseline !== undefined) return { label: wanted.baseline };
  if (baseline?.label !== undefined) return { label: baseline.label };
  return { branch: inProject(baseline?.branch ?? names.target, config) };
}

function toFirstLabel(baseline: Baseline, label: string, names: Names): string {
  if ('label' in baseline) return label;
  return label.startsWith(toBranchPrefix(baseline.branch)) ? label : names.toLabel(baseline.branch);
}

/** Returns the pages to measure, in order. Each fault names the line of its page. */
function toUrls(read: ReadConfig, faults: string[]): string[] {
  const urls = readUrls(read, faults);
  if (urls.length === read.config.urls.length)
    for (const [at, url] of urls.entries())
      if (urls.indexOf(url) < at) faults.push(`${read.lineOf(`/urls/${at}`)}: ${url} is in "urls" twice; remove one`);
  return urls;
}

function readUrls({ config, lineOf }: ReadConfig, faults: string[]): string[] {
  const { urls, server } = config;
  return urls.flatMap((url, at) => {
    const where = lineOf(`/urls/${at}`);
    if (url.startsWith('/') && !server) {
      faults.push(`${where}: '${url}' is a path; name the site in "server", or write the whole URL`);
      return [];
    }
    try {
      return toPageUrls([url.startsWith('/') && server ? new URL(url, server.url).href : url]);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      faults.push(...error.faults.map(fault => `${where}: ${fault}; write it like https://example.com/`));
      return [];
    }
  });
}

/** Finds pages that the TARGETS of this environment forbid; a running service checks its own. @throws SettingsError */
function faultsOfTargets(urls: readonly string[], { lineOf }: ReadConfig, targets: string | undefined): string[] {
  if (!targets) return [];
  const policy = createPolicy(readSettings({ TARGETS: targets }));
  return urls.flatMap((url, at) => {
    const verdict = policy.judgeUrl(url);
    return verdict.allowed
      ? []
      : [`${lineOf(`/urls/${at}`)}: ${url} is not allowed by TARGETS: ${verdict.reason} Add its host to TARGETS`];
  });
}

/** Reads the assertions of the configuration; each fault names its line. */
function toAssertions(
  { asserts, config }: ReadConfig,
  { urls, ...measured }: Pick<Plan, 'urls' | 'strategies' | 'categories'>,
  { faults, notes }: Findings,
): Assertion[] {
  return asserts.flatMap(({ text, at, laterPages }) => {
    const found: string[] = [];
    const read = readAssertions({ given: [{ option: 'assert', text }], file: undefined }, measured, found).map(
      assertion => (laterPages === undefined ? assertion : { ...assertion, exceptPages: laterPages }),
    );
    found.push(...faultsOfAssertions({ ...measured, assertions: read, backend: 'local' }));
    const unused = read.filter(assertion => !urls.some(url => isOfPage(assertion, url)));
    if (urls.length === config.urls.length)
      for (const { text: unusedText } of unused) {
        const said = `'${unusedText}' matches no page in "urls"`;
        // A budget.json often has the budgets of the whole site.
        if (laterPages) notes.push(`${at}: ${said}.`);
        else found.push(`${said}; correct its pattern or add the page`);
      }
    faults.push(
      ...found.map(
        fault =>
          `${at}: ${fault
            .replace(/^--assert /, '')
            .replace('--categories', '"categories"')
            .replace(/, in quotes: the shell .*/, '')}`,
      ),
    );
    return read;
  });
}

/** Finds patterns that match no page of the configuration. A redirect may lead to one that they match. */
function notePatterns({ lhci }: ReadConfig, urls: readonly string[], { faults, notes }: Findings): void {
  const told = new Set<string>();
  for (const { pattern, at } of lhci) {
    if (pattern === undefined || told.has(pattern.source)) continue;
    told.add(pattern.source);
    const matches = urls.map(url => matchesUrl(pattern, url));
    if (matches.includes(undefined))
      faults.push(`${at}: matchingUrlPattern ${sayPattern(pattern)} takes too long; simplify it`);
    else if (!matches.includes(true))
      notes.push(
        `${at}: matchingUrlPattern ${sayPattern(pattern)} matches none of the pages, unless one is redirected.`,
      );
  }
}

const noteBranch = ({ branch }: Names, baseline: Baseline, givenLabel: string | undefined): string[] =>
  branch === undefined && 'branch' in baseline && givenLabel === undefined
    ? [
        `The branch is unknown, so every run is compared with the first one. Set BRANCH_NAME, and each run of ${baseline.branch} becomes the next baseline.`,
      ]
    : [];

function toSides({ config, lineOf }: ReadConfig, wanted: Wanted<'ci'>, names: Names, faults: string[]) {
  const label = wanted.label ?? config.label ?? names.toLabel(inProject(names.branch ?? 'local', config));
  const baseline = toBaseline(config, wanted, names);
  const [one, other] = Object.keys(config.baseline ?? {});
  if (config.baseline && one === undefined)
    faults.push(`${lineOf('/baseline')}: baseline is empty; name a "branch", a "label" or a "file"`);
  if (one !== undefined && other !== undefined)
    faults.push(`${lineOf('/baseline')}: baseline has both "${one}" and "${other}"; remove one`);
  const atLabel = wanted.label === undefined ? lineOf('/label') : '--label';
  if (/\p{Cc}/u.test(label)) faults.push(`${atLabel}: a label must be one line; remove its control characters`);
  if ('label' in baseline && baseline.label === label)
    faults.push(`${atLabel}: this run and its baseline are both called '${label}'; give them different labels`);
  return { label, baseline };
}

function toFileBaseline(
  read: ReadConfig,
  wanted: Wanted<'ci'>,
  { urls, strategies: devices, server }: Pick<Plan, 'urls' | 'strategies' | 'server'>,
  { env, faults }: { env: NodeJS.ProcessEnv; faults: string[] },
): FileBaseline | undefined {
  const found = findBaselineFile(read, wanted);
  if (!found) return undefined;
  const { path, at } = found;
  if (server !== undefined) {
    faults.push(`${at}: a file is compared in the store of the project; remove "service", or name a "label" of it`);
    return undefined;
  }
  // Faults of pages are reported separately.
  if (urls.length < read.config.urls.length) return undefined;
  const pages = urls.flatMap(url => devices.map(strategy => ({ url, strategy })));
  const own: string[] = [];
  const file = readBaselineFile(path, pages, env, own);
  faults.push(...own.map(fault => `${at}: ${fault}`));
  return file;
}

/** Lighthouse CI measures every category, this command by default only those with a score. */
const categoriesOf = (lhci: readonly LhciAssertion[]): readonly RequestCategory[] | undefined =>
  lhci.some(({ audit, property }) => audit === 'categories' && property[0] === 'agentic-browsing')
    ? requestCategories
    : undefined;

/** Another folder is not in the cache of action.yml, so each run would create a baseline. */
function faultsOfStore(store: string, { folder, lineOf }: ReadConfig, env: NodeJS.ProcessEnv): string[] {
  const { RANGELIGHT_CACHED_STORE: cached } = env;
  return cached && store !== resolve(folder, cached)
    ? [`${lineOf('/store')}: this pipeline caches ${cached} next to the configuration; remove "store"`]
    : [];
}

function readSetting<T>(
  { config, lineOf }: ReadConfig,
  name: 'service' | 'minEffect',
  toValue: (text: string) => T,
  faults: string[],
): T | undefined {
  const text = config[name];
  if (text === undefined) return undefined;
  return collectFaults(`${lineOf(`/${name}`)}: ${name}`, faults, () => toValue(text));
}

/** @throws UsageError with every fault, SettingsError */
export function toPlan(read: ReadConfig, wanted: Wanted<'ci'>, names: Names, env: NodeJS.ProcessEnv): Plan {
  const { config, folder, lineOf } = read;
  const faults: string[] = [];
  if (config.server && !/^https?:\/\/./.test(config.server.url))
    faults.push(`${lineOf('/server/url')}: server.url is not an http URL; write it like http://127.0.0.1:3000/`);
  const measured = {
    urls: faults.length > 0 ? [] : toUrls(read, faults),
    strategies: config.strategies ?? strategies,
    categories: config.categories ?? categoriesOf(read.lhci),
  };
  const server = wanted.server ?? readSetting(read, 'service', readServer, faults);
  const store = resolve(folder, config.store ?? '.rangelight');
  if (server === undefined)
    faults.push(...faultsOfStore(store, read, env), ...faultsOfTargets(measured.urls, read, env.TARGETS));
  const { label, baseline } = toSides(read, wanted, names, faults);
  const notes = noteBranch(names, baseline, wanted.label ?? config.label);
  const assertions = toAssertions(read, measured, { faults, notes });
  notePatterns(read, measured.urls, { faults, notes });
  const file = toFileBaseline(read, wanted, { ...measured, server }, { env, faults });
  const minEffect = readSetting(read, 'minEffect', readMinEffect, faults) ?? {};
  if (faults.length > 0) throw new UsageError(faults);
  return {
    ...measured,
    runs: config.runs ?? 'auto',
    assertions,
    lhci: read.lhci,
    minEffect,
    baseline: file ? { label: file.label } : baseline,
    file,
    label,
    firstLabel: toFirstLabel(baseline, label, names),
    server,
    store,
    notes,
    isStrict: wanted.strict || config.strict === true,
    note: names.note,
  };
}
