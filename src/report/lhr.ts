/**
 * The parts of a Lighthouse result (LHR) that we read. PageSpeed Insights leaves out much of a plain LHR, so all
 * that one side may lack is optional. Source: lighthouse/types/lhr/lhr.d.ts (13.5) and recorded PSI v5 answers.
 */

export type LhrAudit = {
  id: string;
  title: string;
  description?: string;
  /** 0–1, or null where the audit has no score. */
  score: number | null;
  scoreDisplayMode: string;
  displayValue?: string;
  numericValue?: number;
  numericUnit?: string;
  /** Estimated savings: milliseconds for every metric but CLS. */
  metricSavings?: Partial<Record<'FCP' | 'LCP' | 'TBT' | 'CLS' | 'INP', number>>;
  errorMessage?: string;
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
  runtimeError?: { code: string; message: string };
  userAgent?: string;
  environment?: { hostUserAgent?: string; networkUserAgent?: string; benchmarkIndex?: number };
  configSettings?: {
    formFactor?: string;
    locale?: string;
    throttlingMethod?: string;
    throttling?: { cpuSlowdownMultiplier?: number };
  };
  audits: Readonly<Record<string, LhrAudit>>;
  categories: Readonly<Record<string, LhrCategory>>;
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether a value has the shape of a Lighthouse result, as far as a Report needs it. */
export const isLhr = (value: unknown): value is Lhr =>
  isRecord(value) &&
  typeof value.lighthouseVersion === 'string' &&
  typeof value.fetchTime === 'string' &&
  isRecord(value.audits) &&
  isRecord(value.categories) &&
  Object.values(value.audits).every(audit => isRecord(audit) && typeof audit.id === 'string') &&
  Object.values(value.categories).every(category => isRecord(category) && Array.isArray(category.auditRefs));
