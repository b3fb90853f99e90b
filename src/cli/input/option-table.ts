/** The options of commands, those of a measurement from the table of measuring options. */
import { type PrimaryMetric, primaryMetrics } from '../../contract/experiments/names.ts';
import {
  type OptionAt,
  type OptionRow,
  type OptionRows,
  type OptionValue,
  optionsAt,
} from '../../contract/measuring-options.ts';
import {
  type Category,
  type CustomMetricName,
  isCustomMetricName,
  type MetricName,
  maxSample,
  strategies,
} from '../../contract/names.ts';
import { toHint } from '../../contract/nearest-name.ts';
import { findSubject, subjectNames } from './assertion.ts';
import {
  choice,
  flag,
  type Option,
  type OptionTable,
  option,
  readChoice,
  readHtml,
  readKey,
  readServer,
  repeated,
  text,
  withDefault,
  withHelp,
} from './command-line.ts';
import { type MinEffect, readMinEffect } from './min-effect.ts';
import { UsageError } from './usage-error.ts';

const typeReaders: Readonly<Record<OptionRow['type'], (given: string, values: readonly string[]) => unknown>> = {
  choice: readChoice,
  list: (given, values) => {
    const known = given.split(',').map(name => readChoice(name.trim(), values));
    return values.filter(name => known.includes(name));
  },
  runs: given => {
    if (given === 'auto') return given;
    if (!/^[1-5]$/.test(given)) throw new Error(`must be a number from 1 to 5, or auto, not '${given}'`);
    return Number(given);
  },
  line: given => given,
  flag: () => true,
  condition: given => given,
};

type MeasuringName = OptionAt<'command'>;
type MeasuringFlags = {
  readonly [Name in MeasuringName]: Option<
    OptionRows[Name]['type'] extends 'flag' ? boolean : NonNullable<OptionValue<Name, 'command'>> | undefined
  >;
};

/** The flags of the table of measuring options. An absent one is left to the service. */
const measuringFlags = Object.fromEntries(
  optionsAt('command').map(([name, { type, values = [], help, placeholder }]): [MeasuringName, Option] => [
    name,
    type === 'flag'
      ? flag(help)
      : { value: placeholder ?? 'VALUE', help, default: undefined, read: given => typeReaders[type](given, values) },
  ]),
) as MeasuringFlags;

/** Reads a metric, including the short names of assertions. */
export function readHistoryMetric(given: string): Category | MetricName | CustomMetricName {
  const subject = findSubject(given);
  if (subject && subject.kind !== 'fraction') return subject.name;
  const names = subjectNames.filter(name => findSubject(name)?.kind !== 'fraction');
  throw new UsageError([`unknown score or metric ${given}${toHint(given, names)}`]);
}

export function readPrimaryMetric(given: string): PrimaryMetric {
  const name = findSubject(given)?.name;
  const metric = primaryMetrics.find(known => known === name);
  if (metric) return metric;
  if (name && isCustomMetricName(name)) return name;
  throw new Error(`must be performance, FCP, LCP, SI, TBT, TTFB or a custom metric such as mark:NAME, not '${given}'`);
}

export function readSample(given: string): number {
  const count = Number(given);
  if (Number.isInteger(count) && count >= 1 && count <= maxSample) return count;
  throw new Error(`must be a number from 1 to ${maxSample}, not '${given}'`);
}

const server: Option<string | undefined> = {
  ...option(
    'URL',
    readServer,
    'use a running service, like RANGELIGHT_SERVER. By default the command starts its own, with the settings in the environment (TARGETS, CHROME_PATH, PSI_API_KEY and others) except DATABASE_URL: set RANGELIGHT_DATABASE_URL for a database',
  ),
  variable: 'RANGELIGHT_SERVER',
};
const apiKey: Option<string | undefined> = {
  ...option(
    'KEY',
    readKey,
    'API key of the service; set RANGELIGHT_API_KEY instead to keep it out of the process list',
  ),
  variable: 'RANGELIGHT_API_KEY',
};
const json = flag('print the JSON response of the service');
const noColor = flag('disable colours and links');
const help = flag('print this help');
export const strategy = withDefault(choice('NAME', strategies, 'mobile (default) or desktop'), 'mobile');
export const label = text('NAME', 'only results with this label');
export const minEffect = withDefault<MinEffect>(
  option(
    'SIZE',
    readMinEffect,
    "smallest difference that matters, such as '3 points', '100 ms' or '5 %'; separate several with commas",
  ),
  {},
);
export const strict = flag('also exit with 1 if the comparison is undecided');
const quiet = flag('hide progress');
const all = flag('show every finding with its tables');
export const html = option('FILE', readHtml, 'write an HTML report; - writes to standard output');

