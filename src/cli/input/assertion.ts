/** `--assert`: a condition on a result, read from text and checked against what was measured. */

import {
  type Category,
  categoryNames,
  type MetricName,
  type RequestCategory,
  type Strategy,
} from '../../contract/names.ts';
import { toHint } from '../../contract/nearest-name.ts';
import type { Column, Source } from '../../presentation/answer.ts';
import { agenticShare } from '../../presentation/categories.ts';
import { metricWords } from '../../presentation/metric-range.ts';
import { isDeniedValue } from '../../presentation/undisturbed.ts';
import type { Whole } from '../../presentation/whole/read.ts';
import { findWholeSubject, measureWhole, sayUnknownAudit, type WholeSubject, wholeNames } from './whole-subject.ts';

const operators = {
  '>=': (value: number, limit: number) => value >= limit,
  '<=': (value: number, limit: number) => value <= limit,
  '>': (value: number, limit: number) => value > limit,
  '<': (value: number, limit: number) => value < limit,
} as const;
type Operator = keyof typeof operators;

type Subject =
  | { readonly kind: 'score'; readonly name: Category }
  | { readonly kind: 'fraction'; readonly name: 'agentic-browsing' }
  | { readonly kind: 'metric'; readonly name: MetricName }
  | WholeSubject;

