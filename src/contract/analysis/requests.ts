/**
 * Requests for an analysis. Each has one schema: read-input.ts validates with it, TypeScript takes its type, and
 * openapi.ts describes it.
 */

import type { Static } from 'typebox';
import Type from 'typebox';
import { labelText, pageUrlFormat } from '../fields.ts';
import { cpuChoices, mostBatchUrls, mostJobUrls, profiles, requestCategories, strategies } from '../names.ts';

const url = { format: pageUrlFormat, title: 'Url', description: 'Page to analyse' };
const strategyChoice = Type.Enum([...strategies, 'both'], {
  type: 'string',
  default: 'both',
  title: 'Strategy',
  description: 'Device strategy',
});
const singleStrategy = Type.Enum([...strategies], {
  type: 'string',
  default: 'mobile',
  title: 'Strategy',
  description: 'Device strategy',
});
const categoryList = Type.Union([Type.String(), Type.Null()], {
  title: 'Categories',
  description: `Comma-separated categories: ${requestCategories.join(', ')}; defaults to all but the last`,
});

export const label = Type.Union([Type.String(labelText), Type.Null()], {
  title: 'Label',
  description: 'Name of a build or commit, for finding and comparing results',
});
export const detailed = Type.Boolean({
  default: false,
  title: 'Detailed',
  description: 'Full audit data with detail tables',
});

const callback = Type.Union([Type.String(), Type.Null()], {
  title: 'Callback',
  description: 'With `Prefer: respond-async`: an https URL that receives a POST when the job ends',
});

export const PsiQuery = Type.Object({
  url: Type.String(url),
  strategy: Type.Optional(strategyChoice),
  categories: Type.Optional(categoryList),
  detailed: Type.Optional(detailed),
  label: Type.Optional(label),
  callback: Type.Optional(callback),
});

/** A report always has the full data, and is never a job. */
export const PsiReportQuery = Type.Omit(PsiQuery, ['detailed', 'callback']);

/** The parameters from `runs` on are not in the specification. */
export const PageQuery = Type.Object({
  url: Type.String(url),
  strategy: Type.Optional(singleStrategy),
  categories: Type.Optional(categoryList),
  runs: Type.Optional(
    Type.Union([Type.Integer({ minimum: 1, maximum: 5 }), Type.Literal('auto')], {
      default: 1,
      title: 'Runs',
      description:
        'Number of local runs, one after the other; the median run is reported. `auto`: run until the median of every score is known to within 2 points, at most 9 times',
    }),
  ),
  profile: Type.Optional(
    Type.Enum([...profiles], {
      type: 'string',
      default: 'lighthouse',
      title: 'Profile',
      description: "Settings of local audits: Lighthouse's own defaults, or those of PageSpeed Insights",
    }),
  ),
  cpu: Type.Optional(
    Type.Enum([...cpuChoices], {
      type: 'string',
      default: 'default',
      title: 'Cpu',
      description:
        'CPU throttling of local audits: the default of the profile, or `calibrated` to the speed of the machine (mobile only), which reports both scores',
    }),
  ),
  exclusive: Type.Optional(
    Type.Boolean({
      default: false,
      title: 'Exclusive',
      description: 'Run each local audit alone on the machine, and the two sides one after the other',
    }),
  ),
  label: Type.Optional(label),
  callback: Type.Optional(callback),
});

/** A report is never a job. */
export const PageReportQuery = Type.Omit(PageQuery, ['callback']);

export const AnalysisRequest = Type.Object(
  {
    url: Type.Optional(
      Type.Union([Type.String({ format: pageUrlFormat }), Type.Null()], {
        title: 'Url',
        description: 'One page URL to analyse',
      }),
    ),
    urls: Type.Optional(
      Type.Union([Type.Array(Type.String(), { minItems: 1, maxItems: mostJobUrls }), Type.Null()], {
        title: 'Urls',
        description: `List of page URLs (batch): at most ${mostBatchUrls}, or ${mostJobUrls} with \`Prefer: respond-async\``,
      }),
    ),
    strategy: Type.Optional(strategyChoice),
    categories: Type.Optional(
      Type.Union([Type.Array(Type.Enum([...requestCategories], { type: 'string' })), Type.Null()], {
        title: 'Categories',
        description: 'Categories to analyse; all but agentic-browsing when absent, null or empty',
      }),
    ),
    detailed: Type.Optional(
      Type.Boolean({
        ...detailed,
        description: 'When true, the result carries the full audit data with detail tables',
      }),
    ),
    label: Type.Optional(label),
    callback: Type.Optional(callback),
  },
  {
    $id: 'AnalysisRequest',
    title: 'AnalysisRequest',
    description: 'Requires exactly one of `url` and `urls`',
    examples: [{ url: 'https://example.com/', strategy: 'mobile' }],
  },
);
export type AnalysisRequest = Static<typeof AnalysisRequest>;
