/** The rest of the ways in which a document may lead inside or away; the main ones are in documents.test.ts. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Problem } from '../../src/contract/problem.ts';
import { toPatientAudits } from '../support/quick-audits.ts';
import { startService } from '../support/start-service.ts';
import { assertForbidden, assertMeasured, audit } from './document-checks.ts';
import { publicAddress, startLeadingSite } from './leading-site.ts';

const patient = { audits: toPatientAudits() };
const { canary, network } = await startLeadingSite({ after });
const anywhere = await startService({ after }, { TARGETS: 'any' }, network, patient);
const hasty = await startService({ after }, { TARGETS: 'any', LIGHTHOUSE_TIMEOUT: '15' }, network, patient);

test('a public page whose document goes inside is target_forbidden, by every header and script that can', async () => {
  await assertForbidden(anywhere, ['302', '307', 'late', 'refresh-header', 'frame-to-top']);
  assert.equal(canary.connections.all.length, 0);
});

test('a page that leaves for chrome:, view-source: or javascript: leaks nothing and is measured', async () => {
  await assertMeasured(anywhere, ['chrome', 'view-source', 'javascript']);
  assert.equal(canary.connections.all.length, 0);
});

test('a page that leaves for a blob of its own leaks nothing, whether Lighthouse sees the end of it or not', async () => {
  const { status, body } = await audit<Problem>(hasty, 'http://www.example.com/blob');
  assert.ok(status === 200 || body.code === 'lighthouse_timeout', `${status} ${body.code}`);
  assert.equal(canary.connections.all.length, 0);
});

test('of all this, only the public address was ever dialled', () => {
  assert.deepEqual([...new Set(network.dialled)], [`${publicAddress} 80`]);
  assert.equal(canary.connections.all.length, 0);
});
