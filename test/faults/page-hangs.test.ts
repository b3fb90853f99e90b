/**
 * Contract section 4: pages that hang, with real audits and short limits; page-waits.long.ts has the default limits.
 */
import { after } from 'node:test';
import { toPatientAudits } from '../support/audits/quick-audits.ts';
import { startService } from '../support/start-service.ts';
import { auditEach } from './audit-each.ts';
import { startFaultSite } from './fault-site.ts';

const site = await startFaultSite({ after });
const limits = { page: { silentMs: 1_000, hungMs: 2_500, beatMs: 250 } };
const service = await startService({ after }, {}, undefined, { audits: toPatientAudits(limits) });

auditEach(['hang'], { service, site, path: '/psi' });
auditEach(['alert-loop'], { service, site });
