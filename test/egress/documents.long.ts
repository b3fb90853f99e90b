/** Further ways in which a document may leave for an internal host or another scheme: see documents.test.ts. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Problem } from '../../src/contract/problem.ts';
import type { Result } from '../../src/contract/result/result.ts';
import { toPatientAudits } from '../support/audits/quick-audits.ts';
import { startService } from '../support/start-service.ts';
import { assertForbidden, assertMeasured, audit } from './document-checks.ts';
import { publicAddress, startLeadingSite } from './leading-site.ts';

const patient = { audits: toPatientAudits() };
const { canary, network } = await startLeadingSite({ after });
const anywhere = await startService({ after }, { TARGETS: 'any' }, network, patient);
const hasty = await startService({ after }, { TARGETS: 'any', LIGHTHOUSE_TIMEOUT: '15' }, network, patient);

test('a public page whose document navigates to an internal host is target_forbidden, by every header, form and script that can', async () => {
  await assertForbidden(anywhere, ['302', '307', 'late', 'refresh', 'refresh-header', 'form', 'frame-to-top']);
  assert.equal(canary.connections.all.length, 0);
});

test('a page that navigates to data:, chrome:, view-source: or javascript:, or has a file in a frame, leaks nothing and is measured', async () => {
  await assertMeasured(anywhere, ['data', 'files-inside', 'chrome', 'view-source', 'javascript']);
  assert.equal(canary.connections.all.length, 0);
});

test('a page that navigates to its own blob leaks nothing, whether Lighthouse sees the end of it or not', async () => {
  const { status, body } = await audit<Problem>(hasty, 'http://www.example.com/blob');
  assert.ok(status === 200 || body.code === 'lighthouse_timeout', `${status} ${body.code}`);
  assert.equal(canary.connections.all.length, 0);
});

test('a name with a public and a private answer is measured publicly if TARGETS allows both', async () => {
  const { status } = await audit<Result>(anywhere, 'http://mixed.example.com/');
  assert.equal(status, 200);
});

test('in all these tests, only the public address was dialled', () => {
  assert.deepEqual([...new Set(network.dialled)], [`${publicAddress} 80`]);
  assert.equal(canary.connections.all.length, 0);
});
