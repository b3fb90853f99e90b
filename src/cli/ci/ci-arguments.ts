/** Reads the options of `rangelight ci`, which override the configuration. */
import { type Given, type OptionName, readGiven, readKey, readServer } from '../input/parse-command-line.ts';
import { UsageError } from '../input/usage-error.ts';

export const ciHelp = `Measure the pages of a project, and fail when they get worse.

  rangelight ci [options]

The configuration is rangelight.config.json (or .js) in this folder, or else a
lighthouserc.

  --config FILE        read the configuration from this file
  --server URL         store results in a running service, with the key in
                       RANGELIGHT_API_KEY. By default they are stored in the
                       folder .rangelight
  --baseline LABEL     compare with the results under this label
  --baseline-file FILE compare with the results in a file that --json or
                       "output.results" of the configuration wrote
  --label NAME         store the results under this label; by default
                       BRANCH@COMMIT-RUN
  --strict             also fail if a comparison is undecided, or if results
                       cannot be compared
  --json               print the outcome as JSON
  --junit FILE         write JUnit XML
  --markdown FILE      write Markdown; GITHUB_STEP_SUMMARY gets a copy
  --gitlab FILE        write GitLab's browser_performance report
  --dry-run            print the pages, runs, settings and assertions that the
                       configuration means, each with its line, and what is left
                       out; measure nothing
  --print-schema       print the JSON schema of the configuration
  --quiet              hide the line for each result
  --no-color           disable colours

Exit codes
  0    nothing got worse and no budget was exceeded, or the baseline was created
  1    a page got worse, or a budget was exceeded
  2    invalid usage or configuration; nothing was measured
  3    a page could not be measured, or the service or a file could not be used
`;

export type CiWanted = {
  readonly config: string | undefined;
  readonly server: string | undefined;
  readonly apiKey: string | undefined;
  readonly baseline: string | undefined;
  readonly baselineFile: string | undefined;
  readonly label: string | undefined;
  readonly isStrict: boolean;
  readonly isJson: boolean;
  readonly isDryRun: boolean;
  readonly files: {
    readonly junit: string | undefined;
    readonly markdown: string | undefined;
    readonly gitlab: string | undefined;
  };
  readonly isQuiet: boolean;
  readonly hasColor: boolean | undefined;
  readonly shows: 'help' | 'schema' | undefined;
};

const allowed: readonly OptionName[] = [
  ...([
    'config',
    'server',
    'api-key',
    'baseline',
    'baseline-file',
    'label',
    'strict',
    'json',
    'junit',
    'markdown',
  ] as const),
  ...(['gitlab', 'dry-run', 'print-schema', 'quiet', 'no-color', 'help'] as const),
];

const toShows = ({ flags }: Given): CiWanted['shows'] => {
  if (flags.has('help')) return 'help';
  return flags.has('print-schema') ? 'schema' : undefined;
};

/** @throws UsageError */
export function readCiArguments(args: readonly string[], env: NodeJS.ProcessEnv): CiWanted {
  const faults: string[] = [];
  const given = readGiven(args, faults);
  const { flags, values, assertions, pages } = given;
  const names = [...flags, ...(Object.keys(values) as OptionName[]), ...assertions.map(({ option }) => option)];
  const unknown = [...new Set(names)].filter(name => !allowed.includes(name));
  faults.push(...unknown.map(name => `rangelight ci has no option --${name}`));
  if (pages.length > 0) faults.push('rangelight ci takes its pages from "urls" of the configuration');
  const wanted: CiWanted = {
    config: values.config,
    server: readServer(values.server, faults),
    apiKey: readKey(values['api-key'], env.RANGELIGHT_API_KEY, faults),
    baseline: values.baseline,
    baselineFile: values['baseline-file'],
    label: values.label,
    isStrict: flags.has('strict'),
    isJson: flags.has('json'),
    isDryRun: flags.has('dry-run'),
    files: { junit: values.junit, markdown: values.markdown, gitlab: values.gitlab },
    isQuiet: flags.has('quiet'),
    hasColor: flags.has('no-color') ? false : undefined,
    shows: toShows(given),
  };
  if (wanted.baseline !== undefined && wanted.baselineFile !== undefined)
    faults.push('pass --baseline or --baseline-file, not both');
  if (faults.length > 0) throw new UsageError(faults);
  return wanted;
}
