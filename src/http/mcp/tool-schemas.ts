/** Schemas of what the MCP tools receive and return. They are those of the contract, shortened. */
import { fromJsonSchema, type JsonSchemaType } from '@modelcontextprotocol/server';
import Type, { type Static, type TObject } from 'typebox';
import { Comparison } from '../../contract/analysis/comparison.ts';
import { JobFacts } from '../../contract/jobs/job.ts';
import { pickOptions } from '../../contract/measuring-options.ts';
import { requestCategories, strategies } from '../../contract/names.ts';
import { optionProperties } from '../../contract/option-schemas.ts';
import { Result } from '../../contract/result/result.ts';
import { performanceRange } from '../../contract/result/runs.ts';
import { ResultsComparison } from '../../contract/stored/change.ts';
import { ChangeVerdict } from '../../contract/stored/change-verdict.ts';
import { History, HistoryQuery } from '../../contract/stored/history.ts';
import { WhatIf } from '../../contract/stored/what-if.ts';
import { Untrusted } from './short-answers.ts';

const leftOut = Type.Optional(Type.Integer({ description: 'Number of list entries omitted to save space' }));

export const Id = Type.String({ minLength: 1, maxLength: 100, description: 'Id of a stored result' });

export const MeasureInput = Type.Object({
  url: Type.String({ description: 'Page to measure, with http or https' }),
  analyser: Type.Optional(
    Type.Enum(['lighthouse', 'psi'], {
      type: 'string',
      description: 'Local Lighthouse (default) or PageSpeed Insights',
    }),
  ),
  ...optionProperties('mcp'),
});

/** A comparison has the options that both analysers have. */
export const CompareInput = Type.Object({
  url: MeasureInput.properties.url,
  ...pickOptions('psi', optionProperties('mcp')),
});

export const Started = Type.Object({
  job: JobFacts.properties.id,
  state: JobFacts.properties.state,
  next: Type.String(),
});

export const JobInput = Type.Object({
  job: Type.String({ minLength: 1, maxLength: 100, description: 'Id of a job' }),
  wait_seconds: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 25, description: 'Seconds to wait for the job to end' }),
  ),
});
export const JobOutput = Type.Object({
  job: JobFacts.properties.id,
  ...Type.Pick(JobFacts, ['state', 'position', 'progress']).properties,
  results: Type.Array(
    Type.Object({
      id: Type.Union([Type.String(), Type.Null()]),
      ...Type.Pick(Result, ['source', 'strategy']).properties,
      scores: Type.Union([Result.properties.scores, Type.Null()]),
      disturbed: Type.Union([Type.Boolean(), Type.Null()], { description: 'Whether other work affected the timings' }),
      performance_range: performanceRange,
      error: Type.Optional(Untrusted),
    }),
  ),
  comparison: Type.Optional(Type.String({ description: 'Id of the stored comparison, for explain_result' })),
  error: Type.Optional(Untrusted),
  next: Type.String(),
  left_out: leftOut,
});

const FixOutput = Type.Object({
  audit: Type.String({ description: 'For get_fix_evidence' }),
  title: Type.String(),
  category: Type.String({ description: 'Category of the points' }),
  files: Type.Optional(Type.Array(Untrusted, { description: 'Files concerned, largest first' })),
  categories: Type.Array(Type.String()),
  score: Type.Union([Type.Integer(), Type.Null()]),
  points: Type.Optional(Type.Number({ description: 'Maximum number of points that the fix can add' })),
  savings: Type.Record(Type.String(), Type.Number()),
});

export const ResultOutput = Type.Object({
  ...Type.Pick(Result, ['source', 'strategy', 'fetched_at', 'lighthouse_version', 'scores', 'disturbed']).properties,
  disturbance: Type.Optional(Result.properties.disturbance),
  id: Id,
  url: Untrusted,
  agentic_browsing: Type.Optional(Result.properties.agentic_browsing),
  metrics: Type.Record(
    Type.String(),
    Type.Object({
      value: Type.Union([Type.Number(), Type.Null()]),
      unit: Type.String(),
      rating: Type.Union([Type.String(), Type.Null()], {
        description: 'Null if a disturbance made the value unreliable',
      }),
    }),
  ),
  runs: Type.Optional(Type.Integer({ description: 'Completed runs' })),
  selected_run: Type.Optional(Type.Integer({ description: 'The run whose values these are' })),
  label: Type.Optional(Untrusted),
  main_content_appeared_ms: Type.Optional(
    Type.Integer({
      description: 'Only if most of the content appeared a second or more after the largest contentful paint',
    }),
  ),
  performance_range: Type.Optional(
    Type.Object({
      min: Type.Number(),
      max: Type.Number(),
      of: Type.String({ description: 'Runs or earlier results' }),
    }),
  ),
  warnings: Type.Array(Untrusted, { maxItems: 5 }),
  fixes: Type.Array(FixOutput, { maxItems: 3, description: 'The three most useful fixes; list_fixes returns all' }),
  left_out: leftOut,
});
export const ComparisonOutput = Type.Object({
  id: Id,
  url: Untrusted,
  verdict: Untrusted,
  disturbed: Type.Array(Type.String(), { description: 'Sides whose load was disturbed' }),
  scores: Comparison.properties.scores,
  causes: Type.Array(
    Type.Object({
      cause: Type.String(),
      category: Type.Union([Type.String(), Type.Null()]),
      points: Type.Union([Type.Number(), Type.Null()]),
      certainty: Type.String(),
      explanation: Untrusted,
    }),
    { maxItems: 8 },
  ),
  results: Type.Array(Type.String(), { description: 'Ids of both sides' }),
  left_out: leftOut,
});
export const ExplainOutput = Type.Object({
  result: Type.Optional(ResultOutput),
  comparison: Type.Optional(ComparisonOutput),
  failure: Type.Optional(Type.Object({ id: Id, code: Type.String(), detail: Untrusted })),
  left_out: leftOut,
});

