/** Every command with its options, from which parsing, `--help` and tables of docs/command-line.md derive. */
import type { PrimaryMetric } from '../../contract/experiments/names.ts';
import { profiles } from '../../contract/names.ts';
import { choice, flag, type OptionTable, option, text, withDefault, withHelp } from './command-line.ts';
import {
  changes,
  checks,
  conditionOptions,
  html,
  label,
  loadOptions,
  measuring,
  minEffect,
  outputs,
  readHistoryMetric,
  readPrimaryMetric,
  readSample,
  stored,
  strategy,
  strict,
  where,
} from './option-table.ts';

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
  readonly headings?: Readonly<Record<string, string>>;
  readonly lists?: readonly HelpList[];
  readonly notes?: string;
  /** Number of arguments; undefined if the command checks them itself. */
  readonly words?: number;
  /** Fault of another number of arguments. */
  readonly wordsFault?: string;
};

export const commands = {
  measure: {
    usage: '[options] URL...',
    summary: 'measure pages, with local Lighthouse unless an option selects PSI',
    about: 'Measure web pages, explain score differences, and check pages in CI.',
    options: {
      ...measuring,
      ...outputs,
      ...checks,
      ...stored,
      ...{ help: where.help, version: flag('print the version') },
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
    options: { strategy, minEffect, strict, ...loadOptions, ...where },
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
      quiet: withHelp(where.quiet, 'hide the plan and progress'),
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
      ...loadOptions,
      ...where,
    },
    words: 1,
    wordsFault: 'needs the URL of one page, or the id of one result',
  },
  ci: {
    usage: '[options]',
    summary: 'measure the pages of a project, and fail when they get worse; see its own --help',
    about: `Measure the pages of a project, and fail when they get worse.

The configuration is rangelight.config.json (or .js) in this folder, such as { "urls": ["https://example.com/"], "assert": ["performance>=90"] }, or else a lighthouserc. Pages are measured as mobile and as desktop, unless it says otherwise.`,
    options: {
      config: text('FILE', 'read the configuration from this file'),
      server: withHelp(
        where.server,
        'store results in a running service, with the key in RANGELIGHT_API_KEY. By default they are stored in the folder .rangelight',
      ),
      apiKey: where.apiKey,
      baseline: text('LABEL', 'compare with the results under this label'),
      baselineFile: text(
        'FILE',
        'compare with the results in a file that --json or "output.results" of the configuration wrote',
      ),
      label: withHelp(label, 'store the results under this label; by default BRANCH@COMMIT-RUN'),
      strict: withHelp(strict, 'also fail if a comparison is undecided, or if results cannot be compared'),
      ...loadOptions,
      json: withHelp(where.json, 'print the outcome as JSON'),
      junit: text('FILE', 'write JUnit XML'),
      markdown: text('FILE', 'write Markdown; GITHUB_STEP_SUMMARY gets a copy'),
      gitlab: text('FILE', "write GitLab's browser_performance report"),
      dryRun: flag(
        'print the pages, runs, settings and assertions that the configuration means, each with its line, and what is left out; measure nothing',
      ),
      printSchema: flag('print the JSON schema of the configuration'),
      quiet: withHelp(where.quiet, 'hide the line for each result'),
      noColor: withHelp(where.noColor, 'disable colours'),
      help: where.help,
    },
    words: 0,
    wordsFault: 'takes its pages from "urls" of the configuration',
    lists: [
      {
        title: 'Exit codes',
        rows: [
          ['0', 'no page got worse and no budget was exceeded, or the baseline was created'],
          ['1', 'a page got worse, or a budget was exceeded or not measured in every run'],
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
        where.server,
        'use a running service, which serves the same tools at /mcp. By default the command starts one, with the settings in the environment',
      ),
      apiKey: where.apiKey,
      help: where.help,
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
      conditions: text(
        'NAME',
        'results under these conditions: the `id` in `conditions` of a result; by default, those without any',
      ),
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
      quiet: withHelp(where.quiet, 'hide the route templates'),
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
    options: { all: outputs.all, ...where },
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
    options: { quiet: where.quiet, help: where.help },
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
    options: { quiet: where.quiet, help: where.help },
    notes: `Tokens stay valid: clients only need a new serverBaseUrl. FILE is not modified. Rows that the store already has are not overwritten, so you can repeat a command that was stopped. KEEP_DAYS counts from the import.

Exit codes: 0 everything imported · 1 some results could not be imported · 2 invalid usage · 3 the file or the store cannot be used`,
  },
} as const satisfies Readonly<Record<string, CommandRow>>;

export type CommandName = keyof typeof commands;

/** Returns whether a first argument names a command; without one, the arguments are pages to measure. */
export const isCommandName = (word: string | undefined): word is Exclude<CommandName, 'measure' | 'serve'> =>
  word !== undefined && word !== 'measure' && word !== 'serve' && Object.hasOwn(commands, word);
