/** Contract section 4: what a server answers instead of a page, by real audits of every kind of answer. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Health } from '../../src/http/schemas.ts';
import { ask } from '../ask.ts';
import { startService } from '../start-service.ts';
import { auditEach } from './audit-each.ts';
import { startFaultSite } from './fault-site.ts';

const site = await startFaultSite({ after });
const service = await startService({ after }, { LIGHTHOUSE_QUEUE: '200' });
/** A line of its own: PSI_TIMEOUT counts the wait in it. */
const remote = await startService({ after });

auditEach(['pdf', 'pdf-attachment', 'pdf-untyped', 'zip', 'zip-untyped', 'html-attachment'], { service, site });
auditEach(['json', 'image', 'image-untyped', 'xml', 'text', 'html-untyped'], { service, site });
auditEach(['401', '403', '404', '500', '503'], { service, site });
auditEach(['204', '205', '304', 'empty-404', 'empty-500', 'empty-500-untyped', 'length-too-short'], { service, site });
auditEach(['redirect-loop', 'redirect-chain', 'redirect-to-404', 'redirect-to-file'], { service, site });
auditEach(['length-too-long', 'reset-at-once', 'reset-in-headers', 'reset-in-body', 'no-http'], { service, site });
auditEach(['closed-port', 'slow-start'], { service, site });
auditEach(['tls-expired', 'tls-self-signed', 'tls-wrong-name', 'tls-on-plain-port', 'plain-on-tls-port'], {
  service,
  site,
});
auditEach(['pdf', '503', 'redirect-loop', 'tls-expired', 'reset-in-body'], { service: remote, site, path: '/psi' });

test('nothing failed is cached, and every place is given back', async () => {
  for (const each of [service, remote]) {
    let { body } = await ask<Health>(each, '/health');
    while (body.lighthouse.running > 0) ({ body } = await ask<Health>(each, '/health'));
    assert.deepEqual([body.cache.entries, body.lighthouse.queued], [0, 0]);
  }
});
