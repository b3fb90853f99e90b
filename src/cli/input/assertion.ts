/** `--assert`: parses a condition, and checks it against a result. */

import { matchesWhole } from '../../contract/access/expected-url.ts';
import type { Source } from '../../contract/errors.ts';
import {
  type Category,
  type CustomMetricName,
  categoryNames,
  isCustomMetricName,
  type MetricName,
  type RequestCategory,
  type Strategy,
} from '../../contract/names.ts';
import { toHint } from '../../contract/nearest-name.ts';
import type { Column } from '../../presentation/answer.ts';
import type { Whole } from '../../presentation/full-result/read.ts';
import { formatBytes, formatMs, formatShift } from '../../presentation/numbers.ts';
import { agenticShare } from '../../presentation/result-rows.ts';
import { isDeniedValue, isDisturbed, pageValue } from '../../presentation/undisturbed.ts';
import { metricWords } from '../../presentation/words.ts';
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
  | { readonly kind: 'custom'; readonly name: CustomMetricName }
  | WholeSubject;

export type Assertion = {
  readonly text: string;
  /** Side of a comparison; undefined for every side. */
  readonly side: Source | undefined;
  readonly subject: Subject;
  readonly operator: Operator;
  /** Limit in points, milliseconds or bytes, or as a plain number. */
  readonly limit: number;
  /** Pattern of page URLs, with `*` for anything; undefined for all. */
  readonly pages: string | undefined;
  readonly exceptPages?: readonly string[];
  /** Whether a failure is only reported, without changing the exit code. */
  readonly isWarning: boolean;
  /** Strategy; undefined for all measured ones. */
  readonly strategy?: Strategy;
  readonly preset?: string;
  /** Category of the audit, if known. */
  readonly needs?: RequestCategory;
};

const metricNames = Object.keys(metricWords) as MetricName[];
type SummarySubject = Exclude<Subject, WholeSubject>;
const subjects: ReadonlyMap<string, SummarySubject> = new Map<string, SummarySubject>([
  ...categoryNames.map((name): [string, SummarySubject] => [name, { kind: 'score', name }]),
  ['agentic-browsing', { kind: 'fraction', name: 'agentic-browsing' }],
  ...metricNames.map((name): [string, SummarySubject] => [name.replaceAll('_', '-'), { kind: 'metric', name }]),
  ...metricNames.map((name): [string, SummarySubject] => [
    metricWords[name].short.toLowerCase(),
    { kind: 'metric', name },
  ]),
  ['main-thread', { kind: 'custom', name: 'main-thread' }],
]);

export const subjectNames: readonly string[] = [...subjects.keys()];

/** Finds a subject by a common name: `LCP`, `largest_contentful_paint`, `seo`, or by that of a user timing. */
export const findSubject = (name: string): SummarySubject | undefined =>
  isCustomMetricName(name) ? { kind: 'custom', name } : subjects.get(name.toLowerCase().replaceAll('_', '-'));

