/**
 * Every way in which a page can load a resource, observed where sockets open. From a local page, each way reaches
 * another local port, which shows that the page tries all of them. ways.long.ts has more settings.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { toPatientAudits } from '../support/audits/quick-audits.ts';
import { captureLog } from '../support/captured-log.ts';
import { startCanary } from '../support/sites/canary.ts';
import { waysThatAsk } from '../support/sites/ways-out.ts';
import { startService } from '../support/start-service.ts';
import { createOwnNetwork } from '../support/surroundings/own-network.ts';
import { assertReachesNothing, auditWays, names, startWaysSite } from './ways-site.ts';

const canary = await startCanary({ after });
const site = await startWaysSite({ after });
const network = createOwnNetwork(names);
const { log, lines } = captureLog();
const local = await startService({ after }, { TARGETS: 'any' }, network, { log, audits: toPatientAudits() });

test('a local page can reach other local ports in every way', async () => {
  site.leadTo([`http://127.0.0.1:${canary.port}/`]);
  const { status, body } = await auditWays(local, `${site.url}/`);
  assert.deepEqual([status, body.environment.blocked_requests], [200, 0]);
  const asked = new Set(canary.requests.all.map(line => line.split(' ')[1]?.slice(1)));
  assert.deepEqual(
    waysThatAsk.filter(way => !asked.has(way)),
    [],
  );
  assert.ok(asked.has('source-map'), 'which Lighthouse asks for itself');
});

test('a local page never reaches this service, metadata or link-local addresses', async () => {
  const before = network.dialled.length;
  const own = new URL(local.url).port;
  site.leadTo([
    ...[`http://127.0.0.1:${own}/cache/clear?`, `http://localhost:${own}/`, `http://[::1]:${own}/`],
    ...['http://169.254.169.254/latest/', 'http://metadata.google.internal/'],
    ...['http://[fe80::1]/', 'http://[fd00:ec2::254]/'],
  ]);
  const { status, body } = await auditWays(local, `${site.url}/`);
  assert.equal(status, 200);
  assert.ok((body.environment.blocked_requests ?? 0) >= waysThatAsk.length, `${body.environment.blocked_requests}`);
  assert.deepEqual([...new Set(network.dialled.slice(before))], [`127.0.0.1 ${site.port}`]);
  const refused = new Set(
    lines.filter(({ reason }) => reason === 'blocked').map(({ host, port }) => `${host} ${port}`),
  );
  for (const address of [`127.0.0.1 ${own}`, `::1 ${own}`, '169.254.169.254 80', 'fe80::1 80'])
    assert.ok(refused.has(address), address);
});

test('a public page cannot reach internal hosts in any way, even if TARGETS allows any, and is measured', t =>
  assertReachesNothing(t, { site, canaries: [canary], TARGETS: 'any' }, () => [`http://127.0.0.1:${canary.port}/`]));
