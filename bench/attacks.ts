/**
 * `npm run bench:attacks` attacks a service with default settings by one client, and measures what others notice: the
 * longest time without an answer of `/health`, the memory above the idle service, and the longest time until a request
 * of another client is answered or refused with `Retry-After`. Linux only: the peak memory comes from /proc.
 * `npm run bench:attacks -- --only upload --heap 300 --memory 512`: only these attacks, with a limit of the main heap
 * and one of all memory of the service, in MB. The second one needs root, and kills a service that exceeds it. The
 * service then has the role `api` and PostgreSQL, as in compose.yaml.
 */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { type Answered, type Client, createClient, drip } from '../test/support/asking/address-client.ts';
import { buildAudit, buildCategory, buildMeasuredLhr, buildRef, metricRefs } from '../test/support/builders/lhr.ts';
import { megabytes, memoryOf } from '../test/support/process-memory.ts';
import { startOwnPostgres } from '../test/support/surroundings/own-postgres.ts';
import { createMemoryLimit } from './control-group.ts';
import { startServiceProcess } from './processes.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    heap: { type: 'string' },
    memory: { type: 'string' },
    seconds: { type: 'string', default: '60' },
  },
});

const listOf = <T>(count: number, toEntry: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => toEntry(at));
const allOf = (count: number, ask: (at: number) => Promise<unknown>) => Promise.all(listOf(count, ask));
const page = 'https://example.com/';

/** A Lighthouse result as JSON. @param details JSON of the details of an audit */
const toLhr = (details = '{}', audits = [buildAudit('plain')]): string => {
  const categories = [buildCategory('performance', [...metricRefs, ...audits.map(({ id }) => buildRef(id))], 0.5)];
  const lhr = buildMeasuredLhr({ audits: [...audits, buildAudit('large', { details: 'here' })], categories });
  return JSON.stringify({ ...lhr, finalUrl: page }).replace('"here"', () => details);
};
const toUpload = (lhr: string): string => JSON.stringify({ url: page, lhr });
const rows = listOf(40_000, at => ({
  url: `${page}${at}/${'x'.repeat(600)}`,
  wastedBytes: at,
  node: { selector: 'p' },
}));
const largeLhr = toLhr(JSON.stringify({ type: 'table', items: rows }));
const failedAudits = (count: number) => listOf(count, at => buildAudit(`a${at}`, { score: 0 }));

type Target = {
  readonly url: string;
  readonly attacker: Client;
  readonly token: Record<string, string>;
  /** Path of the runs of an open build. */
  readonly runs: string;
  /** Ids of a large and a small stored result. */
  readonly large: string;
  readonly small: string;
};

const jsonOf = <T>({ status, text }: Answered): T => {
  if (status >= 300) throw new Error(`${status}: ${text.slice(0, 300)}`);
  return JSON.parse(text);
};

async function prepare(url: string): Promise<Target> {
  const attacker = createClient(url, '127.0.0.4');
  const post = (path: string, body: string, headers = {}) => attacker(path, { method: 'POST', body, headers });
  const project = jsonOf<{ id: string; token: string }>(await post('/v1/projects', '{"name":"Attack"}'));
  const token = { 'x-lhci-build-token': project.token };
  const build = JSON.stringify({ lifecycle: 'unsealed', branch: 'main', hash: 'a'.repeat(40) });
  const { id } = jsonOf<{ id: string }>(await post(`/v1/projects/${project.id}/builds`, build, token));
  const runs = `/v1/projects/${project.id}/builds/${id}/runs`;
  const store = async (lhr: string) => jsonOf<{ id: string }>(await post(runs, toUpload(lhr), token)).id;
  return { url, attacker, token, runs, large: await store(largeLhr), small: await store(toLhr()) };
}

