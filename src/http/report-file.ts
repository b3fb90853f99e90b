import type { FastifyReply } from 'fastify';
import { frameSandbox } from '../html-report/file-policy.ts';

/** A report as one HTML file, and what it may do. */
export type ReportFile = {
  readonly html: string;
  /** As it stands in the file. */
  readonly policy: string;
  readonly name: string;
};

const maxHostCharacters = 80;

/** `localhost-3000-lighthouse-mobile.html`: letters, digits, dots and hyphens only, whatever the page is called. */
export function toFileName(url: string, ...words: readonly string[]): string {
  const host = (URL.parse(url)?.host ?? '').replaceAll(/[^\w.-]+/g, '-').replace(/^[-._]+/, '');
  return `${[host.slice(0, maxHostCharacters) || 'page', ...words].join('-')}.html`;
}

/**
 * Sends a report for a tab of its own. What the page under test wrote stands in it: so it gets no origin, and no other
 * page may frame it. A page without an origin cannot ask for a window of its own as well, so it does not.
 */
export const sendReportFile = (reply: FastifyReply, { html, policy, name }: ReportFile): FastifyReply =>
  reply
    .code(200)
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-disposition', `inline; filename="${name}"`)
    .header('content-security-policy', `sandbox ${frameSandbox}; ${policy}; frame-ancestors 'none'`)
    .header('cross-origin-opener-policy', 'unsafe-none')
    .send(Buffer.from(html));
