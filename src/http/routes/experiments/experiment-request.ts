/** Reads the request of an experiment, and reports all faults at once. */
import { AnalysisError } from '../../../contract/errors.ts';
import { experimentBounds, fontDisplays, type RecipeName } from '../../../contract/experiments/names.ts';
import { guessPreloadType, preloadTypes } from '../../../contract/experiments/preload-type.ts';
import { ExperimentRequest, type Recipe, type Variant } from '../../../contract/experiments/request.ts';
import { matchesPattern } from '../../../contract/experiments/url-patterns.ts';
import { isStorableText } from '../../../contract/fields.ts';
import type { ReadExperiment } from '../../../explain/experiments/describe.ts';
import { type ReceivedBody, readBody } from '../../input/read-input.ts';
import { type AcceptSources, refusalOf } from '../jobs/accept-job.ts';

type Fault = { field: (string | number)[]; fault: string };
type Sources = Pick<AcceptSources, 'policy' | 'analyser'>;

const withoutFragment = (url: string): string => url.replace(/#.*$/s, '');

/** Explains why a pattern is refused for a page. */
export function patternFault(pattern: string, page: string): string | undefined {
  if (!isStorableText(pattern)) return 'it must not contain U+0000 or half of a surrogate pair';
  if (/^[*?/:.]*$/.test(pattern)) return 'this pattern matches every URL: name a host or a path';
  return matchesPattern(withoutFragment(page), pattern) ? 'this pattern matches the page itself' : undefined;
}

const isWeb = (url: string): boolean => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);

const valueFault = (value: string | null, allowed: readonly string[]): string | undefined =>
  value === null || allowed.includes(value) ? undefined : `\`value\` must be one of: ${allowed.join(', ')}`;

/** Finds faults by the name of a recipe; other recipes need no check. */
const recipeFaults: Readonly<Partial<Record<RecipeName, (recipe: Recipe, page: string) => string | undefined>>> = {
  'single-point-of-failure': ({ url }, page) => (url === null ? 'it needs `url`' : patternFault(url, page)),
  preload: ({ url, value }) => {
    if (url === null || !isWeb(url)) return '`url` must be the URL to preload';
    const type = value ?? guessPreloadType(url);
    return type === undefined
      ? `the extension of the URL has no known type: set \`value\` to one of: ${preloadTypes.join(', ')}`
      : valueFault(type, preloadTypes);
  },
  'font-display': ({ url, value }) =>
    fontDisplays.some(known => known === url)
      ? `\`url\` is the pattern of stylesheets: set \`value\` to ${url} instead`
      : valueFault(value, fontDisplays),
  'fetch-priority': ({ url, value }) =>
    url !== null && (value === 'high' || value === 'low')
      ? undefined
      : 'it needs `url`, and `high` or `low` as `value`',
  'find-and-replace': ({ find, replace }) => (find && replace !== null ? undefined : 'it needs `find` and `replace`'),
};

/** Token of RFC 9110, section 5.6.2. */
const token = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/;
const ownHeaders =
  /^(host|cookie|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|origin|referer|range|accept-encoding|if-.*|content-.*|proxy-.*|sec-.*)$/i;

const headerFault = (name: string, value: string): string | undefined => {
  if (!token.test(name)) return 'this is not the name of a header';
  if (ownHeaders.test(name)) return 'the browser sets this header: it cannot be changed';
  return /^[\t\x20-\x7e]*$/.test(value) ? undefined : 'its value must be one line of ASCII text';
};

const refusalFault = (sources: Sources, url: string | null): string | undefined =>
  url === null ? undefined : refusalOf(sources, 'lighthouse', url)?.message;

const isEmpty = ({ name: _, ...changes }: Variant): boolean =>
  Object.values(changes).every(
    change => change === null || (typeof change === 'object' && Object.keys(change).length === 0),
  );

type Place = Fault['field'];

const toFault = (fault: string | undefined, ...field: Place): Fault[] =>
  fault === undefined ? [] : [{ field, fault }];

