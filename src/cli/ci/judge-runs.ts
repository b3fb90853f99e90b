/** Checks the assertions of a lighthouserc against the Lighthouse results of all runs of a page, as Lighthouse CI does. */
import { runInNewContext } from 'node:vm';
import { isObject, itemsOf, type Json } from '../../contract/result/details.ts';
import type { AggregationMethod, LhciAssertion, LimitName } from './config/lhci-assertions.ts';
import type { RowCheck } from './outputs/report.ts';

export type JudgedRun = { readonly run: number; readonly lhr: Json };

type Audit = { readonly score?: unknown; readonly numericValue?: unknown } & Json;

/** CPU time that a regular expression of a configuration may take: some take exponential time. */
const matchMs = 200;

/** Returns whether a page's final URL matches; undefined if that takes too long. */
export function matchesUrl({ source, flags }: RegExp, url: string): boolean | undefined {
  const startedAt = process.cpuUsage();
  for (;;)
    try {
      // A timeout needs a context of its own. It gets texts only.
      return runInNewContext('new RegExp(source, flags).test(url)', { source, flags, url }, { timeout: matchMs });
    } catch {
      // The timeout is not CPU time: on a busy machine, a pattern may have had none.
      const { user, system } = process.cpuUsage(startedAt);
      if (user + system > matchMs * 1000) return undefined;
    }
}

/** Returns a pattern as it is written, mostly: JavaScript escapes its slashes. */
export const sayPattern = ({ source }: RegExp): string => source.replaceAll('\\/', '/');

/** Returns the URL by which Lighthouse CI groups runs and selects assertions. */
const finalUrlOf = ({ finalUrl, mainDocumentUrl, finalDisplayedUrl }: Json): string =>
  String(finalUrl ?? mainDocumentUrl ?? finalDisplayedUrl ?? '');

const auditOf = ({ audits }: Json, id: string): Audit | undefined => {
  const audit = isObject(audits) && Object.hasOwn(audits, id) ? audits[id] : undefined;
  return isObject(audit) ? audit : undefined;
};

const numericValueOf = (lhr: Json, id: string): number => {
  const value = auditOf(lhr, id)?.numericValue;
  return typeof value === 'number' ? value : 0;
};

/** Returns the run nearest to the medians of first contentful paint and time to interactive. */
function toMedianRun(runs: readonly JudgedRun[]): JudgedRun[] {
  const ids = ['first-contentful-paint', 'interactive'];
  const medians = ids.map(id => {
    const values = runs.map(({ lhr }) => numericValueOf(lhr, id)).toSorted((a, b) => a - b);
    return values[Math.floor(values.length / 2)] ?? 0;
  });
  const distance = ({ lhr }: JudgedRun) =>
    Math.hypot(...ids.map((id, at) => (medians[at] ?? 0) - numericValueOf(lhr, id)));
  return runs.toSorted((a, b) => distance(a) - distance(b)).slice(0, 1);
}

const toSlug = (text: string): string =>
  text
    .replaceAll(/([a-z])([A-Z])/g, '$1-$2')
    .replaceAll(/[^a-z0-9]+/gi, '-')
    .replaceAll(/^-|-$/g, '')
    .toLowerCase();

/** Returns an audit, a category as an audit, or an audit with the value of one of its rows. */
function findSubject(lhr: Json, { audit: id, property }: LhciAssertion): Audit | undefined {
  const [name = '', unit] = property;
  if (id === 'categories') {
    const category = isObject(lhr.categories) && Object.hasOwn(lhr.categories, name) ? lhr.categories[name] : undefined;
    return isObject(category) ? { score: category.score } : undefined;
  }
  const audit = auditOf(lhr, id);
  if (!audit || property.length === 0) return audit;
  const rows = itemsOf(audit.details);
  if (id === 'user-timings') {
    const row = rows.find(({ name: given }) => toSlug(String(given)) === toSlug(property.join('-')));
    return row && { ...audit, numericValue: Number.isFinite(row.duration) ? row.duration : row.startTime };
  }
  const row = rows.find(({ resourceType }) => resourceType === name);
  const value = unit === 'size' ? (row?.size ?? row?.transferSize) : row?.requestCount;
  return value === undefined ? undefined : { ...audit, numericValue: value };
}

/** Returns the value that a limit is about; undefined if the audit has none. */
function readValue(audit: Audit, name: LimitName): number | undefined {
  const { score, scoreDisplayMode: mode, numericValue, details } = audit;
  if (name === 'maxLength') return isObject(details) && Array.isArray(details.items) ? details.items.length : 0;
  const value = name === 'maxNumericValue' ? numericValue : score;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (name === 'maxNumericValue') return undefined;
  return mode === 'notApplicable' ? 1 : mode === 'informative' ? 0 : undefined;
}

