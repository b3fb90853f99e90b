/** Pages that work again after they have loaded, in the time in which other audits may start. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createOwnPool, readOwnPage } from '../support/audits/create-own-pool.ts';
import { toPatientAudits, toQuickAudits } from '../support/audits/quick-audits.ts';
import { startLocalServer } from '../support/sites/local-server.ts';

const pool = createOwnPool({ concurrency: 2, queueLimit: 10, repeats: 1, ...toQuickAudits(toPatientAudits()) });
after(() => pool.close(0));

/** Works for some 200 ms after so many milliseconds. */
const wakeAfter = (ms: string) => `<!doctype html><title>Boats</title><h1>Boats</h1><script>
setTimeout(() => {
  globalThis.sum = 0;
  for (let turn = 0; turn < 1e8; turn += 1) sum += Math.sqrt(turn);
}, ${Number(ms)});
</script>`;
const paths = ['/1000', '/2000', '/3000'];

test('pages that wake in the quiet of their load have the scores of a list that they have alone, or a mark', async t => {
  const site = await startLocalServer(t, ({ url = '/' }, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(wakeAfter(url.slice(1)));
  });
  const never = new AbortController().signal;
  const settings = { strategy: 'mobile', categories: ['performance'], profile: 'lighthouse', locale: 'en-US' } as const;
  const measure = async (path: string) => {
    const { value } = await pool.audit({ ...settings, url: site.url + path }, readOwnPage, never);
    assert.ok('result' in value && value.result, JSON.stringify(value));
    return { path, score: value.result.scores.performance ?? assert.fail(), isMarked: value.result.disturbed };
  };
  const alone = [];
  for (const path of paths) alone.push(await measure(path));
  for (const { path, score, isMarked } of await Promise.all(paths.map(measure))) {
    const own = alone.find(one => one.path === path) ?? assert.fail();
    if (!isMarked && !own.isMarked)
      assert.ok(Math.abs(score - own.score) <= 5, `${path}: ${score}, alone ${own.score}`);
  }
});
