/**
 * What comes in and what goes out. One schema each: read-input.ts validates with it, TypeScript takes its type, and
 * openapi.ts describes it.
 */
import Type, { type Static, type TSchema } from 'typebox';
import { Comparison } from '../compare/comparison.ts';
import { errorTable } from '../errors.ts';
import { categoryNames, profiles, Report, strategies } from '../report/report.ts';

/** A string with this format is read as the URL of a page: strictly, and into its canonical form. */
export const pageUrlFormat = 'uri';

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
  description: `Comma-separated list of categories from: ${categoryNames.join(', ')}; all when absent`,
});
const detailed = Type.Boolean({
  default: false,
  title: 'Detailed',
  description: 'Full audit data with detail tables',
});

export const PsiQuery = Type.Object({
  url: Type.String(url),
  strategy: Type.Optional(strategyChoice),
  categories: Type.Optional(categoryList),
  detailed: Type.Optional(detailed),
});

/** A report is always of the full data. */
export const PsiReportQuery = Type.Omit(PsiQuery, ['detailed']);

/** The last two are ours, beyond the specification. */
export const PageQuery = Type.Object({
  url: Type.String(url),
  strategy: Type.Optional(singleStrategy),
  categories: Type.Optional(categoryList),
  runs: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 5,
      default: 1,
      title: 'Runs',
      description: 'Local runs, one after the other; the one nearest to their median is reported',
    }),
  ),
  profile: Type.Optional(
    Type.Enum([...profiles], {
      type: 'string',
      default: 'lighthouse',
      title: 'Profile',
      description: "Settings of the local side: Lighthouse's own defaults, or those of PageSpeed Insights",
    }),
  ),
});

export const AnalysisRequest = Type.Object(
  {
    url: Type.Optional(
      Type.Union([Type.String({ format: pageUrlFormat }), Type.Null()], {
        title: 'Url',
        description: 'One page URL to analyse',
      }),
    ),
    urls: Type.Optional(
      Type.Union([Type.Array(Type.String(), { minItems: 1, maxItems: 100 }), Type.Null()], {
        title: 'Urls',
        description: 'List of page URLs (batch)',
      }),
    ),
    strategy: Type.Optional(strategyChoice),
    categories: Type.Optional(
      Type.Union([Type.Array(Type.Enum([...categoryNames], { type: 'string' })), Type.Null()], {
        title: 'Categories',
        description: 'Categories to analyse; all when absent, null or empty',
      }),
    ),
    detailed: Type.Optional(
      Type.Boolean({
        ...detailed,
        description: 'When true, the result carries the full audit data with detail tables',
      }),
    ),
  },
  {
    $id: 'AnalysisRequest',
    title: 'AnalysisRequest',
    description: 'Exactly one of `url` and `urls`',
    examples: [{ url: 'https://example.com/', strategy: 'mobile' }],
  },
);
export type AnalysisRequest = Static<typeof AnalysisRequest>;

export const ValidationError = Type.Object(
  {
    loc: Type.Array(Type.Union([Type.String(), Type.Integer()]), { title: 'Location' }),
    msg: Type.String({ title: 'Message' }),
    type: Type.String({ title: 'Error Type' }),
  },
  { $id: 'ValidationError', title: 'ValidationError' },
);
export type ValidationError = Static<typeof ValidationError>;

export const HTTPValidationError = Type.Object(
  { detail: Type.Optional(Type.Array(ValidationError, { title: 'Detail' })) },
  { $id: 'HTTPValidationError', title: 'HTTPValidationError' },
);

export const Problem = Type.Object(
  {
    type: Type.String(),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String(),
    code: Type.Enum(Object.keys(errorTable), { type: 'string' }),
    retryable: Type.Boolean(),
    source: Type.Optional(Type.Enum(['psi', 'lighthouse'], { type: 'string' })),
    page_status: Type.Optional(Type.Integer()),
    lighthouse_code: Type.Optional(Type.String()),
  },
  { $id: 'Problem', description: 'What went wrong, as RFC 9457 has it' },
);
export type Problem = Static<typeof Problem>;

export const Failure = Type.Object(
  { url: Type.String(), error: Problem },
  { $id: 'Failure', description: 'A part of the answer that failed' },
);
export type Failure = Static<typeof Failure>;

const ReportOrFailure = Type.Union([Report, Failure]);

export const StrategiesReport = Type.Object(
  { url: Type.String(), strategy: Type.Enum(['both']), mobile: ReportOrFailure, desktop: ReportOrFailure },
  { $id: 'StrategiesReport', description: 'One page under both strategies' },
);

export const BatchReport = Type.Object(
  {
    results: Type.Array(Type.Union([Report, StrategiesReport, Failure])),
    total: Type.Integer({ minimum: 0 }),
    succeeded: Type.Integer({ minimum: 0 }),
    failed: Type.Integer({ minimum: 0 }),
  },
  { $id: 'BatchReport', description: 'One entry for each URL, in the order asked' },
);

const totals = {
  total: BatchReport.properties.total,
  succeeded: BatchReport.properties.succeeded,
  failed: BatchReport.properties.failed,
};

export const BatchLine = Type.Union(
  [
    ...[Report, StrategiesReport, Failure].map(entry =>
      Type.Object({
        index: Type.Integer({ minimum: 0, description: 'Place in `urls`' }),
        ...(entry.properties as Record<string, TSchema>),
      }),
    ),
    Type.Object(totals, { description: 'The last line, and the only one without an index: all entries are through' }),
  ],
  { $id: 'BatchLine', description: 'One line of a batch that is answered while it runs' },
);

export const CompareReport = Type.Object(
  {
    url: Type.String(),
    strategy: Type.Enum([...strategies]),
    psi: ReportOrFailure,
    lighthouse: ReportOrFailure,
    comparison: Type.Union([Comparison, Type.Null()]),
  },
  { $id: 'CompareReport', description: 'Both analysers on one page, side by side' },
);

export const Health = Type.Object(
  {
    status: Type.Enum(['ok', 'degraded']),
    version: Type.String(),
    uptime_seconds: Type.Integer({ minimum: 0 }),
    lighthouse: Type.Object({
      available: Type.Boolean(),
      version: Type.String(),
      browser: Type.Union([Type.String(), Type.Null()]),
      sandbox: Type.Enum(['untested', 'on', 'off', 'unavailable']),
      running: Type.Integer({ minimum: 0 }),
      queued: Type.Integer({ minimum: 0 }),
      parallel_limit: Type.Integer({ minimum: 1 }),
    }),
    psi: Type.Object({
      analyser: Type.Enum(['google', 'embedded', 'custom']),
      key_configured: Type.Boolean(),
      state: Type.Enum(['ok', 'throttled', 'down'], { description: 'As the last calls were answered' }),
      until: Type.Optional(
        Type.String({ format: 'date-time', description: 'Only when throttled: nothing is sent before' }),
      ),
      since: Type.Optional(Type.String({ format: 'date-time', description: 'Only when down: the first failure' })),
    }),
    cache: Type.Object({
      store: Type.String(),
      entries: Type.Integer({ minimum: 0 }),
      bytes: Type.Integer({ minimum: 0 }),
    }),
  },
  { $id: 'Health' },
);
export type Health = Static<typeof Health>;

export const Cleared = Type.Object({ cleared: Type.Integer({ minimum: 0 }) }, { $id: 'Cleared' });