function aggregate(values: readonly number[], method: AggregationMethod, name: LimitName): number {
  const sorted = values.toSorted((a, b) => a - b);
  const [least, most] = [sorted[0] as number, sorted.at(-1) as number];
  if (method === 'median') {
    const [low, high] = [Math.floor((sorted.length - 1) / 2), Math.floor(sorted.length / 2)];
    return ((sorted[low] as number) + (sorted[high] as number)) / 2;
  }
  const isMax = name !== 'minScore';
  return (method === 'optimistic' && isMax) || (method === 'pessimistic' && !isMax) ? least : most;
}

const methodWords: Readonly<Record<AggregationMethod, string>> = {
  optimistic: 'best of',
  pessimistic: 'worst of',
  median: 'median of',
  'median-run': 'best of',
};

const toShort = (value: number): string => String(Number(value.toFixed(4)));

/** Describes which runs were judged: `best of runs 1, 2, 3: 0.9, 0.8, 0.85`. */
const sayRuns = (runs: readonly JudgedRun[], values: readonly number[], method: AggregationMethod): string => {
  const [only] = runs;
  if (only && runs.length === 1) return `${method === 'median-run' ? 'median run, ' : ''}run ${only.run}`;
  const all = new Set(values).size === 1 ? '' : `: ${values.map(toShort).join(', ')}`;
  return `${methodWords[method]} runs ${runs.map(({ run }) => run).join(', ')}${all}`;
};

/** Returns the assertion as text: `warn speed-index maxNumericValue<=3000`. */
export const sayAssertion = (
  { audit, property, isWarning }: Pick<LhciAssertion, 'audit' | 'property' | 'isWarning'>,
  { name, expected }: LhciAssertion['limits'][number],
): string =>
  `${isWarning ? 'warn ' : ''}${[audit, ...property].join(':')} ${name}${name === 'minScore' ? '>=' : '<='}${expected}`;

function judgeGroup(assertion: LhciAssertion, all: readonly JudgedRun[]): RowCheck[] {
  const { method, isWarning, audit } = assertion;
  // Lighthouse CI takes the score of a category from every run, even for the median run.
  const runs = method === 'median-run' && audit !== 'categories' ? toMedianRun(all) : all;
  const subjects = runs.map(({ lhr }) => findSubject(lhr, assertion));
  const isWhole = subjects.every(subject => subject !== undefined);
  return assertion.limits.map(limit => {
    const check = { text: sayAssertion(assertion, limit), isWarning };
    const miss = (measured: string): RowCheck => ({ ...check, measured, passed: false });
    if (!isWhole) return miss(`not measured in ${runs.length > 1 ? 'every run' : 'the run'}`);
    const found = subjects.map((subject, at) => ({
      run: runs[at] as JudgedRun,
      value: readValue(subject, limit.name),
    }));
    const judged = found.flatMap(({ run, value }) => (value === undefined ? [] : [{ run, value }]));
    if (judged.length === 0 || (method === 'pessimistic' && judged.length < found.length))
      return miss(`no value for ${limit.name}`);
    const values = judged.map(({ value }) => value);
    const actual = aggregate(values, method, limit.name);
    return {
      ...check,
      passed: limit.name === 'minScore' ? actual >= limit.expected : actual <= limit.expected,
      measured: `${toShort(actual)} (${sayRuns(
        judged.map(({ run }) => run),
        values,
        method,
      )})`,
    };
  });
}

/** Returns the checks of a page; none if the pattern of the assertion does not match its final URL. */
export function judgeRuns(assertion: LhciAssertion, runs: readonly JudgedRun[]): RowCheck[] {
  const { pattern, isWarning, limits } = assertion;
  return [...Map.groupBy(runs, ({ lhr }) => finalUrlOf(lhr))].flatMap(([url, group], _, groups) => {
    const isOfPage = pattern === undefined || matchesUrl(pattern, url);
    if (isOfPage === undefined)
      return limits.map(limit => ({
        text: sayAssertion(assertion, limit),
        measured: `matchingUrlPattern takes longer than ${matchMs} ms on ${url}`,
        passed: false,
        isWarning,
      }));
    if (!isOfPage) return [];
    const checks = judgeGroup(assertion, group);
    return groups.length === 1 ? checks : checks.map(check => ({ ...check, measured: `${check.measured} on ${url}` }));
  });
}
