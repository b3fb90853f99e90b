/**
 * Contract section 4: pages that delay the audit, one of each kind, with short limits. page-waits-less.long.ts has the
 * others, page-waits.long.ts the default limits.
 */
import { after } from 'node:test';
import { toPatientAudits } from '../support/audits/quick-audits.ts';
import { startService } from '../support/start-service.ts';
import { auditEach } from './audit-each.ts';
import { startFaultSite } from './fault-site.ts';

const site = await startFaultSite({ after });
const patient = await startService({ after }, {}, undefined, {
  audits: toPatientAudits({ page: { firstPaintMs: 3_000, documentMs: 4_000, loadMs: 5_000 } }),
});
const hasty = await startService({ after }, { LIGHTHOUSE_TIMEOUT: '8' }, undefined, {
  audits: toPatientAudits(),
});

// Lighthouse waits for a first paint and for a quiet network.
auditEach(['empty-200', 'slow-headers', 'polling'], { service: patient, site });
// Lighthouse would wait forever for this page.
auditEach(['never'], { service: hasty, site });
