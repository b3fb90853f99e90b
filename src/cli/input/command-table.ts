/**
 * Every command with its options. Parsing, the options that a command allows, `--help`, and the tables of
 * docs/command-line.md derive from this table.
 */
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
  categoryNames,
  isCustomMetricName,
  type MetricName,
  maxSample,
  profiles,
  strategies,
} from '../../contract/names.ts';
import { toHint } from '../../contract/nearest-name.ts';
import { metricWords } from '../../presentation/words.ts';
import { findSubject } from './assertion.ts';
import {
  choice,
  flag,
  type Option,
  type OptionTable,
  readChoice,
  readHtml,
  readKey,
  readServer,
  repeated,
  text,
  withDefault,
} from './command-line.ts';
import { type MinEffect, readMinEffect } from './min-effect.ts';
import { UsageError } from './usage-error.ts';

/** A list in a help text: names with their meanings, in two columns. */
type HelpList = { readonly title: string; readonly rows: readonly (readonly [name: string, meaning: string])[] };

export type CommandRow = {
  /** Arguments after the name of the command. */
  readonly usage: string;
  /** Line in `rangelight --help`. */
  readonly summary: string;
  /** First sentence of the command's own help. */
  readonly about: string;
  readonly options: OptionTable;
  /** Headings before an option in a long help. */
  readonly headings?: Readonly<Record<string, string>>;
  readonly lists?: readonly HelpList[];
  readonly notes?: string;
  /** Number of arguments; undefined if the command checks them itself. */
  readonly words?: number;
  /** Fault of another number of arguments. */
  readonly wordsFault?: string;
};

/** Readers of the types in the table of measuring options. */
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
function readHistoryMetric(given: string): Category | MetricName | CustomMetricName {
  const subject = findSubject(given);
  if (subject && subject.kind !== 'fraction') return subject.name;
  const names = [...categoryNames, ...Object.keys(metricWords)];
  throw new UsageError([`unknown score or metric ${given}${toHint(given, names)}`]);
}

function readPrimaryMetric(given: string): PrimaryMetric {
  const name = findSubject(given)?.name;
  const metric = primaryMetrics.find(known => known === name);
  if (metric) return metric;
  if (name && isCustomMetricName(name)) return name;
  throw new Error(`must be performance, FCP, LCP, SI, TBT, TTFB or a custom metric such as mark:NAME, not '${given}'`);
}

function readSample(given: string): number {
  const count = Number(given);
  if (Number.isInteger(count) && count >= 1 && count <= maxSample) return count;
  throw new Error(`must be a number from 1 to ${maxSample}, not '${given}'`);
}

const option = <T>(value: string, read: (given: string) => T, help: string): Option<T | undefined> => ({
  value,
  help,
  default: undefined,
  read,
});

const withHelp = <T>(given: Option<T>, help: string): Option<T> => ({ ...given, help });

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
const strategy = withDefault(choice('NAME', strategies, 'mobile (default) or desktop'), 'mobile');
const label = text('NAME', 'only results with this label');
const minEffect = withDefault<MinEffect>(
  option(
    'SIZE',
    readMinEffect,
    "smallest difference that matters, such as '3 points', '100 ms' or '5 %'; separate several with commas",
  ),
  {},
);
const strict = flag('also exit with 1 if the comparison is undecided');
const quiet = flag('hide progress');
const all = flag('show every finding with its tables');
const html = option('FILE', readHtml, 'write an HTML report; - writes to standard output');

