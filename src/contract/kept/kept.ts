/** What goes out about results that are kept: lists, and what was forgotten. */
import Type, { type Static } from 'typebox';
import { nullable } from '../fields.ts';
import { categoryNames, metricNames, profiles, strategies } from '../names.ts';
import { Problem } from '../problem.ts';
import { ResultLinks } from '../result/result.ts';

export const kinds = ['result', 'run', 'failure', 'comparison'] as const;
export const keptSources = ['psi', 'lighthouse', 'compare'] as const;

const score = nullable(Type.Number({ minimum: 0, maximum: 100 }));

export const KeptFacts = Type.Object(
  {
    id: Type.String(),
    kind: Type.Enum([...kinds], {
      description:
        '`run`: one of several, of which another one is the result; `failure`: the page could not be measured',
    }),
    group: nullable(Type.String({ description: 'The id of the result that a run belongs to' })),
    url: Type.String(),
    source: Type.Enum([...keptSources]),
    strategy: Type.Enum([...strategies]),
    profile: nullable(Type.Enum([...profiles])),
    label: nullable(Type.String()),
    analyser: Type.Object({
      kind: Type.String(),
      host: nullable(Type.String()),
      lighthouse_version: nullable(Type.String()),
      browser_version: nullable(Type.String()),
      machine_id: nullable(Type.String({ description: 'Tells machines apart; a new one for each data folder' })),
    }),
    measured_at: Type.String({ format: 'date-time' }),
    scores: Type.Object(Object.fromEntries(categoryNames.map(name => [name, score]))),
    metrics: Type.Object(Object.fromEntries(metricNames.map(name => [name, nullable(Type.Number())]))),
    error_code: nullable(Type.String({ description: 'Of a failure' })),
    page_status: nullable(Type.Integer({ description: 'HTTP status of the page, where it answered with an error' })),
    links: Type.Object({ ...ResultLinks.properties, report: Type.Optional(ResultLinks.properties.report) }),
  },
  { $id: 'KeptFacts', description: 'What is kept of one analysis, without the result itself' },
);
export type KeptFacts = Static<typeof KeptFacts>;

export const KeptPage = Type.Object(
  {
    results: Type.Array(KeptFacts),
    next: nullable(Type.String({ description: 'For the parameter `cursor`; null at the end' })),
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

export const Forgotten = Type.Object({ forgotten: Type.Integer({ minimum: 0 }) }, { $id: 'Forgotten' });
