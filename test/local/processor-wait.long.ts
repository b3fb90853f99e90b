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
import { startService } from '../support/start-service.ts';

/** The same work on any machine, in turns after the first paint, each a task of its own. */
const page = `<!doctype html><html lang="en"><title>Work</title><h1>Work</h1><script>
let left = 12;
const next = () => {
  let sum = 0;
  for (let turn = 0; turn < 8e6; turn += 1) sum += Math.sqrt(turn);
  globalThis.sum = sum;
  if (--left > 0) setTimeout(next, 0);
};
requestAnimationFrame(() => setTimeout(next, 0));
</script></html>`;

test('beside other work a page says how long it waited for a processor, and what it scores without that', async t => {
  const site = await startLocalServer(t, (_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(page);
  });
  const service = await startService(t, {}, undefined, { audits: toQuickAudits() });
  const measure = async () => {
    const query = { url: `${site.url}/`, categories: 'performance' };
    const { status, body } = await ask<Result>(service, withQuery('/lighthouse', query));
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  const quiet = await measure();
  const others = Array.from({ length: 2 * availableParallelism() }, () =>
    spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
  );
  t.after(async () => {
    for (const other of others) if (other.kill('SIGKILL')) await once(other, 'exit');
  });
  const busy = await measure();
  const [alone, beside] = [quiet, busy].map(({ environment }) => environment.processor_wait ?? assert.fail('not told'));
  assert.ok(alone && beside);
  assert.ok(beside.main_thread_ms > alone.main_thread_ms, JSON.stringify({ alone, beside }));
  const { without } = beside;
  assert.ok(without, JSON.stringify(busy.scores));
  assert.ok(without.performance >= (busy.scores.performance ?? 101), JSON.stringify([without, busy.scores]));
  assert.ok(without.total_blocking_time < (busy.metrics.total_blocking_time.value ?? 0), JSON.stringify(without));
  const lost = without.performance - (busy.scores.performance ?? 0);
  assert.equal(
    busy.warnings.some(warning => /^This run was disturbed: the page waited \d+ ms/.test(warning)),
    lost >= 3,
  );
});
