/** Contract section 4: further pages that delay the audit; page-waits.test.ts has one of each kind. */
import { after } from 'node:test';
import { toPatientAudits } from '../support/audits/quick-audits.ts';
import { startService } from '../support/start-service.ts';
import { auditEach } from './audit-each.ts';
import { startFaultSite } from './fault-site.ts';

const site = await startFaultSite({ after });
const start = (page: Record<string, number>, settings: Record<string, string> = {}) =>
  startService({ after }, { LIGHTHOUSE_QUEUE: '200', ...settings }, undefined, { audits: toPatientAudits({ page }) });
const [forPaint, forQuiet, hasty] = await Promise.all([
  start({ firstPaintMs: 3_000, documentMs: 4_000 }),
  start({ loadMs: 5_000 }),
  start({}, { LIGHTHOUSE_TIMEOUT: '8' }),
]);

auditEach(['gzip-bomb', 'brotli-bomb', 'paints-late', 'blank', 'only-colour'], { service: forPaint, site });
auditEach(['slow-body', 'empty-200-untyped', 'empty-404', 'empty-500', 'redirect-nowhere'], {
  service: forPaint,
  site,
});
auditEach(['endless-fetch', 'slow-rest', 'hanging-service-worker'], { service: forQuiet, site });
auditEach(['redirect-to-never', 'hanging-service-worker-reload'], { service: hasty, site });
auditEach(['endless-body', 'endless-words', 'frame-recursion'], { service: hasty, site });