export const FixesInput = Type.Object({
  id: Id,
  category: Type.Optional(Type.Enum([...requestCategories], { type: 'string' })),
  offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 1000 })),
});
export const FixesOutput = Type.Object({
  id: Id,
  total: Type.Integer(),
  fixes: Type.Array(FixOutput),
  next_offset: Type.Optional(Type.Integer()),
  left_out: leftOut,
});

export const EvidenceInput = Type.Object({
  id: Id,
  audit: Type.String({ minLength: 1, maxLength: 100, description: 'Id of an audit' }),
});
export const EvidenceOutput = Type.Object({
  id: Id,
  audit: Type.String(),
  title: Type.String(),
  description: Type.String({ description: "Lighthouse's description" }),
  score: Type.Union([Type.Number(), Type.Null()]),
  display_value: Type.Optional(Untrusted),
  entries: Type.Integer({ description: 'Number of entries of the audit' }),
  evidence: Type.Array(Type.Unknown(), { description: 'The first entries; every text is `untrusted`' }),
  left_out: leftOut,
});

const Points = Type.Union([Type.Number(), Type.Null()], {
  description: 'Points that it adds; null if not predictable',
});
const Removals = Type.Array(Type.Object({ name: Untrusted, points: Points, bytes: Type.Integer() }), { maxItems: 10 });
export const PredictOutput = Type.Object({
  id: Id,
  ...Type.Pick(WhatIf, ['basis', 'disturbed']).properties,
  score: Type.Integer({ description: 'Performance score of the unchanged load' }),
  fixes: Type.Array(Type.Object({ audit: Type.String(), title: Type.String(), points: Type.Number() }), {
    maxItems: 10,
    description: 'Fixes, each applied on top of the previous ones',
  }),
  reachable: Type.Integer({ description: 'Highest predicted score with these fixes' }),
  third_parties: Removals,
  scripts: Removals,
  slowest_cpu: Type.Array(Type.Object({ score: Type.Integer(), multiplier: Points }), {
    description: 'Largest CPU slowdown at which the page still reaches each score',
  }),
  median_error: Type.Union([Type.Number(), Type.Null()], {
    description: 'Error of the predictions for third parties, in points; null if not measured',
  }),
  limits: Type.Array(Type.String()),
  left_out: leftOut,
});

export const HistoryInput = Type.Pick(HistoryQuery, ['url', 'metric', 'strategy', 'source']);
export const HistoryOutput = Type.Object({
  ...Type.Pick(History, ['strategy', 'source', 'metric', 'unit', 'direction', 'median']).properties,
  url: Untrusted,
  points: Type.Array(
    Type.Object({
      id: Type.String(),
      fetched_at: Type.String(),
      value: Type.Number(),
      disturbed: Type.Union([Type.Boolean(), Type.Null()]),
      label: Type.Union([Untrusted, Type.Null()]),
    }),
    { description: 'The newest 50 points, oldest first' },
  ),
  changes: Type.Array(
    Type.Object({
      status: Type.String(),
      fetched_at: Type.String(),
      previous_id: Type.String(),
      id: Type.String(),
      before: Type.Number(),
      after: Type.Number(),
    }),
  ),
  left_out: leftOut,
});

export const ChangeInput = Type.Object({
  before: Type.String({ minLength: 1, maxLength: 100, description: 'Id of a result, or a label' }),
  after: Type.String({ minLength: 1, maxLength: 100, description: 'Id of a result, or a label' }),
  url: Type.Optional(Type.String({ description: 'Required if a label has results of several pages' })),
  strategy: Type.Optional(Type.Enum([...strategies], { type: 'string' })),
});
export const ChangeOutput = Type.Object({
  ...Type.Pick(ChangeVerdict, ['status', 'more_runs', 'decided_by', 'judged_by']).properties,
  explanation: Untrusted,
  runs: Type.Object({ before: Type.Integer(), after: Type.Integer() }),
  disturbed: Type.Object(
    { before: Type.Integer(), after: Type.Integer() },
    { description: 'Number of runs that other work disturbed' },
  ),
  ids: Type.Object({ before: Type.String(), after: Type.String() }, { description: 'The runs nearest to the medians' }),
  scores: ResultsComparison.properties.scores,
  files: Type.Array(
    Type.Object({ kind: Type.String(), url: Untrusted, bytes: Type.Unknown(), cpu_ms: Type.Unknown() }),
    { maxItems: 5 },
  ),
  audits: Type.Array(Type.Object({ audit: Type.String(), before: Type.String(), after: Type.String() }), {
    maxItems: 10,
  }),
  left_out: leftOut,
});

/** Converts a schema to one for the SDK, which does not know the format `label`: the route checks it. */
export const toSchema = <Schema extends TObject>(schema: Schema) => {
  const plain = JSON.stringify(schema, (key, value) =>
    key === '$id' || (key === 'format' && value === 'label') ? undefined : value,
  );
  return fromJsonSchema<Static<Schema>>(JSON.parse(plain) as JsonSchemaType);
};