type Replacement = NonNullable<Variant['replace']>[number];

function toReplaceFaults(
  sources: Sources,
  { url, body = null, with: other = null }: Replacement,
  page: string,
): Fault[] {
  const isTooLarge = body !== null && Buffer.byteLength(body) > experimentBounds.bodyBytes;
  const isPage = withoutFragment(url) === withoutFragment(page);
  return [
    ...toFault((body === null) === (other === null) ? "specify exactly one of 'body' and 'with'" : undefined),
    ...toFault(isTooLarge ? 'it is larger than 1 MB' : undefined, 'body'),
    ...toFault(isPage ? 'the page itself cannot be replaced: use `url` or a recipe' : undefined, 'url'),
    ...toFault(refusalFault(sources, other), 'with'),
  ];
}

const inside = (faults: readonly Fault[], ...place: Place): Fault[] =>
  faults.map(({ field, fault }) => ({ field: [...place, ...field], fault }));

/** Finds responses that are replaced twice: only the last replacement would have an effect. */
const toReplacedTwiceFaults = (replacements: readonly Replacement[]): Fault[] =>
  replacements.flatMap(({ url }, at) =>
    replacements.findIndex(other => withoutFragment(other.url) === withoutFragment(url)) < at
      ? toFault('this URL is already replaced', 'replace', at, 'url')
      : [],
  );

/** Finds headers that differ only in case: the browser would send both. */
const toTwiceFaults = (names: readonly string[]): Fault[] =>
  names.flatMap((name, at) =>
    names.findIndex(other => other.toLowerCase() === name.toLowerCase()) < at
      ? toFault('this header is already set', 'headers', name)
      : [],
  );

/** Finds variants whose names are equal, which the response could not tell apart. */
function toNameFaults(variants: readonly Variant[]): Fault[] {
  const names = variants.map(({ name }, at) => name ?? `variant ${at + 1}`);
  return names.flatMap((name, at) =>
    names.indexOf(name) < at ? toFault('another variant has this name', 'variants', at, 'name') : [],
  );
}

function toVariantFaults(sources: Sources, variant: Variant, basePage: string): Fault[] {
  const page = variant.url ?? basePage;
  const headers = Object.entries(variant.headers ?? {});
  const most = experimentBounds.headers;
  return [
    ...toFault(isEmpty(variant) ? 'it changes nothing' : undefined),
    ...toFault(refusalFault(sources, variant.url), 'url'),
    ...(variant.block ?? []).flatMap((pattern, at) => toFault(patternFault(pattern, page), 'block', at)),
    ...(variant.replace ?? []).flatMap((each, at) => inside(toReplaceFaults(sources, each, page), 'replace', at)),
    ...toReplacedTwiceFaults(variant.replace ?? []),
    ...toFault(headers.length > most ? `there can be ${most} headers` : undefined, 'headers'),
    ...headers.flatMap(([name, value]) => toFault(headerFault(name, value), 'headers', name)),
    ...toTwiceFaults(headers.map(([name]) => name)),
    ...(variant.recipes ?? []).flatMap((recipe, at) =>
      toFault(recipeFaults[recipe.name]?.(recipe, page), 'recipes', at),
    ),
  ];
}

/** @throws ValidationFailure; AnalysisError `target_forbidden` if the page itself is forbidden */
export function readExperiment(sources: Sources, body: ReceivedBody): ReadExperiment {
  const read = readBody(ExperimentRequest, body, {
    isSound: true,
    check: ({ url, variants }) => [
      ...(variants as readonly Variant[]).flatMap((variant, at) =>
        inside(toVariantFaults(sources, variant, url), 'variants', at),
      ),
      ...toNameFaults(variants as readonly Variant[]),
    ],
  }) as ReadExperiment;
  const refusal = refusalOf(sources, 'lighthouse', read.url);
  if (refusal instanceof AnalysisError) throw refusal;
  return read;
}