/** Options that state the conditions of a load: load-conditions.ts reads them. */
export const conditionOptions = {
  host: repeated('NAME=ADDRESS', 'load a host from another address: www.example.com=10.0.0.5:8443; repeatable'),
  ca: text('FILE', 'trust the CA in this PEM file, for the host of the page and those of --host'),
  ignoreCertificateErrors: flag('accept any certificate of these hosts'),
  state: text('FILE', 'log in with the storage state that Playwright wrote'),
  access: text(
    'FILE',
    `log in with the access in this JSON file (\${NAME} is a variable of the environment), or a stored access by its name`,
  ),
  expectUrl: text('PATTERN', 'no score (login_required) unless the page has this URL'),
  expectSelector: text('SELECTOR', 'no score unless the page has this element'),
  expectText: text('TEXT', 'no score unless the page shows this text'),
};
const blockOption = {
  block: repeated('PATTERN', 'do not load matching URLs; repeatable'),
};
/** Those that may be repeated. `--block` of an experiment is another option: it belongs to a variant. */
export const conditionLineOptions: OptionTable = { ...blockOption, host: conditionOptions.host };

/** Options of every command that reads or measures with a service. */
const where = {
  server: withHelp(server, 'use a running service, like RANGELIGHT_SERVER; by default the command starts one'),
  apiKey,
  json,
  quiet,
  noColor,
  help,
};

const measuring = {
  psi: flag(
    'use PageSpeed Insights: Google if PSI_API_KEY is set, the server at PSI_ENDPOINT if that is set, otherwise this machine with PSI settings',
  ),
  compare: flag('use both, and explain why their scores differ'),
  ...measuringFlags,
  ...blockOption,
  ...conditionOptions,
  file: text(
    'FILE',
    'read URLs from a file, one per line or separated by commas; - as FILE or URL reads standard input',
  ),
};

