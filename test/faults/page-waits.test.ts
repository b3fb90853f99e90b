/** Contract section 4: pages that keep the audit waiting. They wait beside each other. */
import { after } from 'node:test';
import { startService } from '../start-service.ts';
import { auditEach } from './audit-each.ts';
import { startFaultSite } from './fault-site.ts';

const site = await startFaultSite({ after });
const [patient, hasty] = await Promise.all([
  startService({ after }, { LIGHTHOUSE_QUEUE: '200' }),
  startService({ after }, { LIGHTHOUSE_QUEUE: '200', LIGHTHOUSE_TIMEOUT: '10' }),
]);

// Lighthouse waits 30 s for something to be painted, and 45 s for a network that is quiet.
auditEach(['gzip-bomb', 'paints-late', 'only-colour', 'empty-200', 'polling'], { service: patient, site });
auditEach(['never', 'redirect-to-never', 'endless-body', 'hanging-service-worker-reload'], { service: hasty, site });
