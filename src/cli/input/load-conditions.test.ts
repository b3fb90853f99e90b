/** Conditions from options, files and the environment, before anything is sent. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { makeScratchFolder } from '../../../test/support/scratch-folder.ts';
import { loadConditions } from './load-conditions.ts';
import { UsageError } from './usage-error.ts';

type Options = Partial<Parameters<typeof loadConditions>[0]>;

const load = (
  options: Options,
  env: Record<string, string> = {},
  ...more: readonly Readonly<Record<string, unknown>>[]
) => loadConditions({ conditionLines: [], ...options }, env, ...more);

const faultsOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => assert.fail('it was accepted'),
    error => {
      assert.ok(error instanceof UsageError, String(error));
      return error.faults.join('\n');
    },
  );

/** Writes files to a new folder; returns the path of one of them. */
function writeFiles(t: { after(done: () => void): void }, files: Readonly<Record<string, unknown>>) {
  const folder = makeScratchFolder(t);
  for (const [name, content] of Object.entries(files))
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  return (name: string) => join(folder, name);
}

const state = { cookies: [{ name: 'sid', value: 'one', domain: 'shop.example' }], origins: [] };
const login = { title: 'Log in', steps: [{ type: 'change', selectors: ['#password'], value: `\${PASSWORD}` }] };

test('nothing is stated without an option', async () => {
  assert.deepEqual(await load({}), {});
});

test('patterns, hosts and certificates are as the service takes them', async () => {
  const conditionLines = [
    { option: 'block', text: '/ads/*' },
    { option: 'host', text: 'www.example.com=10.0.0.5:8443' },
    { option: 'block', text: '*.woff2' },
  ];
  assert.deepEqual(await load({ conditionLines, ignoreCertificateErrors: true }), {
    block: ['/ads/*', '*.woff2'],
    hosts: { 'www.example.com': '10.0.0.5:8443' },
    certificates: { ignore_errors: true },
  });
});

test('a state and what it proves become an access', async t => {
  const pathOf = writeFiles(t, { 'state.json': state });
  assert.deepEqual(await load({ state: pathOf('state.json'), expectSelector: '#account', expectUrl: '/account' }), {
    access: { state, expect: { url: '/account', selector: '#account' } },
  });
  assert.deepEqual(await load({ expectText: 'Welcome' }), { access: { expect: { text: 'Welcome' } } });
});

test('an access reads its files and the environment, and never prints a value', async t => {
  const pathOf = writeFiles(t, {
    'state.json': state,
    'login.json': login,
    'access.json': {
      headers: { 'X-Staging': `Bearer \${TOKEN}` },
      basic_auth: { username: 'web', password: `\${PASSWORD}` },
      state: 'state.json',
      login: 'login.json',
    },
  });
  const env = { TOKEN: 'one-$&', PASSWORD: 'two' };
  assert.deepEqual(await load({ access: pathOf('access.json'), expectText: 'Welcome' }, env), {
    access: {
      headers: { 'X-Staging': 'Bearer one-$&' },
      basic_auth: { username: 'web', password: 'two' },
      state,
      login,
      secrets: { PASSWORD: 'two' },
      expect: { text: 'Welcome' },
    },
  });
  const missing = await faultsOf(load({ access: pathOf('access.json') }, { TOKEN: 'one-secret' }));
  assert.match(missing, /access\.json needs the environment variable PASSWORD$/);
  assert.doesNotMatch(missing, /one-secret/);
});

test('an access of a configuration has paths next to it, and options complete it', async t => {
  const pathOf = writeFiles(t, { 'state.json': state, 'own.json': { cookies: [{ name: 'a', value: 'b' }] } });
  const place = { at: 'rangelight.config.json:3', folder: pathOf('.') };
  const stated = { access: { state: 'state.json' }, block: ['/ads/*'] };
  assert.deepEqual(await load({ expectText: 'Hello' }, {}, stated, place), {
    block: ['/ads/*'],
    access: { state, expect: { text: 'Hello' } },
  });
  assert.deepEqual(await load({ access: pathOf('own.json') }, {}, stated, place), {
    block: ['/ads/*'],
    access: { cookies: [{ name: 'a', value: 'b' }] },
  });
  assert.equal(
    await faultsOf(load({}, {}, { access: { headers: { host: 'a' } } }, place)),
    'rangelight.config.json:3: headers.host: the browser sets this header itself',
  );
});

test('a name without a path is that of a stored access', async t => {
  assert.deepEqual(await load({ access: 'staging' }), { access: 'staging' });
  const pathOf = writeFiles(t, { 'state.json': state });
  assert.match(
    await faultsOf(load({ access: 'staging', state: pathOf('state.json') })),
    /a stored access has its own state and expectation/,
  );
});

test('what cannot be read or sent is a fault that names it', async t => {
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  const pathOf = writeFiles(t, {
    'text.json': 'no JSON',
    'list.json': [],
    'deep.json': deep,
    'large.json': `{"headers":{"a":"${'x'.repeat(300_000)}"}}`,
    'huge.json': ' '.repeat(1_000_001),
    'code.json': { login: { steps: [{ type: 'customStep' }] } },
    'key.pem': '-----BEGIN PRIVATE KEY-----\nMC4=\n-----END PRIVATE KEY-----',
  });
  for (const [name, said] of [
    ['absent.json', /absent\.json does not exist$/],
    ['text.json', /text\.json: this is not valid JSON$/],
    ['list.json', /list\.json: an access must be an object/],
    ['deep.json', /deep\.json: it is nested more than 32 levels deep$/],
    ['large.json', /large\.json: it has more than 256 KB$/],
    ['huge.json', /huge\.json has more than 1 MB$/],
    ['code.json', /code\.json: login\.steps\.0\.type: `customStep` is refused, because it runs code of the caller$/],
  ] as const)
    assert.match(await faultsOf(load({ access: pathOf(name) })), said);
  assert.match(await faultsOf(load({ ca: pathOf('key.pem') })), /key\.pem: it must be one or more certificates in PEM/);
  const host = (...texts: string[]) =>
    faultsOf(load({ conditionLines: texts.map(text => ({ option: 'host', text })) }));
  assert.equal(await host('www.example.com'), "--host must be NAME=ADDRESS, not 'www.example.com'");
  assert.equal(await host('a.example=10.0.0.1', 'a.example=10.0.0.2'), '--host names a.example twice');
});