const upload = (target: Target, count: number, lhr: string) => {
  const body = Buffer.from(toUpload(lhr));
  return () => allOf(count, () => target.attacker(target.runs, { method: 'POST', body, headers: target.token }));
};
const post = ({ attacker }: Target, count: number, path: string, text: string) => {
  const body = Buffer.from(text);
  return () => allOf(count, () => attacker(path, { method: 'POST', body }));
};
const experiment = (target: Target, count: number, variant: string) =>
  post(target, count, '/experiments', `{"url":"${page}","variants":[${variant}]}`);
const toMembers = (count: number) => listOf(count, at => `"strate${at}":"x"`).join();
const evidence = ({ attacker, large }: Target, count: number) => {
  const calls = listOf(count, id => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'get_fix_evidence', arguments: { id: large, audit: 'large' } },
  }));
  const accept = 'application/json, text/event-stream';
  const headers = { accept, 'mcp-protocol-version': '2025-03-26' };
  const body = JSON.stringify(calls);
  return () => attacker('/mcp', { method: 'POST', body, headers });
};

/** Prepares an attack, so that its start costs this process little. */
type Attack = (target: Target) => () => Promise<unknown>;

const attacks: Readonly<Record<string, Attack>> = {
  'upload of 11 million empty objects': target => upload(target, 3, toLhr(`[${'{},'.repeat(11_000_000)}{}]`)),
  'upload of 2,000 failed audits': target => upload(target, 10, toLhr('{}', failedAudits(2000))),
  'upload of 900 failed audits': target => upload(target, 10, toLhr('{}', failedAudits(900))),
  'upload that is nested 100,000 deep': target => upload(target, 10, toLhr('['.repeat(1e5) + ']'.repeat(1e5))),
  'upload of 240,000 names': target =>
    upload(target, 6, toLhr(`[${listOf(120_000, at => `{"a${at}":1,"b${at}":2}`).join()}]`)),
  'upload of 30 MB, eight at once': target => upload(target, 8, toLhr(JSON.stringify('é'.repeat(15 * 2 ** 20)))),
  'experiment with 100,000 headers': target => experiment(target, 10, `{"headers":{${toMembers(100_000)}}}`),
  'experiment with 10,000 headers': target => experiment(target, 20, `{"headers":{${toMembers(10_000)}}}`),
  'body with 500,000 unknown fields': target => post(target, 10, '/experiments', `{${toMembers(500_000)}}`),
  'body with 10,000 unknown fields': target => post(target, 40, '/experiments', `{${toMembers(10_000)}}`),
  'URLs of 1 MB of @': target => post(target, 20, '/psi', JSON.stringify({ urls: ['@'.repeat(1e6)] })),
  'two MCP batches of 20 reads of a result of 27 MB': target => {
    const ask = evidence(target, 20);
    return () => allOf(2, ask);
  },
  'MCP batch of 100 reads': target => evidence(target, 100),
  '40 readers of a result of 27 MB':
    ({ attacker, large }) =>
    () =>
      allOf(40, () => attacker(`/results/${large}?detailed=true`)),
  '40 readers that read nothing':
    ({ attacker, large }) =>
    () =>
      allOf(40, () => attacker(`/results/${large}?detailed=true`, { unreadMs: 20_000 })),
  '40 reports of a result of 27 MB':
    ({ attacker, large }) =>
    () =>
      allOf(40, () => attacker(`/results/${large}/report`)),
  '20 readers of the runs of a build':
    ({ attacker, runs }) =>
    () =>
      allOf(20, () => attacker(runs)),
  '32 comparisons of results of 27 MB':
    ({ attacker, large, small }) =>
    () =>
      allOf(32, () => attacker(`/compare-results?before=${large}&after=${small}`)),
  'two trickled uploads':
    ({ url, runs, token }) =>
    () =>
      allOf(2, () =>
        drip(url, {
          path: runs,
          headers: { ...token, 'content-length': '35000000' },
          first: Buffer.from('{'),
          localAddress: '127.0.0.4',
        }),
      ),
  'twelve chunked posts':
    ({ url }) =>
    () =>
      allOf(12, () =>
        drip(url, {
          path: '/experiments',
          headers: {},
          first: Buffer.alloc(7_000_000, ' '),
          localAddress: '127.0.0.4',
        }),
      ),
};

