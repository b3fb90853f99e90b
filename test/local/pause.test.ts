/** While a page loads, the browser of another audit that only gathers is paused, seen from outside. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { createOwnPool, readOwnPage } from '../support/audits/create-own-pool.ts';
import { startLocalServer } from '../support/sites/local-server.ts';
import { until } from '../support/until.ts';

/** The pool writes all of its files here, which tells its browsers from others. */
const scratch = await mkdtemp(join(tmpdir(), 'rangelight-test-'));
await chmod(scratch, 0o755);
process.env.TMPDIR = scratch;

/** Returns the states of the pool's browsers as `proc_pid_stat(5)` has them; `T` is a stopped one. */
const browserStates = (): string[] =>
  readdirSync('/proc').flatMap(pid => {
    try {
      if (!readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(`--user-data-dir=${scratch}`)) return [];
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
      return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3);
    } catch {
      // The process has ended.
      return [];
    }
  });

const pool = createOwnPool({ concurrency: 2, loadsAtOnce: 1, withoutFullPageScreenshot: false });
after(async () => {
  await pool.close(0);
  await rm(scratch, { recursive: true, force: true });
});

/** The full-page screenshot resizes the page, which then waits for an answer: the audit gathers until the test ends that. */
const gathersLong = `<div style="height: 3000px"></div><script>addEventListener('resize', () => {
  const request = new XMLHttpRequest();
  request.open('GET', '/held', false);
  request.send();
})</script>`;

test('the browser of an audit that gathers is paused while another page loads, and both are measured', async t => {
  if (process.platform !== 'linux') return t.skip('skipped: it reads /proc');
  const order: string[] = [];
  let [isPaused, hasEnded] = [false, false];
  const site = await startLocalServer(t, async ({ url = '' }, response) => {
    order.push(url);
    // The browser of the first page is paused while the second one waits for its document.
    if (url === '/beside')
      await until(() => {
        isPaused ||= browserStates().includes('T');
        return isPaused || hasEnded;
      });
    if (url === '/held') await until(() => isPaused);
    response.setHeader('content-type', 'text/html');
    response.end(`<!doctype html><title>Boats</title><h1>Boats</h1>${url === '/first' ? gathersLong : ''}`);
  });
  const measure = (path: string) =>
    pool.audit(
      {
        url: site.url + path,
        strategy: 'mobile',
        categories: ['performance', 'accessibility'],
        profile: 'lighthouse',
        locale: 'en-US',
      },
      readOwnPage,
      new AbortController().signal,
    );
  const first = measure('/first').finally(() => {
    hasEnded = true;
  });
  await until(() => order.includes('/first'));
  for (const { value } of await Promise.all([first, measure('/beside')])) {
    const { categories } = JSON.parse(Buffer.from(value.lighthouseResult).toString());
    assert.equal(typeof categories.accessibility.score, 'number');
  }
  assert.ok(isPaused, 'the browser that gathers was never paused');
  await until(() => pool.status().running === 0);
  assert.ok(!browserStates().includes('T'), 'a spare browser is paused');
});
