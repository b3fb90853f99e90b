/** The secrets of an access appear in nothing that leaves the request: planted, and searched for everywhere. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { captureLog } from '../support/captured-log.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startPrivateSite } from '../support/sites/private-site.ts';
import { startListening } from '../support/start-process.ts';
import { startService } from '../support/start-service.ts';
import { startCollector, toTraceVariables } from '../support/surroundings/otlp-collector.ts';
import { findTextsInFiles, unpack } from '../support/texts-in-files.ts';
import { until } from '../support/until.ts';
import { findIn, sentinels, toSentinels } from './sentinels.ts';

const site = await startPrivateSite({ after });
const collector = await startCollector({ after });
const folder = makeScratchFolder({ after });
const { log, text: logged } = captureLog('trace');
const service = await startService(
  { after },
  { DATA_DIR: folder, KEEP_ARTIFACTS: '10', ...toTraceVariables(collector) },
  undefined,
  { log },
);

const access = () => toSentinels(site);

const send = (path: string, body: object, { url, ...init }: { url: string; signal?: AbortSignal } = service) =>
  fetch(`${url}/lighthouse`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ url: `${site.url}${path}`, ...body }),
    ...(init.signal ? { signal: init.signal } : {}),
  });

const findInFiles = (path: string) => findTextsInFiles(path, sentinels);

async function findInProcesses(): Promise<string[]> {
  const found: string[] = [];
  for (const pid of (await readdir('/proc')).filter(name => /^\d+$/.test(name)))
    for (const name of ['cmdline', 'environ'])
      found.push(
        ...findIn(await readFile(`/proc/${pid}/${name}`).catch(() => '')).map(one => `${one} in ${pid} ${name}`),
      );
  return found;
}

/** Folders of audits and of browsers; those of other tests may be large. */
const isOfAudits = (name: string) =>
  /^rangelight-[\da-f]{8}-[\da-f]{4}$|^\.(org\.chromium|com\.google|config)|^(puppeteer|lighthouse)/i.test(name);

const findInTemporary = async () => {
  const names = (await readdir(tmpdir())).filter(isOfAudits);
  return (await Promise.all(names.map(name => findInFiles(join(tmpdir(), name))))).flat();
};

/** Searches processes and temporary files until the work is over. */
async function findDuring<T>(work: Promise<T>): Promise<{ answer: T; during: string[] }> {
  let isOver = false;
  const asked = work.finally(() => {
    isOver = true;
  });
  asked.catch(() => {});
  const during = new Set<string>();
  while (!isOver) {
    for (const found of [...(await findInProcesses()), ...(await findInTemporary())]) during.add(found);
    // The search takes the processors from the audit.
    await Promise.race([asked.catch(() => {}), delay(500)]);
  }
  return { answer: await asked, during: [...during] };
}

const findInService = async () => [
  ...(await findInFiles(folder)),
  ...findIn(logged()).map(found => `${found} in the log`),
  ...collector.posts.all.flatMap(({ body }) => findIn(body)).map(found => `${found} in a trace`),
];

test('during the audit, no process and no temporary file has a secret; afterwards, nothing stored or logged has', async () => {
  const expect = { selector: '#account' };
  const { answer: response, during } = await findDuring(
    // The console is read by best practices, the title by SEO.
    send('/echo', { categories: ['performance', 'best-practices', 'seo'], access: { ...access(), expect } }),
  );
  const answer = await response.text();
  assert.equal(response.status, 200, answer.slice(0, 500));
  assert.deepEqual(during, []);
  assert.deepEqual(findIn(answer), []);
  const { id, scores } = JSON.parse(answer);
  // What is hidden must not change what is measured.
  assert.ok(scores.performance > 0 && scores['best-practices'] > 0 && scores.seo > 0, JSON.stringify(scores));
  const url = encodeURIComponent(`${site.url}/echo`);
  for (const path of [
    ...['', '?detailed=true', '/report', '/trace', '/network-log', '/har', '/screenshot'].map(
      part => `/results/${id}${part}`,
    ),
    ...['/metrics', '/results', '/sites', `/history?url=${url}`, '/health'],
  ]) {
    const stored = await fetch(`${service.url}${path}`);
    assert.ok(stored.ok, `${path}: ${stored.status}`);
    assert.deepEqual(findIn(unpack(Buffer.from(await stored.arrayBuffer()))), [], path);
  }
  assert.deepEqual(await findInService(), []);
});

test('a failure tells no secret either', async () => {
  const response = await send('/echo', { access: { ...access(), expect: { text: 'never there' } } });
  const answer = await response.text();
  assert.equal(response.status, 502);
  assert.match(JSON.parse(answer).code, /^login_(required|failed)$/);
  assert.deepEqual([findIn(answer), await findInService()], [[], []]);
});

test('a failed login tells no secret, not even of what it stored', async () => {
  const { login, ...rest } = access();
  const steps = [...login.steps, { type: 'navigate', url: `${site.url}/echo` }, { type: 'click', selectors: ['#no'] }];
  const response = await send('/echo', { access: { ...rest, login: { ...login, timeout: 5_000, steps } } });
  const answer = await response.text();
  assert.equal(JSON.parse(answer).code, 'login_failed', answer.slice(0, 500));
  assert.deepEqual([findIn(answer), await findInService()], [[], []]);
});

