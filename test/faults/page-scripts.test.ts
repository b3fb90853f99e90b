/** Contract section 4: what a page does once it is in the browser, by real audits. More kinds: page-scripts.long.ts. */
import { after } from 'node:test';
import { toPatientAudits } from '../support/audits/quick-audits.ts';
import { startService } from '../support/start-service.ts';
import { auditEach } from './audit-each.ts';
import { startFaultSite } from './fault-site.ts';

const site = await startFaultSite({ after });
const service = await startService({ after }, { LIGHTHOUSE_QUEUE: '200' }, undefined, { audits: toPatientAudits() });

auditEach(['alert', 'windows', 'leaves-after-load'], { service, site });
auditEach(['starts-download', 'hostile-words', 'reload-loop'], { service, site });
