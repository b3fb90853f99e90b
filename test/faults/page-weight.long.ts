/** Contract section 4: pages that use much memory or CPU, with real audits. */
import { after } from 'node:test';
import { toPatientAudits } from '../support/audits/quick-audits.ts';
import { startService } from '../support/start-service.ts';
import { auditEach } from './audit-each.ts';
import { startFaultSite } from './fault-site.ts';

const site = await startFaultSite({ after });
const service = await startService({ after }, { LIGHTHOUSE_QUEUE: '200' }, undefined, { audits: toPatientAudits() });

auditEach(['huge-script', 'memory-bomb', 'many-nodes', 'many-requests'], { service, site });
