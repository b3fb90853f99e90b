/** Answers for one page or several: results, failures and comparisons. */

import Type, { type Static, type TSchema } from 'typebox';
import { arrayOf, component, count, group } from '../fields.ts';
import { strategies } from '../names.ts';
import { Problem } from '../problem.ts';
import { keptFields, Result } from '../result/result.ts';
import { Comparison } from './comparison.ts';

export const Failure = component('Failure', 'Failed part of a response', { url: Type.String(), error: Problem });
export type Failure = Static<typeof Failure>;

const ResultOrFailure = Type.Union([Result, Failure]);

export const StrategiesResult = component('StrategiesResult', 'One page with both strategies', {
  url: Type.String(),
  strategy: Type.Enum(['both']),
  mobile: ResultOrFailure,
  desktop: ResultOrFailure,
});

export const BatchResult = component('BatchResult', 'One entry for each URL, in the order of the request', {
  results: Type.Array(Type.Union([Result, StrategiesResult, Failure])),
  total: Type.Integer({ minimum: 0 }),
  succeeded: Type.Integer({ minimum: 0 }),
  failed: Type.Integer({ minimum: 0 }),
});

const totals = {
  total: BatchResult.properties.total,
  succeeded: BatchResult.properties.succeeded,
  failed: BatchResult.properties.failed,
};

export const BatchLine = Type.Union(
  [
    ...[Result, StrategiesResult, Failure].map(entry =>
      Type.Object({ index: count('Index in `urls`'), ...(entry.properties as Record<string, TSchema>) }),
    ),
    group('Last line, the only one without an index: the batch is complete', totals),
  ],
  { $id: 'BatchLine', description: 'One line of a streamed batch' },
);

export const CompareResult = component('CompareResult', 'PageSpeed Insights and local Lighthouse on one page', {
  url: Type.String(),
  strategy: Type.Enum([...strategies]),
  psi: ResultOrFailure,
  lighthouse: ResultOrFailure,
  comparison: Type.Union([Comparison, Type.Null()]),
  ...keptFields,
  warnings: Type.Optional(arrayOf(Type.String(), 'Warnings that do not concern the comparison')),
});

export const Cleared = Type.Object({ cleared: Type.Integer({ minimum: 0 }) }, { $id: 'Cleared' });
