/** In two slots, a page may load while another one is quiet, but not while it works: seen from the server. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createOwnPool, readOwnPage } from '../support/audits/create-own-pool.ts';
import { toQuickAudits } from '../support/audits/quick-audits.ts';
import { startLocalServer } from '../support/sites/local-server.ts';

/** Lighthouse waits this long for a quiet page, and then for a quiet CPU: others have time to start. */
const limits = { page: { quietMs: 2_000 } };
const pool = createOwnPool({ concurrency: 2, queueLimit: 10, ...toQuickAudits({ limits }) });
after(() => pool.close(0));

const work = `<!doctype html><title>Boats</title><h1>Boats</h1><script>
addEventListener('load', () => {
  let sum = 0;
  for (let turn = 0; turn < 1e8; turn += 1) sum += Math.sqrt(turn);
  fetch(location.pathname + '/done/' + sum);
});
</script>`;

test('a page loads in the quiet of another one, and two pages never work at the same time', async t => {
  if (process.platform !== 'linux') return t.skip('skipped: it reads /proc');
  /** Events of the first load of each page, such as `/a document`. */
  const seen = new Set<string>();
  const site = await startLocalServer(t, ({ url = '/' }, response) => {
    const [, page, done] = url.split('/');
    seen.add(`/${page} ${done ?? 'document'}`);
    response.setHeader('content-type', 'text/html');
    response.end(done ? '' : work);
  });
  const never = new AbortController().signal;
  const settings = { strategy: 'mobile', categories: ['performance'], profile: 'lighthouse', locale: 'en-US' } as const;
  const paths = ['/a', '/b', '/c', '/d'];
  await Promise.all(
    paths.map(path =>
      pool.audit({ ...settings, url: site.url + path }, readOwnPage, never, {
        onProgress: progress => 'stage' in progress && seen.add(`${path} ${progress.stage}`),
      }),
    ),
  );
  const inOrder = [...seen];
  /** Returns whether a page started between two events of another one. */
  const hasStarted = (path: string, from: string, to: string): boolean =>
    inOrder
      .slice(inOrder.indexOf(`${path} ${from}`) + 1, inOrder.indexOf(`${path} ${to}`))
      .some(event => event.endsWith(' document'));
  assert.deepEqual(
    paths.filter(path => hasStarted(path, 'document', 'done')),
    [],
    inOrder.join(),
  );
  assert.ok(
    paths.some(path => hasStarted(path, 'done', 'gathering')),
    inOrder.join(),
  );
});