export type Assertion = {
  /** As it was given. */
  readonly text: string;
  /** The side of a comparison it is of; undefined for every side there is. */
  readonly side: Source | undefined;
  readonly subject: Subject;
  readonly operator: Operator;
  /** Points, milliseconds, bytes, or a plain number. */
  readonly limit: number;
  /** Of pages whose address fits, `*` for anything; undefined for all. */
  readonly pages: string | undefined;
  /** It is said, and changes no exit code. */
  readonly isWarning: boolean;
  /** Of this strategy; undefined for every one that is measured. */
  readonly strategy?: Strategy;
  /** The preset that it belongs to. */
  readonly preset?: string;
  /** The category of its audit, where that is known. */
  readonly needs?: RequestCategory;
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
type SummarySubject = Exclude<Subject, WholeSubject>;
const subjects: ReadonlyMap<string, SummarySubject> = new Map<string, SummarySubject>([
  ...categoryNames.map((name): [string, SummarySubject] => [name, { kind: 'score', name }]),
  ['agentic-browsing', { kind: 'fraction', name: 'agentic-browsing' }],
  ...metricNames.map((name): [string, SummarySubject] => [name.replaceAll('_', '-'), { kind: 'metric', name }]),
  ...Object.entries(shortNames).map(([short, name]): [string, SummarySubject] => [short, { kind: 'metric', name }]),
]);

/** By a name as people write it: `LCP`, `largest_contentful_paint`, `seo`. */
export const findSubject = (name: string): SummarySubject | undefined =>
  subjects.get(name.toLowerCase().replaceAll('_', '-'));

const aboutPattern = /^(?:(warn)\s+)?(?:(\S*[/*]\S*)\s+)?(.*)$/is;

export type About = Pick<Assertion, 'isWarning' | 'pages'>;

/** Whether it only warns, and which pages it is of, before what it says. */
export function readAbout(text: string): { about: About; condition: string } {
  const [, warn, pages, condition = ''] = aboutPattern.exec(text.trim()) ?? [];
  return { about: { isWarning: warn !== undefined, pages }, condition };
}

const pattern = /^(?:([a-z]+)\.)?([a-z][a-z\d_-]*)\s*(>=|<=|>|<)\s*(\d+(?:\.\d+)?|\.\d+)\s*([a-z%]*)$/i;

const isSide = (text: string | undefined): text is Source | undefined =>
  text === undefined || text === 'psi' || text === 'lighthouse';

const isScore = ({ kind }: Subject): boolean => ['score', 'fraction', 'audit-score'].includes(kind);
const isTime = (subject: Subject): boolean =>
  subject.kind === 'metric' && metricWords[subject.name].unit === 'millisecond';

const byteUnits: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  kb: 1000,
  mb: 1_000_000,
  kib: 1024,
  mib: 1024 ** 2,
};

/** @throws Error for a unit that is none of bytes */
function toBytes(number: number, unit: string): number {
  const factor = byteUnits[unit];
  if (factor === undefined) throw new Error(`the unit must be B, KB, MB, KiB or MiB, not ${unit}`);
  return number * factor;
}

/** @throws Error with what is wrong with it */
function toLimit(subject: Subject, number: number, unit: string): number {
  if (isTime(subject)) {
    if (unit === '' || unit === 'ms') return number;
    // 2.01 s are 2010 ms, not 2009.9999999999998.
    if (unit === 's') return Math.round(number * 1e6) / 1e3;
    throw new Error(`the unit must be ms or s, not ${unit}`);
  }
  if (subject.kind === 'size') return toBytes(number, unit);
  if (unit !== '') throw new Error(`${subject.name.replaceAll('_', '-')} has no unit`);
  if (!isScore(subject)) return number;
  if (number > 100) throw new Error('a score is at most 100');
  if (number > 0 && number < 1) throw new Error('scores run from 0 to 100');
  return number;
}

/** A size, a count or the score of an audit, which have one spelling; as the id of an audit anything would be one. */
const findKnown = (name: string): WholeSubject | undefined => {
  const subject = findWholeSubject(name);
  return subject?.kind === 'audit' ? undefined : subject;
};

/** @throws Error with what is wrong with it; nothing that cannot be understood is ever a pass */
export function readAssertion(given: string): Assertion {
  const text = given.trim();
  const { about, condition } = readAbout(text);
  const [, sideText, name = '', operator = '', number = '', unit = ''] = pattern.exec(condition) ?? [];
  if (!name) throw new Error("write 'performance>=90' or 'LCP<=2.5s', in quotes: the shell interprets < and >");
  const side = sideText?.toLowerCase();
  if (!isSide(side)) throw new Error(`the side must be psi or lighthouse, not ${sideText}`);
  const plain = name.toLowerCase().replaceAll('_', '-');
  // What looks like a slip of a known name is one: as the id of an audit it would only never hold.
  const hint = toHint(plain, [...subjects.keys(), ...(/-(?:size|count)$/.test(plain) ? wholeNames : [])]);
  const subject = findSubject(name) ?? findKnown(plain) ?? (hint === '' ? findWholeSubject(plain) : undefined);
  if (!subject) throw new Error(`there is no score or metric ${name}${hint}`);
  return {
    text,
    side,
    subject,
    operator: operator as Operator,
    limit: toLimit(subject, Number(number), unit.toLowerCase()),
    ...about,
  };
}

export type Check = {
  readonly assertion: Assertion;
  readonly url: string;
  readonly source: Source;
  readonly strategy: Column['strategy'];
  /** Null if there is no value: never a pass. */
  readonly measured: number | null;
  readonly passed: boolean;
  /** Why there can be no value. */
  readonly fault?: string | undefined;
  /** The value is not the page's: its load was disturbed. */
  readonly isDenied?: boolean;
};

const isDeniedOf = ({ part }: Column, subject: Subject): boolean =>
  part.ok && !isWhole(subject) && subject.kind !== 'fraction' && isDeniedValue(part.result, subject.name);

const faultOf = ({ part }: Column, subject: Subject): string | undefined =>
  part.ok && isWhole(subject)
    ? sayUnknownAudit(part.result.lighthouse_result as Whole | undefined, subject)
    : undefined;

const measuredOf = ({ part }: Column, subject: Subject): number | null => {
  if (!part.ok) return null;
  const { scores, metrics, lighthouse_result: whole } = part.result;
  if (isWhole(subject)) return measureWhole(whole as Whole | undefined, subject);
  if (subject.kind === 'fraction') return agenticShare(part.result);
  const value = subject.kind === 'score' ? scores[subject.name] : metrics[subject.name]?.value;
  return typeof value === 'number' ? value : null;
};

/** Whether it needs the whole Lighthouse result. */
export const isWhole = (subject: Subject): subject is WholeSubject =>
  ['audit', 'audit-score', 'size', 'count'].includes(subject.kind);

/** A pattern that starts with a slash is of paths, any other of whole addresses. */
export function isOfPage({ pages }: Assertion, url: string): boolean {
  if (pages === undefined) return true;
  const { pathname = '', search = '' } = URL.parse(url) ?? {};
  const parts = pages.split('*').map(part => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(pages.startsWith('/') ? `${pathname}${search}` : url);
}

/**
 * Holds an assertion against every column it is of. A page without any column gives none: its failure is shown
 * elsewhere.
 */
export const checkAssertion = (assertion: Assertion, url: string, columns: readonly Column[]): Check[] =>
  columns
    .filter(({ source, strategy }) => {
      const [ofSide, ofStrategy] = [assertion.side ?? source, assertion.strategy ?? strategy];
      return ofSide === source && ofStrategy === strategy && isOfPage(assertion, url);
    })
    .map(column => {
      const { source, strategy } = column;
      const measured = measuredOf(column, assertion.subject);
      const passed = measured !== null && operators[assertion.operator](measured, assertion.limit);
      return {
        assertion,
        url,
        source,
        strategy,
        measured,
        passed,
        fault: faultOf(column, assertion.subject),
        isDenied: isDeniedOf(column, assertion.subject),
      };
    });

const scaleOf = (subject: Subject, unit: string): number => {
  if (subject.kind === 'size') return byteUnits[unit] ?? 1;
  return isTime(subject) && unit === 's' ? 1000 : 1;
};

/**
 * A measured value or a limit, in the unit of the assertion (else ms or B) and exactly: a rounded 2500.4 would look as
 * if it were not over 2500.
 */
export function sayExactly({ subject, text }: Assertion, value: number | null): string {
  if (value === null) return 'not measured';
  const unit = pattern.exec(readAbout(text).condition)?.[5] ?? '';
  const scale = scaleOf(subject, unit.toLowerCase());
  const shown = String(Number((value / scale).toFixed(scale === 1 ? 4 : 7)));
  if (subject.kind === 'size') return `${shown} ${unit || 'B'}`;
  return isTime(subject) ? `${shown} ${unit || 'ms'}` : shown;
}
