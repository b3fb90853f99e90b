/**
 * Every option of a measurement, stated once: its values, its default, its help, and where it applies. Request schemas,
 * jobs, schedules, flags of the command, the CI configuration, MCP inputs and the form derive from this table. The page
 * imports this module too, so it imports no library: option-schemas.ts makes schemas of the rows.
 */
import type { Conditions } from './conditions/conditions.ts';
import { categoryNames, cpuChoices, profiles, type RequestCategory, requestCategories, strategies } from './names.ts';

/**
 * Places in which options apply: `psi` and `page` are requests (`/psi`; `/lighthouse` and `/compare`), `batch` is the
 * body of `POST /psi`, `stored` is queries of stored results, `command` is `rangelight URL`, and `ci` the configuration
 * of `rangelight ci`.
 */
type OptionPlace = 'psi' | 'batch' | 'page' | 'schedule' | 'experiment' | 'stored' | 'mcp' | 'ci' | 'command' | 'form';

/** How one place differs from the row. */
type AtPlace = {
  readonly help?: string;
  readonly values?: readonly string[];
  readonly default?: string | number;
  /** JSON Schema keywords that only this place has. */
  readonly bounds?: Readonly<Record<string, unknown>>;
  /** Placeholder of the value on the command line; absent for a flag. */
  readonly placeholder?: string;
  /** Legend in the form, and by value its label and its words in a summary, which does not name the default. */
  readonly legend?: string;
  readonly choices?: readonly FormChoice[];
};
type FormChoice = readonly [value: string, label: string, summary?: string];

/**
 * A row. A `choice` is one of its values, a `list` is several of them, a `flag` is true or false, a `line` is one line
 * of text, and `runs` is a number of runs or `auto`. A `condition` is an object or a list, which no query has:
 * conditions.ts has its schema.
 */
export type OptionRow = {
  readonly type: 'choice' | 'list' | 'flag' | 'line' | 'runs' | 'condition';
  readonly values?: readonly string[];
  /** Value of an absent option; absent for all categories with a score, no label, and no condition. */
  readonly default?: string | number | boolean;
  /** Sentence for the API, and for every place without its own. */
  readonly help: string;
  readonly at: Readonly<Partial<Record<OptionPlace, AtPlace>>>;
};

const strategyChoices = [...strategies, 'both'] as const;

const conditionPlaces = { page: {}, schedule: {}, experiment: {}, mcp: {}, ci: {} } as const;

