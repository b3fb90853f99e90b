/** The secrets of an access appear in nothing that leaves the request: planted, and searched for everywhere. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { captureLog } from '../support/captured-log.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { privateSite, startPrivateSite } from '../support/sites/private-site.ts';
import { startService } from '../support/start-service.ts';
import { findTextsInFiles, unpack } from '../support/texts-in-files.ts';

const { user, password } = privateSite;
const site = await startPrivateSite({ after });
const folder = makeScratchFolder({ after });
const { log, text: logged } = captureLog();
const service = await startService({ after }, { DATA_DIR: folder, KEEP_ARTIFACTS: '10' }, undefined, { log });

/** One in each field; the server itself sets the last two. */
const sentinels = [
  ...['header-SentinelA1', 'cookie-SentinelA2', 'state-SentinelA3', 'local-SentinelA4', 'tab-SentinelA5'],
  ...['typed-SentinelA6', 'secret-SentinelA7', password, 'session-Sentinel06'],
];

const access = () => ({
  headers: { 'X-Staging': 'header-SentinelA1' },
  cookies: [{ name: 'one', value: 'cookie-SentinelA2' }],
  state: {
    cookies: [
      {
        name: 'two',
        value: 'state-SentinelA3',
        domain: '127.0.0.1',
        path: '/',
        expires: -1,
        httpOnly: true,
        secure: false,
        sameSite: 'Lax',
      },
    ],
    origins: [{ origin: site.url, localStorage: [{ name: 'token', value: '{"token":"local-SentinelA4"}' }] }],
  },
  session_storage: { [site.url]: { tab: 'tab-SentinelA5' } },
  basic_auth: { username: user, password: 'typed-SentinelA6' },
  secrets: { PASSWORD: password, OTHER: 'secret-SentinelA7' },
  login: {
    steps: [
      { type: 'navigate', url: `${site.url}/login` },
      { type: 'change', selectors: [['input[name=name]']], value: user },
      { type: 'change', selectors: [['input[type=password]']], value: `\${PASSWORD}` },
      { type: 'click', selectors: [['button']], assertedEvents: [{ type: 'navigation' }] },
    ],
  },
});

const send = (path: string, body: object) =>
  fetch(`${service.url}/lighthouse`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ url: `${site.url}${path}`, ...body }),
  });

const findIn = (bytes: Buffer | string): string[] => sentinels.filter(sentinel => bytes.includes(sentinel));

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

const findInTemporary = async () => {
  const names = (await readdir(tmpdir())).filter(name => /rangelight/i.test(name));
  return (await Promise.all(names.map(name => findInFiles(join(tmpdir(), name))))).flat();
};

test('during the audit, no process and no temporary file has a secret; afterwards, nothing stored or logged has', async () => {
  let isOver = false;
  const asked = send('/echo', { access: { ...access(), expect: { selector: '#account' } } }).finally(() => {
    isOver = true;
  });
  const during = new Set<string>();
  while (!isOver) for (const found of [...(await findInProcesses()), ...(await findInTemporary())]) during.add(found);
  const response = await asked;
  const answer = await response.text();
  assert.equal(response.status, 200, answer.slice(0, 500));
  assert.deepEqual([...during], []);
  assert.deepEqual(findIn(answer), []);
  const { id } = JSON.parse(answer);
  for (const path of [
    `/results/${id}`,
    `/results/${id}/report`,
    `/results/${id}/trace`,
    `/results/${id}/network-log`,
    '/metrics',
    '/results',
  ]) {
    const stored = await fetch(`${service.url}${path}`);
    assert.deepEqual(findIn(unpack(Buffer.from(await stored.arrayBuffer()))), [], path);
  }
  assert.deepEqual(await findInFiles(folder), []);
  assert.deepEqual(findIn(logged()), []);
});

test('a failure tells no secret either', async () => {
  const response = await send('/echo', { access: { ...access(), expect: { text: 'never there' } } });
  const answer = await response.text();
  assert.equal(response.status, 502);
  assert.match(JSON.parse(answer).code, /^login_(required|failed)$/);
  assert.deepEqual([findIn(answer), await findInFiles(folder), findIn(logged())], [[], [], []]);
});

test('bad input is refused with its place, and repeats no value', async () => {
  const step = { type: 'click', selectors: ['#a'] };
  const cases: [object, string][] = [
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
