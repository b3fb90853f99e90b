/** Contract section 4: pages that ask much of the machine, or never let go of it, by real audits. */
import { after } from 'node:test';
import { startService } from '../start-service.ts';
import { auditEach } from './audit-each.ts';
import { startFaultSite } from './fault-site.ts';

const site = await startFaultSite({ after });
const service = await startService({ after }, { LIGHTHOUSE_QUEUE: '200' });
/** A line of its own: PSI_TIMEOUT counts the wait in it. */
const remote = await startService({ after });

auditEach(['hang'], { service: remote, site, path: '/psi' });
auditEach(['hang', 'hang-in-wasm', 'alert-loop', 'print-loop', 'hang-in-timer'], { service, site });
auditEach(['hang-after-load', 'hang-in-worker'], { service, site });
auditEach(['memory-bomb', 'huge-script', 'many-nodes', 'many-requests'], { service, site });
