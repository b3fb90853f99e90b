/**
 * Programs that take the processors: the first load is disturbed by them, and the service repeats it alone. On a machine
 * that has other work to do, run it as `nice -n -17`: the programs inherit that, and the other work does not.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';
import type { Result } from '../../src/contract/result/result.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { toQuickAudits } from '../support/audits/quick-audits.ts';
import { startLocalServer } from '../support/sites/local-server.ts';
import { workingPage } from '../support/sites/working-page.ts';
import { type Scope, startService } from '../support/start-service.ts';

/** Processes that keep every processor busy until they are ended. */
function startBurners(scope: Scope): () => Promise<void> {
  const burners: ChildProcess[] = Array.from({ length: availableParallelism() }, () =>
    spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
  );
  const end = async () => {
    for (const burner of burners) if (burner.kill('SIGKILL')) await once(burner, 'exit');
  };
  scope.after(end);
  return end;
}

async function startPage(t: Scope) {
  const loads = { count: 0, before: async (_load: number) => {} };
  const site = await startLocalServer(t, async ({ url }, response) => {
    if (url === '/') {
      loads.count += 1;
      await loads.before(loads.count);
    }
    response.setHeader('content-type', 'text/html').end(url === '/' ? workingPage : '');
  });
  const service = await startService(t, { LIGHTHOUSE_REPEATS: '2' }, undefined, { audits: toQuickAudits() });
  const measure = async (query: Record<string, string> = {}) => {
    loads.count = 0;
    const wanted = { url: `${site.url}/`, categories: 'performance', ...query };
    const { status, body } = await ask<Result>(service, withQuery('/lighthouse', wanted));
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };
  return { loads, measure };
}

test('a load that other programs disturbed is repeated, and the quiet one is returned without a mark', async t => {
  const { loads, measure } = await startPage(t);
  // The kernel decides who gets a processor, so a load among the others may have luck: then there is no repeat. Three
  // repeats in a row that do not help stop the next ones.
  for (let audit = 1; audit <= 6; audit += 1) {
    const end = startBurners(t);
    loads.before = async load => {
      if (load > 1) await end();
    };
    const { runs, disturbed, warnings } = await measure();
    await end();
    if (!runs) continue;
    assert.deepEqual([runs.requested, runs.completed, runs.repeated], [1, 1, loads.count - 1]);
    assert.equal(runs.disturbed, Number(disturbed));
    if (!disturbed) return;
    // Other work on the machine may disturb the repeat, too.
    t.diagnostic(warnings[0] ?? '');
  }
  loads.before = async () => {};
  // Then other work has the machine, and nothing can be quiet on it.
  if ((await measure()).disturbed) return t.skip('this machine has other work to do');
  assert.fail('no repeat was quiet');
});

test('on a permanently busy machine there are few loads, the mark stays, and the service stops repeating', async t => {
  const { loads, measure } = await startPage(t);
  startBurners(t);
  const counts: number[] = [];
  /** Audits since the first disturbed load that was not repeated: then the service has stopped. */
  let since = 0;
  // Three repeats in a row must not help, which is a matter of luck.
  for (let audit = 1; audit <= 30 && since < 4; audit += 1) {
    const { runs, disturbed, warnings } = await measure();
    assert.ok(loads.count <= (since > 0 ? 1 : 3), `${loads.count} loads, ${since} audits after the first of one`);
    assert.equal(runs?.repeated ?? 0, loads.count - 1);
    // The kernel may let a load through between the programs: that one is answered, and has no mark.
    assert.equal(
      disturbed,
      warnings.some(warning => warning.includes('disturbed')),
    );
    counts.push(loads.count);
    if (since > 0 || (disturbed && loads.count === 1)) since += 1;
  }
  t.diagnostic(`loads of each audit: ${counts.join(', ')}`);
  assert.equal(since, 4, 'every disturbed load was repeated');
});

test('several runs are each repeated by the same rule, and report the total', async t => {
  const { loads, measure } = await startPage(t);
  startBurners(t);
  const { runs } = await measure({ runs: '3' });
  assert.deepEqual([runs?.requested, runs?.completed], [3, 3]);
  assert.ok(loads.count <= 9, `${loads.count} loads`);
  assert.equal(runs?.repeated ?? 0, loads.count - 3);
});
