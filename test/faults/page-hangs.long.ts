/** Contract section 4: further pages that hang; page-hangs.test.ts has one of each kind. */
import { after } from 'node:test';
import { toPatientAudits } from '../support/audits/quick-audits.ts';
import { startService } from '../support/start-service.ts';
import { auditEach } from './audit-each.ts';
import { startFaultSite } from './fault-site.ts';

const site = await startFaultSite({ after });
const limits = { page: { silentMs: 2_000, hungMs: 5_000, beatMs: 500 } };
const service = await startService({ after }, { LIGHTHOUSE_QUEUE: '200' }, undefined, {
  audits: toPatientAudits(limits),
});

auditEach(['hang-in-wasm', 'hang-in-worker', 'hang-after-load'], { service, site });
