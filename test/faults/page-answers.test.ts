/**
 * Contract section 4: answers that are not pages, and behavior of pages in the browser, with real audits, one of each
 * kind. page-answers.long.ts and page-scripts.long.ts have the others; test/local/failures.test.ts has failures with
 * both sources: 404, no connection.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Health } from '../../src/contract/health.ts';
import { ask } from '../support/asking/ask.ts';
import { toPatientAudits } from '../support/audits/quick-audits.ts';
import { startService } from '../support/start-service.ts';
import { readUntil } from '../support/until.ts';
import { auditEach } from './audit-each.ts';
import { startFaultSite } from './fault-site.ts';

const site = await startFaultSite({ after });
const service = await startService({ after }, { LIGHTHOUSE_QUEUE: '200' }, undefined, { audits: toPatientAudits() });

auditEach(['zip', 'html-untyped', 'redirect-loop'], { service, site });
auditEach(['tls-self-signed'], { service, site, path: '/psi' });
auditEach(['alert', 'windows', 'leaves-after-load', 'reload-loop'], { service, site });

test('failures are not cached, and every slot is free again', async () => {
  const read = () => ask<Health>(service, '/health');
  const { body } = await readUntil(read, ({ body }) => body.lighthouse.running === 0);
  assert.deepEqual([body.cache.entries, body.lighthouse.queued], [0, 0]);
});
