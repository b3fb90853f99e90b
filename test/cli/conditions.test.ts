/** Private pages and staging hosts, as users of the command measure them: real logins, real loads. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Result } from '../../src/contract/result/result.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { privateSite, startPrivateSite } from '../support/sites/private-site.ts';
import { daysFromNow, startSecureServer } from '../support/sites/secure-server.ts';
import type { Scope } from '../support/start-service.ts';
import { runCli } from './run-cli.ts';

const site = await startPrivateSite({ after });
const environment = { DATA_DIR: 'none', STAGING_PASSWORD: privateSite.password };

function write(scope: Scope, name: string, content: unknown): string {
  const path = join(makeScratchFolder(scope), name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

/** What `context.storageState({ path })` of Playwright writes. */
const toState = (session: string) => ({
  cookies: [
    {
      ...{ name: 'sid', value: session, domain: '127.0.0.1', path: '/', expires: -1 },
      ...{ httpOnly: true, secure: false, sameSite: 'Lax' },
    },
  ],
  origins: [],
});

test('a page behind a login is measured with a state, and has no score once its session has ended', async t => {
  const session = site.open();
  const state = write(t, 'state.json', toState(session));
  const args = [`${site.url}/same`, '--state', state, '--expect-selector', '#account', '--categories', 'seo'];
  const measured = await runCli(t, [...args, '--json'], { environment });
  assert.equal(measured.code, 0, measured.stderr);
  const result = JSON.parse(measured.stdout) as Result;
  assert.deepEqual(result.conditions?.access, { kinds: ['state'], expect: { selector: '#account' } });
  assert.ok(!measured.stdout.includes(session));
  site.expire();
  const ended = await runCli(t, args, { environment });
  assert.equal(ended.code, 3);
  assert.match(ended.stdout, /login_required/);
  assert.match(ended.stdout, /#account/);
});

test('a staging host has its name at another address, its own CA and a password of the environment', async t => {
  const basic = write(t, 'access.json', {
    basic_auth: { username: privateSite.user, password: `\${STAGING_PASSWORD}` },
  });
  const { host, port } = new URL(site.url);
  assert.ok(host);
  const args = ['http://staging.example.com/basic', '--host', `staging.example.com=127.0.0.1:${port}`];
  const refused = await runCli(t, [...args, '--categories', 'seo'], { environment });
  assert.equal(refused.code, 3);
  const { code, stdout, stderr } = await runCli(
    t,
    [...args, '--access', basic, '--expect-text', 'Your account', '--block', '/pixel', '--categories', 'seo', '--json'],
    { environment },
  );
  assert.equal(code, 0, stderr);
  const { conditions, final_url } = JSON.parse(stdout) as Result;
  assert.equal(final_url, 'http://staging.example.com/basic');
  assert.deepEqual(conditions?.block, [{ pattern: '/pixel', requests: 1 }]);
  assert.ok(!stdout.includes(privateSite.password));

  const page = '<!doctype html><html lang="en"><title>Staging</title><h1>Staging</h1>';
  const names = { altNames: [{ type: 2 as const, value: 'shop.example.com' }] };
  const secure = await startSecureServer(t, page, { ...names, from: daysFromNow(-1), until: daysFromNow(9) });
  const trusting = ['https://shop.example.com/', '--host', `shop.example.com=127.0.0.1:${secure.port}`];
  const ca = write(t, 'ca.pem', secure.certificate);
  for (const [more, expected] of [
    [[], 3],
    [['--ca', ca], 0],
    [['--ignore-certificate-errors'], 0],
  ] as const)
    assert.equal((await runCli(t, [...trusting, ...more, '--categories', 'seo'], { environment })).code, expected);
});

test('a wrong condition is a wrong command, and nothing is loaded', async t => {
  const before = site.requests.length;
  for (const [args, said] of [
    [['--access', 'absent.json'], /absent\.json does not exist/],
    [['--access', write(t, 'access.json', { header: {} })], /access\.json: /],
    [['--psi', '--block', '/ads/*'], /--block applies to local audits: not with --psi/],
    [['--host', 'shop'], /--host must be NAME=ADDRESS/],
  ] as const) {
    const { code, stderr } = await runCli(t, [site.url, ...args], { environment });
    assert.equal(code, 2, stderr);
    assert.match(stderr, said);
  }
  assert.equal(site.requests.length, before);
});

test('rangelight ci measures private pages by its configuration or a lighthouserc, and shows them in a dry run', async t => {
  const folder = makeScratchFolder(t);
  const session = site.open();
  writeFileSync(join(folder, 'state.json'), JSON.stringify(toState(session)));
  const config = join(folder, 'rangelight.config.json');
  const access = { state: 'state.json', expect: { selector: '#account' } };
  const own = { urls: [`${site.url}/same`], strategies: ['mobile'], runs: 1, categories: ['seo'], access };
  writeFileSync(config, JSON.stringify({ ...own, block: ['/ads/*'] }));
  const planned = await runCli(t, ['ci', '--config', config, '--dry-run'], { environment });
  assert.equal(planned.code, 0, planned.stderr);
  assert.match(planned.stdout, /access: state, expect · \S+rangelight\.config\.json:1/);
  assert.match(planned.stdout, /block: \["\/ads\/\*"\]/);
  assert.ok(!planned.stdout.includes(session));
  const measured = await runCli(t, ['ci', '--config', config], { environment });
  assert.equal(measured.code, 0, measured.stderr + measured.stdout);

  mkdirSync(join(folder, 'lighthouse'));
  const lighthouserc = join(folder, 'lighthouse', 'lighthouserc.json');
  const settings = {
    ...{ onlyCategories: ['seo'], blockedUrlPatterns: ['/ads/*'], chromeFlags: '--no-sandbox' },
    extraHeaders: { Cookie: `sid=${session}` },
  };
  const collect = { url: [`${site.url}/same`], numberOfRuns: 1, settings };
  writeFileSync(lighthouserc, JSON.stringify({ ci: { collect, upload: { target: 'filesystem' } } }));
  const args = ['ci', '--config', lighthouserc, '--expect-selector', '#account'];
  const imported = await runCli(t, args, { environment });
  assert.equal(imported.code, 0, imported.stderr + imported.stdout);
  assert.match(imported.stderr, /extraHeaders are sent to the origin of the page only/);
  assert.match(imported.stderr, /the Chrome flag --no-sandbox has no counterpart/);
  site.expire();
  assert.equal((await runCli(t, args, { environment })).code, 3);
});
