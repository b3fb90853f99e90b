import type { FailedAudit, Report } from './report.ts';

/** A Report without full data stays under 40 KB whatever the page wrote; the rest is left for its cache note. */
export const maxReportBytes = 39_000;

const limits = { url: 4096, title: 300, display: 200, description: 700, message: 300, warnings: 20 } as const;

/** Half of a surrogate pair, the page's or made by the cut, would be no text. */
const cut = (text: string, max: number): string =>
  (text.length <= max ? text : `${text.slice(0, max - 1)}…`).toWellFormed();

/**
 * Pictures and fonts travel in pages as base64, in URLs percent-encoded, at times one glued to the next. The length
 * of the media type is bounded to keep the search linear.
 */
const base64 = /data(:|%3A)(?:[^,\s]|;\s){0,200}?(?:;|%3B)\s?base64\s?(?:,|%2C)\s?(?:(?!data(?::|%3A))[\w+/=%-])*/gi;

/** A summary carries none, wherever the page put it. */
const withoutBase64 = (text: string): string => text.replace(base64, 'data$1…');

const tidy = (text: string, max: number): string => cut(withoutBase64(text), max);

const tidyAudit = (audit: FailedAudit): FailedAudit => ({
  ...audit,
  title: tidy(audit.title, limits.title),
  description: tidy(audit.description, limits.description),
  display_value: audit.display_value === null ? null : tidy(audit.display_value, limits.display),
  ...(audit.error_message === undefined ? {} : { error_message: tidy(audit.error_message, limits.message) }),
});

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/**
 * Cuts what a page can make long; then, if need be, drops the descriptions of the least useful
 * audits, and at the very last those audits themselves, then warnings.
 */
export function fitReport(report: Report): Report {
  const fitted: Report = {
    ...report,
    final_url: tidy(report.final_url, limits.url),
    failed_audits: report.failed_audits.map(tidyAudit),
    warnings: report.warnings.slice(0, limits.warnings).map(warning => tidy(warning, limits.message)),
  };
  let excess = bytesOf(fitted) - maxReportBytes;
  for (const audit of fitted.failed_audits.toReversed()) {
    if (excess <= 0) break;
    excess -= bytesOf(audit.description) - bytesOf('');
    audit.description = '';
  }
  for (const list of [fitted.failed_audits, fitted.warnings])
    while (list.length > 0 && bytesOf(fitted) > maxReportBytes) list.pop();
  return fitted;
}
