/** Contract section 4: what a page does once it is in the browser, by real audits. */
import { after } from 'node:test';
import { startService } from '../start-service.ts';
import { auditEach } from './audit-each.ts';
import { startFaultSite } from './fault-site.ts';

const site = await startFaultSite({ after });
const service = await startService({ after }, { LIGHTHOUSE_QUEUE: '200' });
/** A line of its own: PSI_TIMEOUT counts the wait in it. */
const remote = await startService({ after });

auditEach(['crash'], { service: remote, site, path: '/psi' });
auditEach(['crash', 'crash-after-load', 'crash-out-of-memory'], { service, site });
auditEach(['alert', 'confirm', 'prompt', 'beforeunload', 'print', 'windows'], { service, site });
auditEach(['leaves-after-load', 'asks-for-nothing', 'push-state-loop', 'document-write-loop'], { service, site });
auditEach(['starts-download', 'open-socket', 'hostile-words'], { service, site });
auditEach(['reload-loop', 'reload-loop-after-load', 'location-loop', 'meta-refresh-loop'], { service, site });
