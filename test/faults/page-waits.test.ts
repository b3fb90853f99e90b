/** Contract section 4: pages that keep the audit waiting. They wait beside each other. */
import { after } from 'node:test';
import { startService } from '../start-service.ts';
import { auditEach } from './audit-each.ts';
import { startFaultSite } from './fault-site.ts';

const site = await startFaultSite({ after });
const start = (settings: Record<string, string>) => startService({ after }, { LIGHTHOUSE_QUEUE: '200', ...settings });
const [forPaint, forQuiet, forBytes, hasty] = await Promise.all([
  start({}),
  start({}),
  start({}),
  start({ LIGHTHOUSE_TIMEOUT: '10' }),
]);

// Lighthouse waits 30 s for something to be painted, and 45 s for a network that is quiet.
auditEach(['gzip-bomb', 'brotli-bomb', 'paints-late', 'blank', 'only-colour'], { service: forPaint, site });
auditEach(['polling', 'endless-fetch'], { service: forQuiet, site });
auditEach(['empty-200', 'empty-200-untyped', 'redirect-nowhere'], { service: forQuiet, site });
auditEach(['slow-headers', 'slow-body', 'slow-rest', 'hanging-service-worker'], { service: forBytes, site });
// For these it would wait without end.
auditEach(['never', 'redirect-to-never', 'hanging-service-worker-reload'], { service: hasty, site });
auditEach(['endless-body', 'endless-words', 'frame-recursion'], { service: hasty, site });
