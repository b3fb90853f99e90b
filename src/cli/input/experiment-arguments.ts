/** Reads `experiment URL` with the changes to compare with the page. */
import { parseArgs } from 'node:util';
import {
  experimentBounds,
  fontDisplays,
  type PrimaryMetric,
  primaryMetrics,
  type RecipeName,
  recipeNames,
} from '../../contract/experiments/names.ts';
import { type Profile, profiles, type Strategy, strategies } from '../../contract/names.ts';
import { toHint } from '../../contract/nearest-name.ts';
import { findSubject } from './assertion.ts';
import { toPageUrls } from './gather-pages.ts';
import {
  htmlAndJson,
  type OptionName,
  readChoice,
  readGiven,
  readHtml,
  readKey,
  readServer,
} from './parse-command-line.ts';
import { UsageError } from './usage-error.ts';

type WantedRecipe = { name: RecipeName; url?: string; value?: string; find?: string; replace?: string };

/** A variant in the format of `POST /experiments`. */
type WantedVariant = {
  name?: string;
  url?: string;
  block?: string[];
  headers?: Record<string, string>;
  recipes?: WantedRecipe[];
};

export type ExperimentWanted = {
  /** Request body. */
  readonly request: {
    readonly url: string;
    readonly variants: readonly WantedVariant[];
    readonly strategy: Strategy;
    readonly profile: Profile;
    readonly metric: PrimaryMetric;
    readonly label?: string;
  };
  /** URL of a running service, ending with a slash; undefined for a service of the command's own. */
  readonly server: string | undefined;
  readonly apiKey: string | undefined;
  readonly format: 'table' | 'json';
  /** Path of the HTML report; `-` for the standard output. */
  readonly html: string | undefined;
  readonly isQuiet: boolean;
  readonly hasColor: boolean | undefined;
};

const changeOptions = {
  variant: { type: 'string' },
  block: { type: 'string' },
  'variant-url': { type: 'string' },
  recipe: { type: 'string' },
  header: { type: 'string' },
} as const;
type ChangeName = keyof typeof changeOptions;
type Change = { readonly option: ChangeName; readonly text: string };

const isChange = (name: string): name is ChangeName => Object.hasOwn(changeOptions, name);