const aboutPattern = /^(?:(warn)\s+)?(?:((?!(?:\w+\.)?(?:mark|measure):)\S*[/*]\S*)\s+)?(.*)$/is;

export type About = Pick<Assertion, 'isWarning' | 'pages'>;

/** Reads the prefix of an assertion: whether it only warns, and its pages. */
export function readAbout(text: string): { about: About; condition: string } {
  const [, warn, pages, condition = ''] = aboutPattern.exec(text.trim()) ?? [];
  return { about: { isWarning: warn !== undefined, pages }, condition };
}

/** A user timing has the name that the page gives it, with any case and with spaces. */
const pattern =
  /^(?:([a-z]+)\.)?([a-z][a-z\d_-]*|(?:mark|measure):[^<>=]*[^<>=\s])\s*(>=|<=|>|<)\s*(\d+(?:\.\d+)?|\.\d+)\s*([a-z%]*)$/i;

const isSide = (text: string | undefined): text is Source | undefined =>
  text === undefined || text === 'psi' || text === 'lighthouse';

const isScore = ({ kind }: Subject): boolean => ['score', 'fraction', 'audit-score'].includes(kind);
const isTime = (subject: Subject): boolean =>
  subject.kind === 'custom' || (subject.kind === 'metric' && metricWords[subject.name].unit === 'millisecond');

const byteUnits: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  kb: 1000,
  mb: 1_000_000,
  kib: 1024,
  mib: 1024 ** 2,
};

/** @throws Error for an unknown unit of bytes */
function toBytes(number: number, unit: string): number {
  const factor = byteUnits[unit];
  if (factor === undefined) throw new Error(`the unit must be B, KB, MB, KiB or MiB, not ${unit}`);
  return number * factor;
}

/** @throws Error that explains the fault */
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
  if (number > 0 && number < 1) throw new Error('scores range from 0 to 100');
  return number;
}

/** Finds a size, a count or the score of an audit, which have fixed names; any other name may be an audit id. */
const findKnown = (name: string): WholeSubject | undefined => {
  const subject = findWholeSubject(name);
  return subject?.kind === 'audit' ? undefined : subject;
};

/** @throws Error that explains the fault: an assertion that cannot be parsed never passes */
export function readAssertion(given: string): Assertion {
  const text = given.trim();
  const { about, condition } = readAbout(text);
  const [, sideText, name = '', operator = '', number = '', unit = ''] = pattern.exec(condition) ?? [];
  if (!name) throw new Error("write 'performance>=90' or 'LCP<=2.5s', in quotes: the shell interprets < and >");
  const side = sideText?.toLowerCase();
  if (!isSide(side)) throw new Error(`the side must be psi or lighthouse, not ${sideText}`);
  const plain = name.toLowerCase().replaceAll('_', '-');
  // A name similar to a known one is a typo: as an audit id, it would never pass.
  const hint = toHint(plain, [...subjectNames, ...(/-(?:size|count)$/.test(plain) ? wholeNames : [])]);
  const subject = findSubject(name) ?? findKnown(plain) ?? (hint === '' ? findWholeSubject(plain) : undefined);
  if (!subject) throw new Error(`unknown score or metric ${name}${hint}`);
  return {
    text,
    side,
    subject,
    operator: operator as Operator,
    limit: toLimit(subject, Number(number), unit.toLowerCase()),
    ...about,
  };
}

export type Check = ReturnType<typeof checkAssertion>[number];

/** Returns the score or metric that a subject depends on; undefined for subjects that do not depend on times. */
function timedNameOf(subject: Subject): Category | MetricName | undefined {
  if (subject.kind === 'score' || subject.kind === 'metric') return subject.name;
  if (subject.kind === 'custom') return undefined;
  const audit = subject.kind === 'audit-score' ? subject.audit : subject.name;
  return metricNames.find(name => name.replaceAll('_', '-') === audit);
}

/** Returns the value without a disturbance: null if it is unknown, undefined if the measured value is reliable. */
function correctedOf({ part }: Column, subject: Subject): number | null | undefined {
  // The clock of user timings ran on while the load waited for a CPU.
  if (part.ok && subject.kind === 'custom') return isDisturbed(part.result) ? null : undefined;
  const name = timedNameOf(subject);
  if (!part.ok || name === undefined || !isDeniedValue(part.result, name)) return undefined;
  return isWhole(subject) ? null : pageValue(part.result, name);
}

const faultOf = ({ part }: Column, subject: Subject): string | undefined =>
  part.ok && isWhole(subject)
    ? sayUnknownAudit(part.result.lighthouse_result as Whole | undefined, subject)
    : undefined;

const measuredOf = ({ part }: Column, subject: Subject): number | null => {
  if (!part.ok) return null;
  const { scores, metrics, custom_metrics: custom, lighthouse_result: whole } = part.result;
  if (isWhole(subject)) return measureWhole(whole as Whole | undefined, subject);
  if (subject.kind === 'fraction') return agenticShare(part.result);
  if (subject.kind === 'custom') return custom?.[subject.name] ?? null;
  const value = subject.kind === 'score' ? scores[subject.name] : metrics[subject.name]?.value;
  return typeof value === 'number' ? value : null;
};

/** Returns the measured value as text, with the mark of a disturbed load. */
export function sayMeasured({ assertion, measured, isCorrected, isDenied }: Check): string {
  const said = sayValue(assertion, measured);
  if (isCorrected) return `${said} without the disturbance`;
  return isDenied && measured !== null ? `${said}, disturbed` : said;
}

export const isWhole = (subject: Subject): subject is WholeSubject =>
  ['audit', 'audit-score', 'size', 'count'].includes(subject.kind);

/** A pattern that starts with a slash matches paths; others match whole URLs. */
export const isOfPage = ({ pages, exceptPages = [] }: Assertion, url: string): boolean =>
  (pages === undefined || matches(pages, url)) && !exceptPages.some(pattern => matches(pattern, url));

function matches(pages: string, url: string): boolean {
  const { pathname = '', search = '' } = URL.parse(url) ?? {};
  return matchesWhole(pages.startsWith('/') ? `${pathname}${search}` : url, pages);
}

/** Checks every column that an assertion applies to. The failure of a page without columns is reported elsewhere. */
export const checkAssertion = (assertion: Assertion, url: string, columns: readonly Column[], isStrict = false) =>
  columns
    .filter(({ source, strategy }) => {
      const [ofSide, ofStrategy] = [assertion.side ?? source, assertion.strategy ?? strategy];
      return ofSide === source && ofStrategy === strategy && isOfPage(assertion, url);
    })
    .map(column => {
      const { source, strategy } = column;
      const corrected = correctedOf(column, assertion.subject);
      const measured = corrected ?? measuredOf(column, assertion.subject);
      const passed = measured !== null && operators[assertion.operator](measured, assertion.limit);
      return {
        ...{ assertion, url, source, strategy, measured, passed },
        fault: faultOf(column, assertion.subject),
        // The value is the one without a disturbance, or that one is unknown.
        isCorrected: typeof corrected === 'number',
        isDenied: corrected === null,
        // The assertion only warns, or the value is unreliable.
        isWarning: assertion.isWarning || (corrected === null && measured !== null && !isStrict),
      };
    });

const scaleOf = (subject: Subject, unit: string): number => {
  if (subject.kind === 'size') return byteUnits[unit] ?? 1;
  return isTime(subject) && unit === 's' ? 1000 : 1;
};

const isBinary = (scale: number): boolean => scale > 1 && scale % 1024 === 0;

/** Formats a value as on the page; sizes are in KiB or MiB if the assertion is. */
function sayRounded(subject: Subject, value: number, unit: string, scale: number): string {
  if (isTime(subject)) return formatMs(value);
  if (subject.kind === 'metric') return formatShift(value);
  if (subject.kind !== 'size') return String(Number(value.toFixed(1)));
  return isBinary(scale) ? `${Number((value / scale).toFixed(1))} ${unit}` : formatBytes(value);
}

const maxDigits = 7;

/**
 * Formats a measured value as on the page. If the limit looks the same there, the value has as many digits as it takes
 * to tell them apart, in the unit of the assertion: a rounded 2500.4 would not look larger than 2500.
 */
export function sayValue({ subject, text, limit }: Assertion, value: number | null): string {
  if (value === null) return 'not measured';
  const unit = pattern.exec(readAbout(text).condition)?.[5] ?? '';
  const scale = scaleOf(subject, unit.toLowerCase());
  const [rounded, ofLimit] = [value, limit].map(each => sayRounded(subject, each, unit, scale));
  if (rounded !== ofLimit || value === limit) return `${rounded}`;
  const [own, other] = [value / scale, limit / scale];
  const digits = Array.from({ length: maxDigits }, (_, at) => at);
  const exact = own.toFixed(digits.find(count => own.toFixed(count) !== other.toFixed(count)) ?? maxDigits);
  if (subject.kind === 'size') return `${exact} ${unit || 'B'}`;
  return isTime(subject) ? `${exact} ${unit || 'ms'}` : exact;
}
