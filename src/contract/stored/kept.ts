/** Requests and responses about stored results: lists, and removals. */
import Type, { type Static } from 'typebox';
import { component, each, flag, group, nullable, oneOf, text, time } from '../fields.ts';
import { categoryNames, metricNames, profiles, strategies } from '../names.ts';
import { optionProperties } from '../option-schemas.ts';
import { absent, choice, names, pageUrl, parameters, range } from '../parameters.ts';
import { Problem } from '../problem.ts';
import { ResultLinks } from '../result/result.ts';
import { performanceRange } from '../result/runs.ts';

const kinds = ['result', 'run', 'failure', 'comparison', 'experiment'] as const;
const keptSources = ['psi', 'lighthouse', 'compare'] as const;

const score = nullable(Type.Number({ minimum: 0, maximum: 100 }));

const { label, detailed } = optionProperties('stored');

export const KeptQuery = parameters({
  url: absent(pageUrl(), 'Results of this page'),
  host: absent(Type.String(), 'Results of this host, with its port if it has one'),
  source: absent(names(keptSources), 'Results of one backend, or comparisons'),
  strategy: absent(names(strategies), 'Device strategy; default: both'),
  label: label,
  group: absent(Type.String(), 'Id of a result, to list its runs'),
  kind: absent(names(kinds), 'Default: results, failures and comparisons'),
  since: absent(time, 'Measured at this time or later'),
  until: absent(time, 'Measured before this time'),
  limit: range(1, 1000, 50, 'Results per response'),
  cursor: absent(Type.String(), '`next` of the previous response'),
  format: choice(['json', 'csv'], 'json', '`csv`: one line per entry; the header `Link` has the URL of the next page'),
});

export const ResultQuery = parameters({ detailed });

export const RemoveQuery = parameters({ url: pageUrl('Page whose results are removed') });

export const KeptFacts = component('KeptFacts', 'Summary of one stored analysis', {
  id: Type.String(),
  kind: oneOf(
    kinds,
    '`run`: one of several runs, but not the one shown as the result; `failure`: the page could not be measured',
  ),
  group: nullable(text('Id of the result that a run belongs to')),
  url: Type.String(),
  source: Type.Enum([...keptSources]),
  strategy: Type.Enum([...strategies]),
  profile: nullable(Type.Enum([...profiles])),
  label: nullable(Type.String()),
  conditions: nullable(text('Name of the conditions of the load; null without any')),
  analyser: Type.Object({
    kind: Type.String(),
    host: nullable(Type.String()),
    lighthouse_version: nullable(Type.String()),
    browser_version: nullable(Type.String()),
    machine_id: nullable(text('Identifies a machine by its data folder')),
  }),
  fetched_at: Type.String({ format: 'date-time' }),
  scores: group(
    'If the load was disturbed, scores and metrics are corrected for the disturbance, if it is known',
    each(categoryNames, score),
  ),
  metrics: Type.Object(each(metricNames, nullable(Type.Number()))),
  disturbed: nullable(
    flag(
      'Whether something other than the page affected the timings of the load, or of one side of a comparison; null if unknown',
    ),
  ),
  performance_range: performanceRange,
  error_code: nullable(text('Error code of a failure')),
  page_status: nullable(Type.Integer({ description: 'HTTP status of the page, if it returned an error' })),
  links: Type.Object({ ...ResultLinks.properties, report: Type.Optional(ResultLinks.properties.report) }),
});
export type KeptFacts = Static<typeof KeptFacts>;

export const KeptPage = component('KeptPage', 'Newest first', {
  results: Type.Array(KeptFacts),
  next: nullable(text('Value for `cursor`; null at the end')),
});
export type KeptPage = Static<typeof KeptPage>;

export const KeptFailure = component('KeptFailure', 'A page that could not be measured', {
  id: Type.String(),
  label: Type.Optional(Type.String()),
  links: Type.Object({ self: Type.String() }),
  url: Type.String(),
  source: Type.Enum(['psi', 'lighthouse']),
  strategy: Type.Enum([...strategies]),
  error: Problem,
});

export const Removed = Type.Object({ removed: Type.Integer({ minimum: 0 }) }, { $id: 'Removed' });