/** Returns the changes in order, which determines the variant of each. */
function takeChanges(args: readonly string[], faults: string[]): { changes: Change[]; rest: string[] } {
  const { tokens } = parseArgs({
    args: [...args],
    options: changeOptions,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const taken = new Set<number>();
  const changes: Change[] = [];
  for (const token of tokens) {
    if (token.kind !== 'option' || !isChange(token.name)) continue;
    const { name, index, value, inlineValue } = token;
    taken.add(index);
    if (value === undefined || value === '' || (!inlineValue && value.startsWith('-')))
      faults.push(`--${name} needs a value`);
    else {
      if (!inlineValue) taken.add(index + 1);
      changes.push({ option: name, text: value });
    }
  }
  return { changes, rest: args.filter((_, at) => !taken.has(at)) };
}

/** Parses a recipe: `defer=app.js`, `fetch-priority=hero.jpg high`, `find-and-replace=one=>other`. */
function readRecipe(text: string, faults: string[]): WantedRecipe | undefined {
  const [, name = '', given] = /^([^=]*)(?:=(.*))?$/s.exec(text) ?? [];
  const known = recipeNames.find(recipe => recipe === name);
  if (!known) {
    faults.push(`unknown recipe ${name}${toHint(name, recipeNames)}; recipes are ${recipeNames.join(', ')}`);
    return undefined;
  }
  if (known === 'find-and-replace') {
    const [, find, replace] = /^(.+?)=>(.*)$/s.exec(given ?? '') ?? [];
    if (find !== undefined && replace !== undefined) return { name: known, find, replace };
    faults.push("--recipe find-and-replace needs both texts: 'find-and-replace=TEXT=>OTHER TEXT'");
    return undefined;
  }
  const [url, value] = (given ?? '').trim().split(/\s+/);
  if (known === 'font-display' && fontDisplays.some(display => display === url))
    faults.push(`--recipe font-display needs stylesheets before its value: 'font-display=* ${url}'`);
  return { name: known, ...(url ? { url } : {}), ...(value ? { value } : {}) };
}

/** Parses a header. Errors do not repeat its value, which may be a key. */
function readHeader(text: string, faults: string[]): Record<string, string> {
  const [, name, value = ''] = /^([^:\s]+):\s*(.*)$/s.exec(text) ?? [];
  if (name !== undefined) return { [name]: value };
  faults.push("--header needs a name and a value: 'Name: value'");
  return {};
}

/** Adds a change to a variant; a URL replaces an earlier one. */
function addChange(variant: WantedVariant, { option, text }: Change, faults: string[]): WantedVariant {
  if (option === 'block') return { ...variant, block: [...(variant.block ?? []), text] };
  if (option === 'variant-url') return { ...variant, url: toPageUrls([text])[0] ?? '' };
  if (option === 'header') return { ...variant, headers: { ...variant.headers, ...readHeader(text, faults) } };
  const recipe = readRecipe(text, faults);
  return recipe ? { ...variant, recipes: [...(variant.recipes ?? []), recipe] } : variant;
}

/**
 * Groups changes by variant: `--variant` starts the next one; changes before the first one belong to a variant without
 * a name.
 */
function toVariants(changes: readonly Change[], faults: string[]): WantedVariant[] {
  const variants: WantedVariant[] = [];
  for (const change of changes) {
    if (change.option === 'variant') variants.push({ name: change.text });
    else variants.push(addChange(variants.pop() ?? {}, change, faults));
  }
  const most = experimentBounds.variants;
  if (variants.length === 0)
    faults.push('rangelight experiment needs a change: --block, --variant-url, --recipe or --header');
  if (variants.length > most) faults.push(`an experiment has at most ${most} variants, not ${variants.length}`);
  for (const { name, ...made } of variants)
    if (name !== undefined && Object.keys(made).length === 0) faults.push(`--variant '${name}' has no change after it`);
  return variants;
}

/** Reads a metric, including the short names of assertions. */
function readMetric(text: string | undefined, faults: string[]): PrimaryMetric {
  const name = text === undefined ? 'largest_contentful_paint' : findSubject(text)?.name;
  const metric = primaryMetrics.find(known => known === name);
  if (!metric) faults.push(`--metric must be performance, FCP, LCP, SI, TBT or TTFB, not '${text}'`);
  return metric ?? 'largest_contentful_paint';
}

const allowed: readonly OptionName[] = [
  ...(['strategy', 'profile', 'metric', 'label', 'server', 'api-key', 'json', 'html', 'quiet', 'no-color'] as const),
];

/** @throws UsageError */
export function readExperimentArguments(args: readonly string[], env: NodeJS.ProcessEnv): ExperimentWanted {
  const faults: string[] = [];
  const { changes, rest } = takeChanges(args, faults);
  const { flags, values, assertions, pages } = readGiven(rest, faults);
  const given = [...flags, ...(Object.keys(values) as OptionName[]), ...assertions.map(({ option }) => option)];
  const unknown = [...new Set(given)].filter(name => !allowed.includes(name));
  faults.push(...unknown.map(name => `rangelight experiment has no option --${name}`));
  const urls = toPageUrls(pages);
  if (urls.length !== 1) faults.push('rangelight experiment needs the URL of one page');
  const request = {
    url: urls[0] ?? '',
    variants: toVariants(changes, faults),
    strategy: readChoice('strategy', values.strategy, strategies, faults) ?? 'mobile',
    profile: readChoice('profile', values.profile, profiles, faults) ?? 'lighthouse',
    metric: readMetric(values.metric, faults),
    ...(values.label === undefined ? {} : { label: values.label }),
  };
  if (readHtml(values) === '-' && flags.has('json')) faults.push(htmlAndJson);
  const wanted: ExperimentWanted = {
    request,
    server: readServer(values.server, faults),
    apiKey: readKey(values['api-key'], env.RANGELIGHT_API_KEY, faults),
    format: flags.has('json') ? 'json' : 'table',
    html: readHtml(values),
    isQuiet: flags.has('quiet'),
    hasColor: flags.has('no-color') ? false : undefined,
  };
  if (faults.length > 0) throw new UsageError(faults);
  return wanted;
}
