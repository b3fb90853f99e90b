import type { FailedAudit, RankedFinding, Result } from '../../contract/result/result.ts';

/** Max size of a result without full data, in bytes. The result including its cache note stays under 40 KB. */
export const maxResultBytes = 39_000;

const limits = {
  url: 4096,
  title: 300,
  display: 200,
  description: 700,
  message: 300,
  fact: 500,
  warnings: 20,
} as const;
/** More audits never fit into a result. */
const mostAudits = 260;
/** Max length of text that is searched for base64 data. */
const mostSearched = 8_000;

/** Shortens text. Lone surrogates, from the page or from the cut, are replaced, because they would be invalid. */
const cut = (text: string, max: number): string =>
  (text.length <= max ? text : `${text.slice(0, max - 1)}…`).toWellFormed();

/**
 * Matches base64 data of images and fonts, percent-encoded in URLs, even several in sequence. The limit on the media
 * type makes the search linear.
 */
const base64 = /data(:|%3A)(?:[^,\s]|;\s){0,80}?(?:;|%3B)\s?base64\s?(?:,|%2C)\s?(?:(?!data(?::|%3A))[\w+/=%-])*/gi;

/** Removes base64 data from text. */
const withoutBase64 = (text: string): string => text.replace(base64, 'data$1…');

const tidy = (text: string, max: number): string => cut(withoutBase64(text.slice(0, mostSearched)), max);

/** Shortens the texts of facts that Lighthouse usually writes itself. */
function cutFacts<T>(facts: T): T {
  if (typeof facts === 'string') return cut(facts, limits.fact) as T;
  if (typeof facts !== 'object' || facts === null || Array.isArray(facts)) return facts;
  return Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, cutFacts(value)])) as T;
}

const tidyAudit = (audit: FailedAudit): FailedAudit => ({
  ...audit,
  id: cut(audit.id, limits.display),
  title: tidy(audit.title, limits.title),
  description: tidy(audit.description, limits.description),
  display_value: audit.display_value === null ? null : tidy(audit.display_value, limits.display),
  ...(audit.error_message === undefined ? {} : { error_message: tidy(audit.error_message, limits.message) }),
});

const tidyFinding = (finding: RankedFinding): RankedFinding => ({
  ...finding,
  id: tidy(finding.id, limits.title),
  title: tidy(finding.title, limits.title),
  files: finding.files.map(url => tidy(url, limits.title)),
});

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/**
 * Shortens the texts of the page. If the result is still too large, removes the descriptions of the least useful
 * audits, then those audits, then warnings and findings.
 */
export function fitResult(result: Result): Result {
  const { late_content: late } = result;
  const fitted: Result = {
    ...result,
    final_url: tidy(result.final_url, limits.url),
    lighthouse_version: cutFacts(result.lighthouse_version),
    metrics: cutFacts(result.metrics),
    environment: cutFacts(result.environment),
    ...(late
      ? { late_content: { ...late, largest_paint: late.largest_paint && tidy(late.largest_paint, limits.display) } }
      : {}),
    ...(result.findings ? { findings: result.findings.map(tidyFinding) } : {}),
    failed_audits: result.failed_audits.slice(0, mostAudits).map(tidyAudit),
    warnings: result.warnings.slice(0, limits.warnings).map(warning => tidy(warning, limits.message)),
  };
  let excess = bytesOf(fitted) - maxResultBytes;
  for (const audit of fitted.failed_audits.toReversed()) {
    if (excess <= 0) break;
    excess -= bytesOf(audit.description) - bytesOf('');
    audit.description = '';
  }
  for (const list of [fitted.failed_audits, fitted.warnings, fitted.findings ?? []])
    while (list.length > 0 && excess > 0) excess -= bytesOf(list.pop()) + (list.length > 0 ? 1 : 0);
  return fitted;
}
