/** Contract section 4: other pages that crash their tab than in retry.test.ts, with real audits. */
import { after } from 'node:test';
import { toPatientAudits } from '../support/audits/quick-audits.ts';
import { startService } from '../support/start-service.ts';
import { auditEach } from './audit-each.ts';
import { startFaultSite } from './fault-site.ts';

const site = await startFaultSite({ after });
const service = await startService({ after }, {}, undefined, { audits: toPatientAudits() });

auditEach(['crash'], { service, site, path: '/psi' });
auditEach(['crash-after-load', 'crash-out-of-memory'], { service, site });
