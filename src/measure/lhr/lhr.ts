/**
 * The parts of a Lighthouse result (LHR) that the service reads. PageSpeed Insights omits much of an LHR, so those
 * parts are optional. Source: lighthouse/types/lhr/lhr.d.ts (13.5) and recorded PSI v5 responses.
 */
import { isObject } from '../../contract/result/details.ts';

/** Checks a value, and is the statement of its type. It takes a twentieth of the time of a schema's check. */
type Shape<T> = (value: unknown) => value is T;
type Absent = { readonly isAbsent: true };
type TypeOf<S> = S extends Shape<infer T> ? T : never;
type AbsentIn<S> = { [K in keyof S]: S[K] extends Absent ? K : never }[keyof S];
type WithAll<S> = { [K in Exclude<keyof S, AbsentIn<S>>]: TypeOf<S[K]> } & { [K in AbsentIn<S>]?: TypeOf<S[K]> };

const text: Shape<string> = value => typeof value === 'string';
const number: Shape<number> = value => typeof value === 'number';
const time: Shape<string> = (value): value is string => typeof value === 'string' && !Number.isNaN(Date.parse(value));
/** 0 to 1; null if there is no score. */
const score: Shape<number | null> = (value): value is number | null =>
  value === undefined || value === null || (typeof value === 'number' && value >= 0 && value <= 1);
/** Accepts undefined and null too: JSON contains null instead of a number such as NaN. */
const absentOr = <T>(shape: Shape<T>): Shape<T> & Absent =>
  Object.assign((value: unknown): value is T => value === undefined || value === null || shape(value), {
    isAbsent: true as const,
  });
const anything = absentOr((_value): _value is unknown => true);

/** Max number of audits, of references to them, and of warnings: several times those of Lighthouse with plugins. */
const mostEntries = 1000;
const listOf =
  <T>(shape: Shape<T>): Shape<readonly T[]> =>
  (value): value is readonly T[] =>
    Array.isArray(value) && value.length <= mostEntries && value.every(shape);
const mapOf =
  <T>(shape: Shape<T>) =>
  (value: unknown): value is Readonly<Record<string, T>> => {
    if (!isObject(value)) return false;
    const values = Object.values(value);
    return values.length <= mostEntries && values.every(shape);
  };
const hasAll =
  <S extends Readonly<Record<string, Shape<unknown>>>>(shapes: S) =>
  (value: unknown): value is WithAll<S> =>
    isObject(value) && Object.entries(shapes).every(([key, shape]) => shape(value[key]));

const saving = absentOr<number | null>(number);
const isAudit = hasAll({
  id: text,
  title: text,
  description: absentOr(text),
  score,
  scoreDisplayMode: text,
  displayValue: absentOr(text),
  numericValue: absentOr(number),
  numericUnit: absentOr(text),
  /** Estimated savings: milliseconds for every metric except CLS. */
  metricSavings: absentOr(hasAll({ FCP: saving, LCP: saving, TBT: saving, CLS: saving, INP: saving })),
  errorMessage: absentOr(text),
  /** Tables and facts whose shape depends on the audit, so the reader must validate them. */
  details: anything,
});
export type LhrAudit = TypeOf<typeof isAudit>;

const isCategory = hasAll({
  id: absentOr(text),
  title: absentOr(text),
  score,
  auditRefs: listOf(hasAll({ id: text, weight: number, group: absentOr(text), acronym: absentOr(text) })),
});
export type LhrCategory = TypeOf<typeof isCategory>;

/** Returns whether a value has the shape of a Lighthouse result. Only the parts that the service needs are checked. */
export const isLhr = hasAll({
  lighthouseVersion: text,
  requestedUrl: absentOr(text),
  finalUrl: absentOr(text),
  finalDisplayedUrl: absentOr(text),
  mainDocumentUrl: absentOr(text),
  fetchTime: time,
  runWarnings: absentOr(listOf(text)),
  /** PSI omits an empty message. */
  runtimeError: absentOr(hasAll({ code: text, message: absentOr(text) })),
  userAgent: absentOr(text),
  environment: absentOr(
    hasAll({ hostUserAgent: absentOr(text), networkUserAgent: absentOr(text), benchmarkIndex: absentOr(number) }),
  ),
  configSettings: absentOr(
    hasAll({
      formFactor: absentOr(text),
      locale: absentOr(text),
      throttlingMethod: absentOr(text),
      throttling: absentOr(
        hasAll({ cpuSlowdownMultiplier: absentOr(number), rttMs: anything, throughputKbps: anything }),
      ),
    }),
  ),
  /** Duration in milliseconds. */
  timing: absentOr(hasAll({ total: absentOr(number) })),
  audits: mapOf(isAudit),
  categories: mapOf(isCategory),
});
export type Lhr = TypeOf<typeof isLhr>;