type Watched = { longestMs: number; stop(): Promise<void> };

/** Repeats a request until it is stopped, and finds its longest time. @throws if it is neither answered nor refused */
function watch(client: Client, requests: readonly Parameters<Client>[], pauseMs: number): Watched {
  let isOver = false;
  const watched = { longestMs: 0, stop: () => Promise.resolve() };
  const loop = async () => {
    for (let at = 0; !isOver; at += 1) {
      const [path, asked] = requests[at % requests.length] ?? ['/health'];
      const start = performance.now();
      const { status, retryAfter } = await client(path, asked);
      watched.longestMs = Math.max(watched.longestMs, performance.now() - start);
      const isRefused = retryAfter !== undefined;
      if (status === 0 || (status >= 429 && !isRefused)) throw new Error(`${path} was answered with ${status}`);
      await delay(pauseMs);
    }
  };
  const running = loop();
  running.catch(() => {});
  watched.stop = () => {
    isOver = true;
    return running;
  };
  return watched;
}

async function measure(name: string, prepareAttack: Attack): Promise<void> {
  const heap = values.heap === undefined ? {} : { NODE_OPTIONS: `--max-old-space-size=${values.heap}` };
  const role: Record<string, string> = postgres ? { ROLE: 'api', DATABASE_URL: await postgres.createDatabase() } : {};
  const settings = { TARGETS: 'public', LIGHTHOUSE_SPARE: 'off', RATE_LIMIT: '0', ...role, ...heap };
  const group = values.memory === undefined ? undefined : createMemoryLimit(Number(values.memory) * 2 ** 20);
  const service = await startServiceProcess(settings, { prefix: group?.prefix ?? [] });
  try {
    const target = await prepare(service.url);
    const other = createClient(service.url, '127.0.0.2');
    const asked: readonly Parameters<Client>[] = [
      [`/results/${target.small}/report`],
      [`/history?url=${page}&source=lighthouse`],
      ['/psi', { method: 'POST', body: '{"url":"http://127.0.0.1/"}' }],
    ];
    for (const each of asked) await other(...each);
    // The first call loads the modules of the protocol.
    await evidence({ ...target, large: target.small }, 1)();
    const attack = prepareAttack(target);
    await delay(2000);
    const idle = memoryOf(service.pid, 'VmRSS');
    writeFileSync(`/proc/${service.pid}/clear_refs`, '5');
    const health = new Worker(new URL('./health-watch.ts', import.meta.url), { workerData: service.url });
    await delay(500);
    const others = watch(other, asked, 50);
    const attacking = attack();
    await Promise.race([attacking, delay(Number(values.seconds) * 1000)]);
    await delay(1000);
    health.postMessage('stop');
    const [silenceMs] = (await once(health, 'message')) as [number];
    await others.stop();
    const above = megabytes(memoryOf(service.pid, 'VmHWM') - idle);
    console.log(`| ${name} | ${Math.round(silenceMs)} ms | ${above} MB | ${Math.round(others.longestMs)} ms |`);
  } catch (error) {
    console.log(`| ${name} | ${error instanceof Error ? error.message : error} | | |`);
  } finally {
    await service.stop();
    group?.close();
  }
}

const ended = new AbortController();
const scope = { after: (close: () => void) => ended.signal.addEventListener('abort', close) };
const postgres = values.memory === undefined ? undefined : await startOwnPostgres(scope);
console.log('| Attack | Longest silence | Memory above idle | Another client waited |\n|---|--:|--:|--:|');
for (const [name, attack] of Object.entries(attacks)) if (name.includes(values.only)) await measure(name, attack);
ended.abort();
process.exit();
