import type { FastifyReply } from 'fastify';
import type { ReportFile } from '../../analysis/threads/tasks.ts';
import { toBuffer } from '../../measure/lhr/json-bytes.ts';
import { frameSandbox } from '../../web/report/file-policy.ts';

/**
 * Sends a report, which opens in its own tab. It contains text of the page under test, so it gets an opaque origin, and
 * other pages may not frame it. A page with an opaque origin cannot set a cross-origin opener policy.
 */
export const sendReport = (reply: FastifyReply, { html, policy }: ReportFile, name: string): FastifyReply =>
  reply
    .code(200)
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-disposition', `inline; filename="${name}"`)
    .header('content-security-policy', `sandbox ${frameSandbox}; ${policy}; frame-ancestors 'none'`)
    .header('cross-origin-opener-policy', 'unsafe-none')
    .send(toBuffer(html));
