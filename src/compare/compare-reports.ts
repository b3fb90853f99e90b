import Type, { type Static, type TSchema } from 'typebox';
import { type Category, categoryNames, type MetricName, metricNames, type Report } from '../report/report.ts';

const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

const Pair = Type.Object(
  {
    psi: nullable(Type.Number()),
    lighthouse: nullable(Type.Number()),
    difference: nullable(Type.Number({ description: 'lighthouse minus psi' })),
  },
  { description: 'Both sides of one value; null where a side has none' },
);
export type Pair = Static<typeof Pair>;

const MetricPair = Type.Object({ ...Pair.properties, unit: Type.Enum(['millisecond', 'unitless']) });

export const Comparison = Type.Object(
  {
    scores: Type.Record(Type.String(), Pair, { description: 'By category' }),
    metrics: Type.Record(Type.String(), MetricPair, { description: 'By metric' }),
  },
  { $id: 'Comparison', description: 'How far the two sides are apart, and to which side' },
);
export type Comparison = Static<typeof Comparison>;

/** Floating-point noise of a subtraction is no difference: microseconds and a millionth of layout shift suffice. */
const subtract = (from: number, what: number): number => Number((from - what).toFixed(6)) || 0;

const toPair = (psi: number | null | undefined, lighthouse: number | null | undefined): Pair => ({
  psi: psi ?? null,
  lighthouse: lighthouse ?? null,
  difference: typeof psi === 'number' && typeof lighthouse === 'number' ? subtract(lighthouse, psi) : null,
});

const byName = <Name extends string, Value>(names: readonly Name[], toValue: (name: Name) => Value) =>
  Object.fromEntries(names.map(name => [name, toValue(name)])) as Record<Name, Value>;

/** The plain differences of two Reports on the same page and strategy. Pure; swapping the sides negates them. */
export function compareReports(psi: Report, lighthouse: Report): Comparison {
  const categories = categoryNames.filter((name: Category) => name in psi.scores || name in lighthouse.scores);
  return {
    scores: byName(categories, name => toPair(psi.scores[name], lighthouse.scores[name])),
    metrics: byName(metricNames, (name: MetricName) => ({
      ...toPair(psi.metrics[name].value, lighthouse.metrics[name].value),
      unit: lighthouse.metrics[name].unit,
    })),
  };
}
