/** Contract section 4: further answers that are not pages; page-answers.test.ts has one of each kind. */
import { after } from 'node:test';
import { toPatientAudits } from '../support/audits/quick-audits.ts';
import { startService } from '../support/start-service.ts';
import { auditEach } from './audit-each.ts';
import { startFaultSite } from './fault-site.ts';

const site = await startFaultSite({ after });
const service = await startService({ after }, { LIGHTHOUSE_QUEUE: '200', PSI_TIMEOUT: '600' }, undefined, {
  audits: toPatientAudits(),
});

auditEach(['pdf', 'pdf-attachment', 'pdf-untyped', 'zip-untyped', 'html-attachment'], { service, site });
auditEach(['json', 'image', 'image-untyped', 'xml', 'text'], { service, site });
auditEach(['204', '205', '304', '401', '403', '404', '500', '503', 'empty-500-untyped'], { service, site });
auditEach(['redirect-chain', 'redirect-to-404', 'redirect-to-file'], { service, site });
auditEach(['length-too-long', 'length-too-short', 'slow-start', 'closed-port'], { service, site });
auditEach(['reset-at-once', 'reset-in-headers', 'reset-in-body', 'no-http'], { service, site });
auditEach(['tls-expired', 'tls-wrong-name', 'tls-on-plain-port', 'plain-on-tls-port'], { service, site });
auditEach(['redirect-loop', 'tls-expired', 'reset-in-body'], { service, site, path: '/psi' });