const outputs = {
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

const checks = {
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

const stored = {
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
const changes = {
  block: repeated('PATTERN', 'do not load matching URLs; * matches any characters'),
  variantUrl: repeated('URL', 'load another page, such as a preview'),
  recipe: repeated(
    'NAME=URL',
    "apply a named change: defer, async, preload, lazy-loading, eager-loading, fetch-priority, font-display, single-point-of-failure. A value follows a space: 'fetch-priority=hero.jpg high'. Replace text with 'find-and-replace=TEXT=>OTHER TEXT'",
  ),
  header: repeated("'NAME: VALUE'", 'send a request header to the origin of the page'),
  variant: repeated('NAME', 'start another variant with the changes that follow; at most 5'),
};

export const commands = {
  measure: {
    usage: '[options] URL...',
    summary: 'measure pages, with local Lighthouse unless an option selects PSI',
    about: 'Measure web pages, explain score differences, and check pages in CI.',
    options: {
      ...measuring,
      ...{ server, apiKey },
      ...outputs,
      ...checks,
      ...stored,
      ...{ help, version: flag('print the version') },
    },
    headings: {
      psi: 'Measuring',
      block: 'Conditions of the load',
      file: 'Pages',
      server: 'Service',
      all: 'Output',
      assert: 'Checks in CI',
      baseline: 'Stored results',
      help: 'Help',
    },
    lists: [
      {
        title: 'Exit codes',
        rows: [
          ['0', 'measured, and all assertions passed'],
          ['1', 'an assertion failed, or a page is worse than its baseline (with --strict: or undecided)'],
          ['2', 'invalid usage; nothing was measured'],
          [
            '3',
            'a page could not be measured, or a result or report could not be written (even if an assertion failed too)',
          ],
          ['130', 'cancelled by Ctrl-C (143 by SIGTERM)'],
        ],
      },
    ],
  },
  'compare-builds': {
    usage: '[options] BEFORE-URL AFTER-URL',
    summary: 'measure two builds of a page in turn, and judge whether the second is worse',
    about: 'Measure two builds of a page in turn, and judge whether the second is better or worse.',
    options: { strategy, minEffect, strict, ...blockOption, ...conditionOptions, ...where },
    words: 2,
    wordsFault: 'needs two URLs: the build before and the build after',
  },
  experiment: {
    usage: '[options] URL',
    summary: 'measure a change to a page, such as a blocked script; see its own --help',
    about:
      'Measure changes to a page against the unchanged page, in pairs of loads, and judge whether each makes it better or worse.',
    words: 1,
    wordsFault: 'needs the URL of one page',
    options: {
      ...changes,
      metric: withDefault<PrimaryMetric>(
        option('NAME', readPrimaryMetric, 'metric that decides: LCP (default), FCP, SI, TBT, TTFB or performance'),
        'largest_contentful_paint',
      ),
      strategy,
      profile: withDefault(choice('NAME', profiles, 'lighthouse (default) or psi'), 'lighthouse'),
      label: withHelp(label, 'label of the experiment'),
      ...conditionOptions,
      html,
      ...where,
      quiet: withHelp(quiet, 'hide the plan and progress'),
    },
    notes:
      'Without --server, the experiment ends when the command does, and is stored unless DATA_DIR is none. The exit code is 1 if a variant is worse, and 3 if a variant was not measured.',
  },
  'what-if': {
    usage: '[options] URL|ID',
    summary:
      'predict the score without each third party, on other devices, and with all fixes; a URL is measured first',
    about:
      'Predict the score of a page without each third party, on other devices, and with all findings fixed. A URL is measured first; for a stored result, give its id.',
    options: {
      strategy: withHelp(strategy, `${strategy.help}; for a URL only`),
      ...blockOption,
      ...conditionOptions,
      ...where,
    },
    words: 1,
    wordsFault: 'needs the URL of one page, or the id of one result',
  },
  ci: {
    usage: '[options]',
    summary: 'measure the pages of a project, and fail when they get worse; see its own --help',
    about: `Measure the pages of a project, and fail when they get worse.

The configuration is rangelight.config.json (or .js) in this folder, or else a lighthouserc.`,
    options: {
      config: text('FILE', 'read the configuration from this file'),
      server: withHelp(
        server,
        'store results in a running service, with the key in RANGELIGHT_API_KEY. By default they are stored in the folder .rangelight',
      ),
      apiKey,
      baseline: text('LABEL', 'compare with the results under this label'),
      baselineFile: text(
        'FILE',
        'compare with the results in a file that --json or "output.results" of the configuration wrote',
      ),
      label: withHelp(label, 'store the results under this label; by default BRANCH@COMMIT-RUN'),
      strict: withHelp(strict, 'also fail if a comparison is undecided, or if results cannot be compared'),
      ...blockOption,
      ...conditionOptions,
      json: withHelp(json, 'print the outcome as JSON'),
      junit: text('FILE', 'write JUnit XML'),
      markdown: text('FILE', 'write Markdown; GITHUB_STEP_SUMMARY gets a copy'),
      gitlab: text('FILE', "write GitLab's browser_performance report"),
      dryRun: flag(
        'print the pages, runs, settings and assertions that the configuration means, each with its line, and what is left out; measure nothing',
      ),
      printSchema: flag('print the JSON schema of the configuration'),
      quiet: withHelp(quiet, 'hide the line for each result'),
      noColor: withHelp(noColor, 'disable colours'),
      help,
    },
    words: 0,
    wordsFault: 'takes its pages from "urls" of the configuration',
    lists: [
      {
        title: 'Exit codes',
        rows: [
          ['0', 'nothing got worse and no budget was exceeded, or the baseline was created'],
          ['1', 'a page got worse, or a budget was exceeded'],
          ['2', 'invalid usage or configuration; nothing was measured'],
          ['3', 'a page could not be measured, or the service or a file could not be used'],
        ],
      },
    ],
  },
  mcp: {
    usage: '[--server URL]',
    summary: 'serve tools for agents over the Model Context Protocol',
    about: 'Serve the Model Context Protocol on standard input and output.',
    options: {
      server: withHelp(
        server,
        'use a running service, which serves the same tools at /mcp. By default the command starts one, with the settings in the environment',
      ),
      apiKey,
      help,
    },
    words: 0,
    wordsFault: 'takes no URL: its tools do',
  },
  history: {
    usage: '[options] URL',
    summary: 'show the values of a page over time, and when they changed',
    about: 'Show the stored values of a page, and when they changed.',
    options: {
      metric: withDefault(
        option('NAME', readHistoryMetric, 'category or metric, such as LCP; performance by default'),
        'performance',
      ),
      strategy,
      source: withDefault(choice('NAME', ['lighthouse', 'psi'], 'lighthouse (default) or psi'), 'lighthouse'),
      label,
      since: text('TIME', 'only results measured at this time or later; ISO 8601 time or date'),
      until: text('TIME', 'only results measured before this time'),
      ...where,
    },
    words: 1,
    wordsFault: 'needs the URL of one page',
  },
  site: {
    usage: '[options] URL',
    summary: 'find the pages of a site, one URL per line',
    about: `Find the pages of a site, from its sitemaps or by its links, and print their URLs, one per line.
Measure three pages of each kind: rangelight site --sample 3 URL | rangelight -`,
    options: {
      sample: option('N', readSample, 'only N pages of each route template, the same ones each time'),
      ...where,
      quiet: withHelp(quiet, 'hide the route templates'),
    },
    words: 1,
    wordsFault: 'needs the URL of one site, sitemap or page',
  },
  note: {
    usage: '[options] URL TEXT',
    summary: 'add a note, such as a deploy, to the histories of a site',
    about: 'Add a note, such as a deploy, to the histories of a site. A change names the notes at its time.',
    options: {
      page: flag('the note is about this page only, not about its whole site'),
      time: text('TIME', 'time of the event; now by default'),
      link: text('URL', 'page with more about the event'),
      ...where,
    },
    words: 2,
    wordsFault: 'needs the URL of a site, and one text in quotes',
  },
  show: {
    usage: '[options] ID',
    summary: 'show a stored result',
    about: 'Show a stored result.',
    options: { all, ...where },
    words: 1,
    wordsFault: 'needs the id of one result',
  },
  serve: {
    usage: '[settings]',
    summary: 'start the service; see its own --help',
    about: 'Start the service.',
    options: {},
  },
  store: {
    usage: 'COMMAND',
    summary: 'check, salvage or copy stored results, or confirm the clock; see its own --help',
    about: 'Check, salvage and copy stored results. Stop the service first.',
    options: { quiet, help },
    lists: [
      {
        title: 'Commands',
        rows: [
          ['rangelight store check [PLACE]', 'check for damage; by default in the store at DATABASE_URL or DATA_DIR'],
          ['rangelight store salvage FROM TO', 'copy the readable rows of a damaged file'],
          [
            'rangelight store copy FROM TO',
            'copy everything except the cache, for example from a folder to PostgreSQL',
          ],
          [
            'rangelight store trust-clock [PLACE]',
            'confirm that the clock is right, so that old results are removed again',
          ],
        ],
      },
    ],
    notes: `A place is a DATA_DIR, a .sqlite file, or a PostgreSQL URL. Rows that TO already has are not overwritten, so you can repeat a command that was stopped.

Exit codes: 0 no damage, or everything copied · 1 damage, or rows that could not be copied · 2 invalid usage · 3 the store cannot be used`,
  },
  import: {
    usage: 'FILE',
    summary: 'import the database of a Lighthouse CI server; see its own --help',
    about:
      'Import the SQLite database of a Lighthouse CI server: its projects, builds and results are copied into the store at DATABASE_URL or DATA_DIR.',
    options: { quiet, help },
    notes: `Tokens stay valid: clients only need a new serverBaseUrl. FILE is not modified. Rows that the store already has are not overwritten, so you can repeat a command that was stopped. KEEP_DAYS counts from the import.

Exit codes: 0 everything imported · 1 some results could not be imported · 2 invalid usage · 3 the file or the store cannot be used`,
  },
} as const satisfies Readonly<Record<string, CommandRow>>;

export type CommandName = keyof typeof commands;

/** Returns whether a first argument names a command; without one, the arguments are pages to measure. */
export const isCommandName = (word: string | undefined): word is Exclude<CommandName, 'measure' | 'serve'> =>
  word !== undefined && word !== 'measure' && word !== 'serve' && Object.hasOwn(commands, word);