/** Options that state the conditions of a load: load-conditions.ts reads them. */
export const conditionOptions = {
  host: repeated('NAME=ADDRESS', 'load a host from another address: www.example.com=10.0.0.5:8443; repeatable'),
  ca: text('FILE', 'trust the CA in this PEM file, for the host of the page and those of --host'),
  ignoreCertificateErrors: flag('accept any certificate of these hosts'),
  state: text('FILE', 'log in with the storage state that Playwright wrote'),
  access: text(
    'FILE',
    `log in with the access in this JSON file (\${NAME} is a variable of the environment), or, with --server, a stored access by its name`,
  ),
  expectUrl: text('PATTERN', 'no score (login_required) unless the page has this URL'),
  expectSelector: text('SELECTOR', 'no score unless the page has this element'),
  expectText: text('TEXT', 'no score unless the page shows this text'),
};
const blockOption = {
  block: repeated('PATTERN', 'do not load matching URLs; repeatable'),
};
export const loadOptions = { ...blockOption, ...conditionOptions };
/** Options that may be repeated. `--block` of an experiment is another option: it belongs to a variant. */
export const conditionLineOptions: OptionTable = { ...blockOption, host: conditionOptions.host };

export const where = {
  server: withHelp(server, 'use a running service, like RANGELIGHT_SERVER; by default the command starts one'),
  apiKey,
  json,
  quiet,
  noColor,
  help,
};

export const measuring = {
  psi: flag(
    'use PageSpeed Insights: Google if PSI_API_KEY is set, the server at PSI_ENDPOINT if that is set, otherwise this machine with PSI settings',
  ),
  compare: flag('use both, and explain why their scores differ'),
  ...measuringFlags,
  ...loadOptions,
  file: text(
    'FILE',
    'read URLs from a file, one per line or separated by commas; - as FILE or URL reads standard input',
  ),
};

export const outputs = {
  server,
  apiKey,
  all,
  json: withHelp(json, `${json.help}: an object for one result, an array for several`),
  ndjson: flag('print each result with its index as a line of JSON as soon as it is done'),
  html: withHelp(
    html,
    'write an HTML report. For several results, FILE is a folder with an index.html; - writes to standard output',
  ),
  junit: text('FILE', 'write assertions and baselines as JUnit XML'),
  markdown: text('FILE', 'write assertions and baselines as Markdown'),
  quiet,
  noColor: withHelp(
    noColor,
    `${noColor.help}, like NO_COLOR=1. FORCE_COLOR=1 and FORCE_HYPERLINK=1 enable them without a terminal. COLUMNS=120 sets the width of tables`,
  ),
};

export const checks = {
  assert: repeated(
    "'performance>=90' --assert 'LCP<=2.5s'",
    `fail unless the assertion is true; repeatable. Quote it, because the shell interprets < and >.
Operators: <, <=, >=, >. A missing value fails. Names:
  performance, accessibility, best-practices, seo
  agentic-browsing: percentage of its audits that passed
  FCP, LCP, TBT, CLS, SI, TTI, TTFB, or the long name
  script-size, image-count, third-party-size, total-size
  unused-javascript: number of items that an audit lists
  unused-javascript-score: score of an audit
Prefix a name with psi. or lighthouse. for one side of a comparison. Prefix an assertion with 'warn' to warn instead of fail, and with a URL pattern: 'warn /shop/* LCP<=2s'`,
  ),
  assertPreset: repeated(
    'NAME',
    `use a set of assertions; repeatable
  good-vitals   LCP, TBT and CLS are good
  good-scores   every measured category is 90 or more
  no-errors     no console errors, no failed requests,
                everything over https
  budget-light  1 MB in 50 requests, 300 KB of scripts
(docs/command-line.md has each line)`,
  ),
  assertFile: text('FILE', "read assertions from a file, one per line; 'preset NAME' adds a preset"),
};

export const stored = {
  baseline: text(
    'NAME',
    'compare with the results under this label, or with the result with this id; use it with --runs 5',
  ),
  minEffect: withHelp(minEffect, minEffect.help.replace('difference', 'difference from the baseline')),
  strict: withHelp(
    strict,
    'also fail if the comparison with the baseline is undecided, if the results cannot be compared, or on an assertion about a load that other work disturbed',
  ),
};

/** Options whose order matters: each change belongs to the `--variant` before it. */
export const changes = {
  block: repeated('PATTERN', 'do not load matching URLs; * matches any characters'),
  variantUrl: repeated('URL', 'load another page, such as a preview'),
  recipe: repeated(
    'NAME=URL',
    "apply a named change: defer, async, preload, lazy-loading, eager-loading, fetch-priority, font-display, single-point-of-failure. A value follows a space: 'fetch-priority=hero.jpg high'. Replace text with 'find-and-replace=TEXT=>OTHER TEXT'",
  ),
  header: repeated("'NAME: VALUE'", 'send a request header to the origin of the page'),
  variant: repeated('NAME', 'start another variant with the changes that follow; at most 5'),
};
