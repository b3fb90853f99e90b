/** Answers for one page or several: results, failures and comparisons. */

import type { Static, TSchema } from 'typebox';
import Type from 'typebox';
import { strategies } from '../names.ts';
import { Problem } from '../problem.ts';
import { keptFields, Result } from '../result/result.ts';
import { Comparison } from './comparison.ts';

export const Failure = Type.Object(
  { url: Type.String(), error: Problem },
  { $id: 'Failure', description: 'Failed part of a response' },
);
export type Failure = Static<typeof Failure>;

const ResultOrFailure = Type.Union([Result, Failure]);

export const StrategiesResult = Type.Object(
  { url: Type.String(), strategy: Type.Enum(['both']), mobile: ResultOrFailure, desktop: ResultOrFailure },
  { $id: 'StrategiesResult', description: 'One page with both strategies' },
);

export const BatchResult = Type.Object(
  {
    results: Type.Array(Type.Union([Result, StrategiesResult, Failure])),
    total: Type.Integer({ minimum: 0 }),
    succeeded: Type.Integer({ minimum: 0 }),
    failed: Type.Integer({ minimum: 0 }),
  },
  { $id: 'BatchResult', description: 'One entry for each URL, in the order of the request' },
);

const totals = {
  total: BatchResult.properties.total,
  succeeded: BatchResult.properties.succeeded,
  failed: BatchResult.properties.failed,
};

export const BatchLine = Type.Union(
  [
    ...[Result, StrategiesResult, Failure].map(entry =>
      Type.Object({
        index: Type.Integer({ minimum: 0, description: 'Index in `urls`' }),
        ...(entry.properties as Record<string, TSchema>),
      }),
    ),
    Type.Object(totals, { description: 'Last line, the only one without an index: the batch is complete' }),
  ],
  { $id: 'BatchLine', description: 'One line of a streamed batch' },
);

export const CompareResult = Type.Object(
  {
    url: Type.String(),
    strategy: Type.Enum([...strategies]),
    psi: ResultOrFailure,
    lighthouse: ResultOrFailure,
    comparison: Type.Union([Comparison, Type.Null()]),
    ...keptFields,
    warnings: Type.Optional(Type.Array(Type.String(), { description: 'Warnings that do not concern the comparison' })),
  },
  { $id: 'CompareResult', description: 'PageSpeed Insights and local Lighthouse on one page' },
);

export const Cleared = Type.Object({ cleared: Type.Integer({ minimum: 0 }) }, { $id: 'Cleared' });
