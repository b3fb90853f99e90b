/** In two slots, a page may load while another one is quiet, but not while it works: seen from the server. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createOwnPool, readOwnPage } from '../support/audits/create-own-pool.ts';
import { toQuickAudits } from '../support/audits/quick-audits.ts';
import { startLocalServer } from '../support/sites/local-server.ts';

/** Lighthouse waits this long for a quiet page, and then for a quiet CPU: others have time to start. */
const pool = createOwnPool({
  concurrency: 2,
  queueLimit: 10,
  ...toQuickAudits({ limits: { page: { quietMs: 3_000 } } }),
});
after(() => pool.close(0));

/** Times of the first load of a page, in the order of events. */
type Seen = { path: string; event: 'document' | 'done' | 'woke' | 'gathering' };
const seen: Seen[] = [];
const note = (path: string, event: Seen['event']) => {
  if (!seen.some(one => one.path === path && one.event === event)) seen.push({ path, event });
};
const placeOf = (path: string, event: Seen['event']): number => {
  const place = seen.findIndex(one => one.path === path && one.event === event);
  return place === -1 ? assert.fail(`${path}: no ${event} in ${JSON.stringify(seen)}`) : place;
};

/** Works for some 200 ms, and again after 2.5 s if its path says so, and asks for a file at each end. */
const toPage = (path: string) => `<!doctype html><title>Boats</title><h1>Boats</h1><script>
const work = (turns, event) => {
  let sum = 0;
  for (let turn = 0; turn < turns; turn += 1) sum += Math.sqrt(turn);
  fetch('${path}/' + event + '/' + sum);
};
addEventListener('load', () => work(1e8, 'done'));
${path.includes('wakes') ? "setTimeout(() => work(4e8, 'woke'), 2_500);" : ''}
</script>`;
const site = await startLocalServer({ after: hook => after(hook) }, ({ url = '/' }, response) => {
  const [, page, event = 'document'] = url.split('/');
  note(`/${page}`, event as Seen['event']);
  response.setHeader('content-type', 'text/html');
  response.end(event === 'document' ? toPage(`/${page}`) : '');
});

/** Measures pages with two requests always in flight. */
async function measure(...paths: readonly string[]): Promise<void> {
  seen.length = 0;
  const never = new AbortController().signal;
  await Promise.all(
    paths.map(path =>
      pool.audit(
        { url: site.url + path, strategy: 'mobile', categories: ['performance'], profile: 'lighthouse', locale: 'en-US' },
        readOwnPage,
        never,
        { onProgress: progress => 'stage' in progress && progress.stage === 'gathering' && note(path, 'gathering') },
      ),
    ),
  );
}
/** Returns the pages whose document was requested between two events of a page. */
const startedWithin = (path: string, from: Seen['event'], to: Seen['event']): string[] =>
  seen.slice(placeOf(path, from) + 1, placeOf(path, to)).flatMap(one => (one.event === 'document' ? one.path : []));

test('a page loads in the quiet of another one, and two pages never work at the same time', async t => {
  if (process.platform !== 'linux') return t.skip('skipped: it reads /proc');
  const paths = ['/a', '/b', '/c', '/d'];
  await measure(...paths);
  for (const path of paths) assert.deepEqual(startedWithin(path, 'document', 'done'), [], JSON.stringify(seen));
  const inQuiet = paths.flatMap(path => startedWithin(path, 'done', 'gathering'));
  assert.ok(inQuiet.length > 0, JSON.stringify(seen));
});

test('a page that woke in its quiet is not interrupted again', async t => {
  if (process.platform !== 'linux') return t.skip('skipped: it reads /proc');
  const paths = ['/wakes-a', '/wakes-b'];
  for (const path of paths) await measure(path);
  await measure(...paths, '/e');
  for (const path of paths) {
    assert.ok(placeOf(path, 'woke') < placeOf(path, 'gathering'), 'it wakes during the load');
    assert.deepEqual(startedWithin(path, 'document', 'gathering'), [], JSON.stringify(seen));
  }
});
