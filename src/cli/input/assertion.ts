/** `--assert`: a condition on a result, read from text and checked against what was measured. */

import { type Category, categoryNames, type MetricName } from '../../contract/names.ts';
import type { Column, Source } from '../../presentation/answer.ts';
import { metricWords } from '../../presentation/metric-range.ts';
import { toHint } from './nearest-name.ts';

const operators = {
  '>=': (value: number, limit: number) => value >= limit,
  '<=': (value: number, limit: number) => value <= limit,
  '>': (value: number, limit: number) => value > limit,
  '<': (value: number, limit: number) => value < limit,
} as const;
type Operator = keyof typeof operators;

type Subject =
  | { readonly kind: 'score'; readonly name: Category }
  | { readonly kind: 'metric'; readonly name: MetricName };

export type Assertion = {
  /** As it was given. */
  readonly text: string;
  /** The side of a comparison it is of; undefined for every side there is. */
  readonly side: Source | undefined;
  readonly subject: Subject;
  readonly operator: Operator;
  /** Points, milliseconds, or the plain number of layout shift. */
  readonly limit: number;
};

const shortNames: Readonly<Record<string, MetricName>> = {
  fcp: 'first_contentful_paint',
  lcp: 'largest_contentful_paint',
  tbt: 'total_blocking_time',
  cls: 'cumulative_layout_shift',
  si: 'speed_index',
  tti: 'interactive',
  ttfb: 'server_response_time',
};

const metricNames = Object.keys(metricWords) as MetricName[];
const subjects: ReadonlyMap<string, Subject> = new Map<string, Subject>([
  ...categoryNames.map((name): [string, Subject] => [name, { kind: 'score', name }]),
  ...metricNames.map((name): [string, Subject] => [name.replaceAll('_', '-'), { kind: 'metric', name }]),
  ...Object.entries(shortNames).map(([short, name]): [string, Subject] => [short, { kind: 'metric', name }]),
]);

/** By a name as people write it: `LCP`, `largest_contentful_paint`, `seo`. */
export const findSubject = (name: string): Subject | undefined => subjects.get(name.toLowerCase().replaceAll('_', '-'));

const pattern = /^(?:([a-z]+)\.)?([a-z][a-z_-]*)\s*(>=|<=|>|<)\s*(\d+(?:\.\d+)?|\.\d+)\s*([a-z%]*)$/i;

const isSide = (text: string | undefined): text is Source | undefined =>
  text === undefined || text === 'psi' || text === 'lighthouse';

const isScore = ({ kind }: Subject): boolean => kind === 'score';
const isTime = ({ kind, name }: Subject): boolean => kind === 'metric' && metricWords[name].unit === 'millisecond';

/** @throws Error with what is wrong with it */
function toLimit(subject: Subject, number: number, unit: string): number {
  if (isTime(subject)) {
    if (unit === '' || unit === 'ms') return number;
    // 2.01 s are 2010 ms, not 2009.9999999999998.
    if (unit === 's') return Math.round(number * 1e6) / 1e3;
    throw new Error(`the unit ${unit} is neither ms nor s`);
  }
  if (unit !== '') throw new Error(`${subject.name.replaceAll('_', '-')} has no unit`);
  if (!isScore(subject)) return number;
  if (number > 100) throw new Error('a score is 100 at most');
  if (number > 0 && number < 1) throw new Error('scores run from 0 to 100');
  return number;
}

/** @throws Error with what is wrong with it; nothing that cannot be understood is ever a pass */
export function readAssertion(given: string): Assertion {
  const text = given.trim();
  const [, sideText, name = '', operator = '', number = '', unit = ''] = pattern.exec(text) ?? [];
  if (!name) throw new Error("it has the form 'performance>=90' or 'LCP<=2.5s', in quotes: the shell reads < and >");
  const side = sideText?.toLowerCase();
  if (!isSide(side)) throw new Error(`there is no side ${sideText}: it is psi or lighthouse`);
  const subject = findSubject(name);
  if (!subject)
    throw new Error(`there is no score or metric ${name}${toHint(name.replaceAll('_', '-'), [...subjects.keys()])}`);
  return {
    text,
    side,
    subject,
    operator: operator as Operator,
    limit: toLimit(subject, Number(number), unit.toLowerCase()),
  };
}

export type Check = {
  readonly assertion: Assertion;
  readonly url: string;
  readonly source: Source;
  readonly strategy: Column['strategy'];
  /** Null where there is no value: never a pass. */
  readonly measured: number | null;
  readonly passed: boolean;
};

const measuredOf = ({ part }: Column, subject: Subject): number | null => {
  if (!part.ok) return null;
  const { scores, metrics } = part.result;
  const value = subject.kind === 'score' ? scores[subject.name] : metrics[subject.name]?.value;
  return typeof value === 'number' ? value : null;
};

/** Holds an assertion against every column it is of. A page without any column gives none: its failure is shown elsewhere. */
export const checkAssertion = (assertion: Assertion, url: string, columns: readonly Column[]): Check[] =>
  columns
    .filter(({ source }) => assertion.side === undefined || assertion.side === source)
    .map(column => {
      const { source, strategy } = column;
      const measured = measuredOf(column, assertion.subject);
      const passed = measured !== null && operators[assertion.operator](measured, assertion.limit);
      return { assertion, url, source, strategy, measured, passed };
    });

/** A measured value or a limit, exactly: rounded, 2500.4 would look as if it were not over 2500. */
export function sayExactly({ subject }: Assertion, value: number | null): string {
  if (value === null) return 'not measured';
  const shown = String(Number(value.toFixed(4)));
  return isTime(subject) ? `${shown} ms` : shown;
}
