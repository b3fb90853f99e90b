/** Pages with the default limits of the service and Lighthouse, which other tests shorten. */
import { after } from 'node:test';
import { toPatientAudits } from '../support/audits/quick-audits.ts';
import { startService } from '../support/start-service.ts';
import { auditEach } from './audit-each.ts';
import { startFaultSite } from './fault-site.ts';

const site = await startFaultSite({ after });
const service = await startService({ after }, { LIGHTHOUSE_QUEUE: '200' }, undefined, { audits: toPatientAudits() });

// Limits: 30 s for a first paint, 31 s for a document, 45 s for a quiet network, 30 s and 65 s for a page that hangs.
auditEach(['paints-late', 'slow-headers', 'polling'], { service, site });
auditEach(['hang', 'hang-in-timer', 'hang-after-load', 'print-loop'], { service, site });