const measuringOptions = {
  strategy: {
    type: 'choice',
    values: strategies,
    default: 'mobile',
    help: 'Device strategy',
    at: {
      psi: { values: strategyChoices, default: 'both' },
      batch: { values: strategyChoices, default: 'both' },
      page: {},
      schedule: { values: strategyChoices, help: 'Device strategy; `both` only with `psi`' },
      experiment: {},
      mcp: { help: 'Defaults to mobile' },
      command: { values: strategyChoices, placeholder: 'NAME', help: 'mobile (default), desktop, or both' },
    },
  },
  categories: {
    type: 'list',
    values: requestCategories,
    help: `Comma-separated categories: ${requestCategories.join(', ')}; defaults to all but the last`,
    at: {
      psi: {},
      batch: { help: 'Categories to analyse; all but agentic-browsing when absent, null or empty' },
      page: {},
      schedule: { help: 'Categories to analyse; all when absent, null or empty' },
      mcp: { help: 'Defaults to all but agentic-browsing' },
      ci: { help: 'Default: all but agentic-browsing', bounds: { minItems: 1, uniqueItems: true } },
      command: {
        placeholder: 'LIST',
        help: 'comma-separated list of performance, accessibility, best-practices and seo; all four by default. Add agentic-browsing to measure it too',
      },
    },
  },
  detailed: {
    type: 'flag',
    default: false,
    help: 'Full audit data with detail tables',
    at: {
      psi: {},
      batch: { help: 'When true, the result carries the full audit data with detail tables' },
      stored: {},
    },
  },
  runs: {
    type: 'runs',
    default: 1,
    help: 'Number of local runs, one after the other; the median run is reported. `auto`: run until the median of every score is known to within 2 points, at most 9 times',
    at: {
      page: {},
      schedule: { help: 'Local runs of each page; several are needed for a verdict' },
      mcp: {
        help: 'Number of local Lighthouse runs. auto: repeats until the medians are known; use it to compare builds',
      },
      ci: { help: 'Runs of each page; auto (default): until the medians are known to within 2 points' },
      command: {
        placeholder: 'N',
        help: 'local runs, 1 to 5; the median run is shown. auto: run until the median of every score is known to within 2 points, at most 9 runs',
      },
      form: {
        legend: 'Local runs',
        choices: [
          ['1', '1'],
          ['3', '3', '3 runs'],
          ['5', '5', '5 runs'],
          ['auto', 'Until stable (max. 9)', 'runs until stable'],
        ],
      },
    },
  },
  profile: {
    type: 'choice',
    values: profiles,
    default: 'lighthouse',
    help: "Settings of local audits: Lighthouse's own defaults, or those of PageSpeed Insights",
    at: {
      page: {},
      schedule: { help: 'Settings of local audits' },
      experiment: { help: "Lighthouse's default settings, or those of PageSpeed Insights" },
      command: { placeholder: 'NAME', help: 'settings of local audits: lighthouse (default) or psi' },
      form: {
        legend: 'Local settings',
        choices: [
          ['lighthouse', 'Lighthouse'],
          ['psi', 'PageSpeed Insights', 'PSI settings'],
        ],
      },
    },
  },
  cpu: {
    type: 'choice',
    values: cpuChoices,
    default: 'default',
    help: 'CPU throttling of local audits: the default of the profile, or `calibrated` to the speed of the machine (mobile only), which reports both scores',
    at: {
      page: {},
      schedule: { help: 'CPU throttling of local mobile audits' },
      command: {
        placeholder: 'calibrated',
        help: 'calibrate the CPU throttling of local mobile runs to the speed of this machine, and show the score with the default throttling too',
      },
      form: {
        legend: 'Local CPU throttling',
        choices: [
          ['default', 'Default'],
          ['calibrated', 'Calibrated', 'CPU calibrated'],
        ],
      },
    },
  },
  exclusive: {
    type: 'flag',
    default: false,
    help: 'Run each local audit alone on the machine, and the two sides one after the other',
    at: {
      page: {},
      command: { help: 'run nothing else on the machine during each audit; with --compare, one side after the other' },
      form: {
        legend: 'Run alone',
        choices: [
          ['false', 'No'],
          ['true', 'Yes', 'alone on the machine'],
        ],
      },
    },
  },
  label: {
    type: 'line',
    help: 'Name of a build or commit, for finding and comparing results',
    at: {
      psi: {},
      batch: {},
      page: {},
      schedule: { help: 'Label of the results' },
      experiment: {},
      stored: {},
      mcp: { help: 'Name of a build or commit, for comparing results' },
      ci: { help: 'Default: BRANCH@COMMIT-RUN' },
      command: { placeholder: 'NAME', help: 'store the results under this label, such as a build or a commit' },
      form: {},
    },
  },
  access: {
    type: 'condition',
    help: 'Credentials and stored state of a private page, and what proves that it was seen; or the name of a stored access',
    at: {
      page: {},
      schedule: { help: 'Name of a stored access to a private page' },
      experiment: {},
      mcp: {},
      ci: {
        help: 'Access to private pages: the path of a JSON file, the name of a stored access, or an object. Its texts may name variables of the environment, its `state` and `login` files',
      },
    },
  },
  block: {
    type: 'condition',
    help: 'Patterns of URLs that are not loaded; `*` matches any characters',
    at: {
      page: {},
      schedule: {},
      experiment: { help: 'Patterns of URLs that no load requests, in addition to those of a variant' },
      mcp: {},
      ci: {},
    },
  },
  hosts: {
    type: 'condition',
    help: 'Addresses of host names for this load, such as `{"www.example.com": "10.0.0.5:8443"}`; certificate and `Host` are still those of the name',
    at: conditionPlaces,
  },
  certificates: {
    type: 'condition',
    help: 'Certificates that this load accepts for the host of the page and the names in `hosts`',
    at: conditionPlaces,
  },
} as const satisfies Readonly<Record<string, OptionRow>>;

