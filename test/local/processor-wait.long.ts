/** A page that has to share the processors: what it waited for is measured, told, and taken out of its score again. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';
import type { Result } from '../../src/contract/result/result.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { toQuickAudits } from '../support/audits/quick-audits.ts';
import { startLocalServer } from '../support/sites/local-server.ts';
import { workingPage } from '../support/sites/working-page.ts';
import { startService } from '../support/start-service.ts';
import { readUntil } from '../support/until.ts';

test('alongside other work, a page reports how long it waited for a CPU, and its score without that', async t => {
  const site = await startLocalServer(t, (_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(workingPage);
  });
  const service = await startService(t, {}, undefined, { audits: toQuickAudits() });
  const measure = async () => {
    const query = { url: `${site.url}/`, categories: 'performance' };
    const { status, body } = await ask<Result>(service, withQuery('/lighthouse', query));
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  const others = Array.from({ length: 2 * availableParallelism() }, () =>
    spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
  );
  t.after(async () => {
    for (const other of others) if (other.kill('SIGKILL')) await once(other, 'exit');
  });
  // The kernel decides which process gets the CPU, so a load may be lucky and not wait.
  const { metrics, scores, warnings, environment } = await readUntil(
    measure,
    body => Boolean(body.environment.processor_wait?.without),
    { limitMs: 600_000 },
  );
  const { main_thread_ms: waitedMs, without } = environment.processor_wait ?? assert.fail();
  assert.ok(without && waitedMs > 0);
  const blockingMs = metrics.total_blocking_time.value ?? assert.fail();
  assert.ok(without.total_blocking_time < blockingMs, JSON.stringify([without, blockingMs]));
  assert.ok(without.performance >= (scores.performance ?? 101), JSON.stringify([without, scores]));
  const isWorse =
    without.performance - (scores.performance ?? 0) >= 3 || blockingMs - without.total_blocking_time >= 100;
  assert.equal(/^This run was disturbed: main-thread tasks waited \d+ ms/m.test(warnings.join('\n')), isWorse);
});
