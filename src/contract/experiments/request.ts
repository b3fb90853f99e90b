/** The request of an experiment: a page, and variants of it that are measured against it. */
import Type, { type Static } from 'typebox';
import { orCustomMetric } from '../fields.ts';
import { strategies } from '../names.ts';
import { optionProperties } from '../option-schemas.ts';
import { absent, body, names, pageUrl, parameters, range, titled } from '../parameters.ts';
import { experimentBounds, primaryMetrics, recipeNames, throttlingMethods } from './names.ts';

const longText = Type.String({ maxLength: experimentBounds.textCharacters });

const Recipe = Type.Object({
  name: Type.Enum([...recipeNames], { type: 'string', description: 'Recipe name, as in WebPageTest' }),
  ...titled({
    url: absent(
      longText,
      'URL pattern, in which `*` matches any characters: the scripts for `defer` and `async`, the images for `lazy-loading` and `eager-loading`, or the stylesheets for `font-display` (all when absent). Required for `fetch-priority` (the elements), `single-point-of-failure` (the requests left unanswered) and `preload` (the URL to preload)',
    ),
    value: absent(
      longText,
      '`high` or `low` for `fetch-priority` (required); the value for `font-display` (default `swap`); the `as` attribute for `preload`, such as `image` (required if the extension of its URL has no known type)',
    ),
    find: absent(longText, 'Text to find in the document, for `find-and-replace`'),
    replace: absent(longText, 'Replacement for each occurrence of `find`'),
  }),
});
export type Recipe = Readonly<Required<Static<typeof Recipe>>>;

const Replacement = parameters({
  url: pageUrl('Exact URL, without a fragment, of the response to replace'),
  body: absent(Type.String(), 'Replacement text, at most 1 MB'),
  with: absent(pageUrl(), 'URL whose response is used instead'),
});

const throttlingFields = {
  rtt_ms: Type.Number({ minimum: 0, maximum: 5000 }),
  throughput_kbps: Type.Number({ minimum: 1, maximum: 10_000_000 }),
  cpu_slowdown_multiplier: Type.Number({ minimum: 1, maximum: 20 }),
};
export const Throttling = Type.Object(throttlingFields);
export type Throttling = Readonly<Static<typeof Throttling>>;

const WantedThrottling = parameters({
  rtt_ms: absent(throttlingFields.rtt_ms, { title: 'Rtt ms', description: 'Round-trip time' }),
  throughput_kbps: absent(throttlingFields.throughput_kbps, { title: 'Throughput kbps', description: 'Throughput' }),
  cpu_slowdown_multiplier: absent(throttlingFields.cpu_slowdown_multiplier, {
    title: 'Cpu slowdown multiplier',
    description: 'CPU throttling',
  }),
});

export const Variant = parameters({
  name: absent(
    Type.String({ maxLength: 100, format: 'label' }),
    'Name of the variant in the response; defaults to `variant 1` and so on',
  ),
  url: absent(pageUrl(), 'Page to load instead of the base, such as a preview of the same page'),
  block: absent(
    Type.Array(longText, { maxItems: experimentBounds.patterns }),
    'Patterns of URLs to block; `*` matches any characters',
  ),
  replace: absent(
    Type.Array(Replacement, { maxItems: experimentBounds.replacements }),
    'Responses to replace, each with a text or with the response of another URL',
  ),
  headers: absent(
    Type.Record(Type.String(), longText, { maxProperties: experimentBounds.headers }),
    'Request headers, sent only to the origin of the page',
  ),
  throttling: absent(
    WantedThrottling,
    'Network and CPU throttling, if it differs from the base; an absent field is that of the base',
  ),
  strategy: absent(names(strategies), 'Device strategy, if it differs from the base'),
  recipes: absent(
    Type.Array(Recipe, { maxItems: experimentBounds.recipes }),
    'Named changes to the document and to requests',
  ),
});
/** A variant after validation by the schema: an absent field is null. */
export type WantedVariant = Readonly<Omit<Required<Static<typeof Variant>>, 'recipes'>> & {
  readonly recipes: readonly Recipe[] | null;
};
/** A variant with complete throttling. Fields that equal the base are null. */
export type Variant = Omit<WantedVariant, 'throttling'> & { readonly throttling: Throttling | null };

const { label, ...measuring } = optionProperties('experiment');

export const ExperimentRequest = body(
  'ExperimentRequest',
  {
    url: pageUrl('Base page, which the variants change'),
    variants: Type.Array(Variant, {
      minItems: 1,
      maxItems: experimentBounds.variants,
      title: 'Variants',
      description: 'Variants, each of which is compared with the base',
    }),
    ...measuring,
    metric: Type.Optional(
      orCustomMetric(names(primaryMetrics), {
        default: 'largest_contentful_paint',
        title: 'Metric',
        description: 'Metric that decides the verdict, such as `mark:hero-shown`; the others are only reported',
      }),
    ),
    throttling_method: absent(names(throttlingMethods), {
      title: 'Throttling method',
      description:
        'Throttling method for all loads. Default: `devtools` (applied) if a variant has recipes, otherwise `simulate`',
    }),
    label,
  },
  { examples: [{ url: 'https://example.com/', variants: [{ block: ['*://ads.example.net/*'] }] }] },
);

export const ConfirmQuery = parameters({
  confirm: range(1, experimentBounds.variants, 3, 'Number of predicted removals to measure, the most promising first'),
});