export type OptionRows = typeof measuringOptions;
type OptionName = keyof OptionRows;

export type OptionAt<Place extends OptionPlace> = {
  [Name in OptionName]: Place extends keyof OptionRows[Name]['at'] ? Name : never;
}[OptionName];

type ListedValues<Row, Place> = Row extends { at: { [P in Place & string]: { values: readonly (infer V)[] } } }
  ? V
  : Row extends { values: readonly (infer V)[] }
    ? V
    : never;

/** Type of an option's value at a place, as a measurement receives it. */
export type OptionValue<Name extends OptionName, Place extends OptionPlace> = {
  choice: ListedValues<OptionRows[Name], Place>;
  list: readonly RequestCategory[];
  flag: boolean;
  line: string | null;
  runs: number | 'auto';
  condition: Name extends keyof Conditions ? Conditions[Name] : never;
}[OptionRows[Name]['type']];

/**
 * The options of a measurement at one place, complete. This object travels untouched from the route to the worker: a
 * part reads the fields that it uses, and passes on the whole. A condition that was not requested is absent.
 */
export type MeasuringOptions<Place extends OptionPlace> = {
  readonly [Name in Exclude<OptionAt<Place>, keyof Conditions>]: OptionValue<Name, Place>;
} & { readonly [Name in OptionAt<Place> & keyof Conditions]?: Conditions[Name] };

/** Returns the rows at a place, each with what differs there. */
export const optionsAt = <Place extends OptionPlace>(place: Place): [OptionAt<Place>, OptionRow & AtPlace][] =>
  Object.entries<OptionRow>(measuringOptions).flatMap(([name, row]) => {
    const own = row.at[place];
    return own ? [[name as OptionAt<Place>, { ...row, ...own }]] : [];
  });

/** Returns the complete options at a place. Absent ones get their defaults: jobs of earlier versions lack newer ones. */
export const completeOptions = <Place extends OptionPlace>(
  place: Place,
  given: Partial<MeasuringOptions<Place>>,
): MeasuringOptions<Place> =>
  Object.fromEntries(
    optionsAt(place).flatMap(([name, row]) => {
      const value = (given as Readonly<Record<string, unknown>>)[name] ?? row.default;
      if (value === undefined && row.type === 'condition') return [];
      return [[name, value ?? (row.type === 'list' ? categoryNames : null)]];
    }),
  ) as MeasuringOptions<Place>;

export const conditionNames: readonly (keyof Conditions)[] = optionsAt('page').flatMap(([name, { type }]) =>
  type === 'condition' ? [name as keyof Conditions] : [],
);

export const pickConditions = (given: object): Partial<Conditions> =>
  Object.fromEntries(
    conditionNames.flatMap(name => {
      const value = (given as Readonly<Record<string, unknown>>)[name];
      return value !== null && value !== undefined ? [[name, value]] : [];
    }),
  );

export const pickOptions = <Place extends OptionPlace, T extends object>(
  place: Place,
  given: T,
): Pick<T, OptionAt<Place> & keyof T> =>
  Object.fromEntries(
    Object.entries(given).filter(([name]) => optionsAt(place).some(([known]) => known === name)),
  ) as Pick<T, OptionAt<Place> & keyof T>;
