/**
 * The parts of a Lighthouse result (LHR) that the service reads. PageSpeed Insights omits much of an LHR, so those
 * parts are optional. Source: lighthouse/types/lhr/lhr.d.ts (13.5) and recorded PSI v5 responses.
 */
import { isObject } from '../../contract/result/details.ts';

export type LhrAudit = {
  id: string;
  title: string;
  description?: string;
  /** 0 to 1; null if the audit has no score. */
  score: number | null;
  scoreDisplayMode: string;
  displayValue?: string;
  numericValue?: number;
  numericUnit?: string;
  /** Estimated savings: milliseconds for every metric except CLS. */
  metricSavings?: Partial<Record<'FCP' | 'LCP' | 'TBT' | 'CLS' | 'INP', number | null>> | null;
  errorMessage?: string;
  /** Tables and facts whose shape depends on the audit, so the reader must validate them. */
  details?: unknown;
};

export type LhrCategory = {
  id: string;
  title: string;
  score: number | null;
  auditRefs: readonly { id: string; weight: number; group?: string; acronym?: string }[];
};

export type Lhr = {
  lighthouseVersion: string;
  requestedUrl?: string;
  finalUrl?: string;
  finalDisplayedUrl?: string;
  mainDocumentUrl?: string;
  fetchTime: string;
  runWarnings?: readonly string[];
  /** PSI omits an empty message. */
  runtimeError?: { code: string; message?: string };
  userAgent?: string;
  environment?: { hostUserAgent?: string; networkUserAgent?: string; benchmarkIndex?: number };
  configSettings?: {
    formFactor?: string;
    locale?: string;
    throttlingMethod?: string;
    throttling?: { cpuSlowdownMultiplier?: number; rttMs?: unknown; throughputKbps?: unknown };
  };
  /** Duration in milliseconds. */
  timing?: { total?: number };
  audits: Readonly<Record<string, LhrAudit>>;
  categories: Readonly<Record<string, LhrCategory>>;
};

type ShapeCheck = (value: unknown) => boolean;

const isText: ShapeCheck = value => typeof value === 'string';
const isNumber: ShapeCheck = value => typeof value === 'number';
const isScore: ShapeCheck = value => typeof value === 'number' && value >= 0 && value <= 1;
const isTime: ShapeCheck = value => typeof value === 'string' && !Number.isNaN(Date.parse(value));

/** Accepts undefined and null too: JSON contains null instead of a number such as NaN. */
const absentOr =
  (check: ShapeCheck): ShapeCheck =>
  value =>
    value === undefined || value === null || check(value);
/** Max number of audits, of references to them, and of warnings: several times those of Lighthouse with plugins. */
const mostEntries = 1000;

const listOf =
  (check: ShapeCheck): ShapeCheck =>
  value =>
    Array.isArray(value) && value.length <= mostEntries && value.every(check);
const mapOf =
  (check: ShapeCheck): ShapeCheck =>
  value => {
    if (!isObject(value)) return false;
    const values = Object.values(value);
    return values.length <= mostEntries && values.every(check);
  };
const hasAll =
  (checks: Readonly<Record<string, ShapeCheck>>): ShapeCheck =>
  value =>
    isObject(value) && Object.entries(checks).every(([key, check]) => check(value[key]));

const isAudit = hasAll({
  id: isText,
  title: isText,
  description: absentOr(isText),
  score: absentOr(isScore),
  scoreDisplayMode: isText,
  displayValue: absentOr(isText),
  numericValue: absentOr(isNumber),
  metricSavings: absentOr(mapOf(absentOr(isNumber))),
  errorMessage: absentOr(isText),
});

const isCategory = hasAll({
  score: absentOr(isScore),
  auditRefs: listOf(hasAll({ id: isText, weight: isNumber, group: absentOr(isText) })),
});

const isWhole = hasAll({
  lighthouseVersion: isText,
  fetchTime: isTime,
  finalUrl: absentOr(isText),
  finalDisplayedUrl: absentOr(isText),
  runWarnings: absentOr(listOf(isText)),
  runtimeError: absentOr(hasAll({ code: isText, message: absentOr(isText) })),
  userAgent: absentOr(isText),
  environment: absentOr(hasAll({ hostUserAgent: absentOr(isText), benchmarkIndex: absentOr(isNumber) })),
  configSettings: absentOr(
    hasAll({
      throttlingMethod: absentOr(isText),
      throttling: absentOr(hasAll({ cpuSlowdownMultiplier: absentOr(isNumber) })),
    }),
  ),
  timing: absentOr(hasAll({ total: absentOr(isNumber) })),
  audits: mapOf(isAudit),
  categories: mapOf(isCategory),
});

/** Returns whether a value has the shape of a Lighthouse result. Only the parts that the service needs are checked. */
export const isLhr = (value: unknown): value is Lhr => isWhole(value);
