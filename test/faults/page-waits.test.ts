/**
 * Contract section 4: pages that keep the audit waiting, one of each kind. They wait for less than is
 * usual. The rest of each kind is in page-waits-less.long.ts, the usual limits in page-waits.long.ts.
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

// Lighthouse waits for something to be painted, and for a network that is quiet.
auditEach(['empty-200', 'slow-headers', 'polling'], { service: patient, site });
// For this one it would wait without end.
auditEach(['never'], { service: hasty, site });
