/** The run of a pipeline as it was configured: everything that can be wrong is refused here, before anything starts. */
import { resolve } from 'node:path';
import { type RequestCategory, type Strategy, strategies } from '../../contract/names.ts';
import { toBranchPrefix } from '../../contract/stored/build-label.ts';
import { createPolicy } from '../../measure/targets/policy.ts';
import { readSettings } from '../../settings/settings.ts';
import { type Assertion, isOfPage } from '../input/assertion.ts';
import { faultsOfAssertions, readAssertions } from '../input/assertions.ts';
import { toPageUrls } from '../input/gather-pages.ts';
import { readServer } from '../input/given.ts';
import { type MinEffect, readMinEffect } from '../input/min-effect.ts';
import { UsageError } from '../input/usage-error.ts';
import type { CiWanted } from './ci-arguments.ts';
import type { CiConfig } from './config/config-schema.ts';
import type { ReadConfig } from './config/read-config.ts';
import type { Names } from './names.ts';

type Baseline = { readonly label: string } | { readonly branch: string };

export type Plan = {
  readonly urls: readonly string[];
  readonly strategies: readonly Strategy[];
  readonly categories: readonly RequestCategory[] | undefined;
  readonly runs: number | 'auto';
  readonly assertions: readonly Assertion[];
  readonly minEffect: MinEffect;
  readonly baseline: Baseline;
  readonly label: string;
  /** The label of a baseline that does not exist yet. */
  readonly firstLabel: string;
  readonly server: string | undefined;
  readonly store: string;
  readonly isStrict: boolean;
};

function toBaseline({ baseline }: CiConfig, wanted: CiWanted, names: Names): Baseline {
  if (wanted.baseline !== undefined) return { label: wanted.baseline };
  if (baseline?.label !== undefined) return { label: baseline.label };
  return { branch: baseline?.branch ?? names.target };
}

function toFirstLabel(baseline: Baseline, label: string, names: Names): string {
  if ('label' in baseline) return baseline.label;
  return label.startsWith(toBranchPrefix(baseline.branch)) ? label : names.toLabel(baseline.branch);
}

/** The measured pages, in order. A fault has the line of its page. */
function toUrls({ config, lineOf }: ReadConfig, faults: string[]): string[] {
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

/** Pages that the TARGETS of this environment forbid; a running service has its own. @throws SettingsError */
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

/** The assertions of the configuration, each fault with the line of its text. */
function toAssertions(
  { asserts, config }: ReadConfig,
  { urls, ...measured }: Pick<Plan, 'urls' | 'strategies' | 'categories'>,
  faults: string[],
): Assertion[] {
  return asserts.flatMap(({ text, at }) => {
    const found: string[] = [];
    const read = readAssertions({ assertions: [{ option: 'assert', text }], values: {} }, measured, found);
    found.push(...faultsOfAssertions({ ...measured, assertions: read, backend: 'local' }));
    if (urls.length === config.urls.length)
      found.push(
        ...read
          .filter(assertion => !urls.some(url => isOfPage(assertion, url)))
          .map(assertion => `'${assertion.text}' fits no page of "urls"; correct its pattern or add the page`),
      );
    faults.push(
      ...found.map(fault => `${at}: ${fault.replace(/^--assert /, '').replace('--categories', '"categories"')}`),
    );
    return read;
  });
}

/** The labels of both sides of the comparison. */
function toSides({ config, lineOf }: ReadConfig, wanted: CiWanted, names: Names, faults: string[]) {
  const label = wanted.label ?? config.label ?? names.toLabel(names.branch ?? 'local');
  const baseline = toBaseline(config, wanted, names);
  if (config.baseline?.label !== undefined && config.baseline.branch !== undefined)
    faults.push(`${lineOf('/baseline')}: baseline has both "branch" and "label"; remove one`);
  const atLabel = wanted.label === undefined ? lineOf('/label') : '--label';
  if (/\p{Cc}/u.test(label)) faults.push(`${atLabel}: a label is one line; remove its control characters`);
  if ('label' in baseline && baseline.label === label)
    faults.push(`${atLabel}: this run and its baseline are both called '${label}'; give them different labels`);
  return { label, baseline };
}

/** @throws UsageError with every fault, SettingsError */
export function toPlan(read: ReadConfig, wanted: CiWanted, names: Names, env: NodeJS.ProcessEnv): Plan {
  const { config, folder, lineOf } = read;
  const faults: string[] = [];
  /** Faults that name an option, as a setting of the file. */
  const addOf = <T>(name: string, toValue: (found: string[]) => T): T => {
    const found: string[] = [];
    const value = toValue(found);
    faults.push(...found.map(fault => `${lineOf(`/${name}`)}: ${fault.replace(/^--[a-z-]+/, name)}`));
    return value;
  };
  if (config.server && !/^https?:\/\/./.test(config.server.url))
    faults.push(`${lineOf('/server/url')}: server.url is not an http URL; write it like http://127.0.0.1:3000/`);
  const measured = {
    urls: faults.length > 0 ? [] : toUrls(read, faults),
    strategies: config.strategies ?? strategies,
    categories: config.categories,
  };
  const server = wanted.server ?? addOf('service', found => readServer(config.service, found));
  if (server === undefined) faults.push(...faultsOfTargets(measured.urls, read, env.TARGETS));
  const assertions = toAssertions(read, measured, faults);
  const { label, baseline } = toSides(read, wanted, names, faults);
  const minEffect = addOf('minEffect', found => readMinEffect(config.minEffect, found));
  if (faults.length > 0) throw new UsageError(faults);
  return {
    ...measured,
    runs: config.runs ?? 'auto',
    assertions,
    minEffect,
    baseline,
    label,
    firstLabel: toFirstLabel(baseline, label, names),
    server,
    store: resolve(folder, config.store ?? '.rangelight'),
    isStrict: wanted.isStrict || config.strict === true,
  };
}