test('a client that disconnects leaves no secret behind', async () => {
  site.requests.length = 0;
  const leave = new AbortController();
  const asked = send('/endless', { access: access() }, { url: service.url, signal: leave.signal }).catch(() => 'left');
  await until(() => site.requests.some(({ path }) => path === '/endless'));
  leave.abort();
  assert.equal(await asked, 'left');
  const health = async () =>
    (await (await fetch(`${service.url}/health`)).json()) as { lighthouse: { running: number } };
  await until(async () => (await health()).lighthouse.running === 0);
  assert.deepEqual([await findInProcesses(), await findInTemporary(), await findInService()], [[], [], []]);
});

test('a service that is killed leaves no secret behind', async t => {
  const own = makeScratchFolder(t);
  const environment = { DATA_DIR: own, KEEP_ARTIFACTS: '10', TARGETS: 'any' };
  const { url, child, output, errors, exited } = await startListening(t, { environment });
  site.requests.length = 0;
  const asked = send('/endless', { access: access() }, { url }).catch(() => 'killed');
  await until(() => site.requests.some(({ path }) => path === '/endless'));
  child.kill('SIGKILL');
  await exited;
  assert.equal(await asked, 'killed');
  assert.deepEqual([await findInProcesses(), await findInTemporary(), await findInFiles(own)], [[], [], []]);
  assert.deepEqual(findIn([...output.all, ...errors.all].join('\n')), []);
});

test('bad input is refused with its place, and repeats no value', async () => {
  const step = { type: 'click', selectors: ['#a'] };
  const cases: [unknown, string][] = [
    ['', 'access'],
    [false, 'access'],
    [{ login: { steps: [{ type: 'constructor' }] } }, 'access.login.steps.0.type'],
    [{ headers: { 'X-A': 'a\r\nB: secret-SentinelA7' } }, 'access.headers.X-A'],
    [{ headers: { Host: 'other.example' } }, 'access.headers.Host'],
    [{ headers: { 'Content-Length': '0' } }, 'access.headers.Content-Length'],
    [{ cookies: [{ name: 'a', value: 'secret-SentinelA7', domain: 'other.example' }] }, 'access.cookies.0.domain'],
    [{ cookies: [{ name: 'a', value: 'secret-SentinelA7; Path=/' }] }, 'access.cookies.0.value'],
    [{ cookies: Array.from({ length: 201 }, () => ({ name: 'a', value: 'b' })) }, 'access.cookies'],
    [{ login: { steps: Array.from({ length: 201 }, () => step) } }, 'access.login.steps'],
    [{ login: { steps: [{ type: 'customStep', name: 'x', parameters: {} }] } }, 'access.login.steps.0.type'],
    [{ login: { steps: [{ type: 'waitForExpression', expression: '1' }] } }, 'access.login.steps.0.type'],
    [{ login: { steps: [{ ...step, target: 'https://other.example/' }] } }, 'access.login.steps.0.target'],
    [{ login: { steps: [{ type: 'change', selectors: ['#a'], value: `\${MISSING}` }] } }, 'access.login.steps.0.value'],
    [{ login: { steps: [{ type: 'navigate', url: 'file:///etc/passwd' }] } }, 'access.login.steps.0.url'],
    [{ expect: {} }, 'access.expect'],
    [{ basic_auth: { username: 'a:b', password: 'secret-SentinelA7' } }, 'access.basic_auth.username'],
    [{ session_storage: { 'https://a.example/path': {} } }, 'access.session_storage'],
    [{ state: { origins: [{ origin: 'https://a.example', indexedDB: [{}] }] } }, 'access.state.origins.0.indexedDB'],
    [
      {
        state: {
          cookies: [],
          origins: [{ origin: site.url, localStorage: [{ name: 'a', value: 'x'.repeat(300_000) }] }],
        },
      },
      'access',
    ],
  ];
  for (const [given, place] of cases) {
    const response = await send('/account', { access: given });
    const text = await response.text();
    assert.equal(response.status, 422, `${place} ${text}`);
    assert.deepEqual(findIn(text), [], place);
    const places = JSON.parse(text).detail.map(({ loc }: { loc: string[] }) => loc.slice(1).join('.'));
    assert.ok(places.includes(place), `${place}: ${places} ${text}`);
  }
  const large = await send('/account', {
    access: { login: { steps: [{ type: 'navigate', url: 'x'.repeat(10_000_000) }] } },
  });
  assert.equal(large.status, 413);
});

test('a job and a comparison with another PSI server get no secret', async () => {
  const response = await fetch(`${service.url}/lighthouse`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', prefer: 'respond-async' },
    body: JSON.stringify({ url: `${site.url}/account`, access: access() }),
  });
  assert.equal(response.status, 422);
  assert.deepEqual(JSON.parse(await response.text()).detail[0].loc, ['body', 'access']);
});
