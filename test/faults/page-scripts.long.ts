/** Contract section 4: further behavior of pages in the browser; page-answers.test.ts has one of each kind. */
import { after } from 'node:test';
import { toPatientAudits } from '../support/audits/quick-audits.ts';
import { startService } from '../support/start-service.ts';
import { auditEach } from './audit-each.ts';
import { startFaultSite } from './fault-site.ts';

const site = await startFaultSite({ after });
const service = await startService({ after }, { LIGHTHOUSE_QUEUE: '200' }, undefined, { audits: toPatientAudits() });

auditEach(['beforeunload', 'confirm', 'print', 'prompt', 'asks-for-nothing'], { service, site });
auditEach(['document-write-loop', 'push-state-loop', 'open-socket'], { service, site });
auditEach(['location-loop', 'meta-refresh-loop', 'reload-loop-after-load'], { service, site });
auditEach(['starts-download', 'hostile-words'], { service, site });
