/** Requests and responses about stored results: lists, and removals. */
import Type, { type Static } from 'typebox';
import { absent, nullable, pageUrlFormat, time } from '../fields.ts';
import { categoryNames, metricNames, profiles, strategies } from '../names.ts';
import { optionProperties } from '../option-schemas.ts';
import { Problem } from '../problem.ts';
import { ResultLinks } from '../result/result.ts';
import { performanceRange } from '../result/runs.ts';

const kinds = ['result', 'run', 'failure', 'comparison', 'experiment'] as const;
const keptSources = ['psi', 'lighthouse', 'compare'] as const;

const score = nullable(Type.Number({ minimum: 0, maximum: 100 }));

const { label, detailed } = optionProperties('stored');

export const KeptQuery = Type.Object({
  url: absent(Type.String({ format: pageUrlFormat }), { title: 'Url', description: 'Results of this page' }),
  host: absent(Type.String(), { title: 'Host', description: 'Results of this host, with its port if it has one' }),
  source: absent(Type.Enum([...keptSources], { type: 'string' }), {
    title: 'Source',
    description: 'Results of one backend, or comparisons',
  }),
  strategy: absent(Type.Enum([...strategies], { type: 'string' }), {
    title: 'Strategy',
    description: 'Device strategy; default: both',
  }),
  label: label,
  group: absent(Type.String(), { title: 'Group', description: 'Id of a result, to list its runs' }),
  kind: absent(Type.Enum([...kinds], { type: 'string' }), {
    title: 'Kind',
    description: 'Default: results, failures and comparisons',
  }),
  since: absent(time, { title: 'Since', description: 'Measured at this time or later' }),
  until: absent(time, { title: 'Until', description: 'Measured before this time' }),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1000, default: 50, title: 'Limit', description: 'Results per response' }),
  ),
  cursor: absent(Type.String(), { title: 'Cursor', description: '`next` of the previous response' }),
  format: Type.Optional(
    Type.Enum(['json', 'csv'], {
      type: 'string',
      default: 'json',
      title: 'Format',
      description: '`csv`: one line per entry; the header `Link` has the URL of the next page',
    }),
  ),
});

export const ResultQuery = Type.Object({ detailed });

export const RemoveQuery = Type.Object({
  url: Type.String({ format: pageUrlFormat, title: 'Url', description: 'Page whose results are removed' }),
});

export const KeptFacts = Type.Object(
  {
    id: Type.String(),
    kind: Type.Enum([...kinds], {
      description:
        '`run`: one of several runs, but not the one shown as the result; `failure`: the page could not be measured',
    }),
    group: nullable(Type.String({ description: 'Id of the result that a run belongs to' })),
    url: Type.String(),
    source: Type.Enum([...keptSources]),
    strategy: Type.Enum([...strategies]),
    profile: nullable(Type.Enum([...profiles])),
    label: nullable(Type.String()),
    conditions: nullable(Type.String({ description: 'Name of the conditions of the load; null without any' })),
    analyser: Type.Object({
      kind: Type.String(),
      host: nullable(Type.String()),
      lighthouse_version: nullable(Type.String()),
      browser_version: nullable(Type.String()),
      machine_id: nullable(Type.String({ description: 'Identifies a machine by its data folder' })),
    }),
    fetched_at: Type.String({ format: 'date-time' }),
    scores: Type.Object(Object.fromEntries(categoryNames.map(name => [name, score])), {
      description: 'Of a disturbed load, scores and metrics are those without the disturbance, if known',
    }),
    metrics: Type.Object(Object.fromEntries(metricNames.map(name => [name, nullable(Type.Number())]))),
    disturbed: nullable(
      Type.Boolean({
        description:
          'Whether something other than the page affected the timings of the load, or of one side of a comparison; null if unknown',
      }),
    ),
    performance_range: performanceRange,
    error_code: nullable(Type.String({ description: 'Error code of a failure' })),
    page_status: nullable(Type.Integer({ description: 'HTTP status of the page, if it returned an error' })),
    links: Type.Object({ ...ResultLinks.properties, report: Type.Optional(ResultLinks.properties.report) }),
  },
  { $id: 'KeptFacts', description: 'Summary of one stored analysis' },
);
export type KeptFacts = Static<typeof KeptFacts>;

export const KeptPage = Type.Object(
  {
    results: Type.Array(KeptFacts),
    next: nullable(Type.String({ description: 'Value for `cursor`; null at the end' })),
  },
  { $id: 'KeptPage', description: 'Newest first' },
);
export type KeptPage = Static<typeof KeptPage>;

export const KeptFailure = Type.Object(
  {
    id: Type.String(),
    label: Type.Optional(Type.String()),
    links: Type.Object({ self: Type.String() }),
    url: Type.String(),
    source: Type.Enum(['psi', 'lighthouse']),
    strategy: Type.Enum([...strategies]),
    error: Problem,
  },
  { $id: 'KeptFailure', description: 'A page that could not be measured' },
);

export const Removed = Type.Object({ removed: Type.Integer({ minimum: 0 }) }, { $id: 'Removed' });
