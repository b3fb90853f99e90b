/**
 * Where a document may navigate, observed where sockets open, and the answers of the service. documents.long.ts has
 * further ways.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Problem } from '../../src/contract/problem.ts';
import { toPatientAudits } from '../support/audits/quick-audits.ts';
import { startService } from '../support/start-service.ts';
import { assertForbidden, assertMeasured, audit } from './document-checks.ts';
import { publicAddress, startLeadingSite } from './leading-site.ts';

const patient = { audits: toPatientAudits() };
const { canary, network } = await startLeadingSite({ after });
const anywhere = await startService({ after }, { TARGETS: 'any' }, network, patient);
const publicOnly = await startService({ after }, { TARGETS: 'public' }, network, patient);
const listed = await startService({ after }, { TARGETS: 'app.internal,10.20.0.0/16' }, network, patient);

test('a public page whose document navigates to an internal host is target_forbidden, by header and script', async () => {
  await assertForbidden(anywhere, ['twice', 'script']);
  assert.equal(canary.connections.all.length, 0);
});

test('a page that navigates to file: leaks nothing and is measured', async () => {
  await assertMeasured(anywhere, ['file']);
  assert.equal(canary.connections.all.length, 0);
});

test('a page redirected to a file by a header is page_unreachable', async () => {
  const { body } = await audit<Problem>(anywhere, 'http://www.example.com/to-file');
  assert.equal(body.code, 'page_unreachable');
});

test('a name with a private answer is target_forbidden under TARGETS=public, even if another is public', async () => {
  for (const host of ['inside.example.com', 'mixed.example.com']) {
    const { body } = await audit<Problem>(publicOnly, `http://${host}/`);
    assert.deepEqual([body.status, body.code], [403, 'target_forbidden'], host);
  }
});

test('a listed name at an address outside the list is target_forbidden', async () => {
  const { body } = await audit<Problem>(listed, 'http://app.internal/');
  assert.deepEqual([body.status, body.code], [403, 'target_forbidden']);
});

test('a host with a trailing dot is the same host', async () => {
  const { body } = await audit<Problem>(anywhere, 'http://www.example.com./302');
  assert.equal(body.code, 'target_forbidden');
});

test('a name that does not resolve is page_unreachable', async () => {
  const { body } = await audit<Problem>(anywhere, 'http://nobody.example.com/');
  assert.deepEqual([body.code, body.lighthouse_code], ['page_unreachable', 'DNS_FAILURE']);
});

test('in all these tests, only the public address was dialled', () => {
  assert.deepEqual([...new Set(network.dialled)], [`${publicAddress} 80`]);
  assert.equal(canary.connections.all.length, 0);
});
