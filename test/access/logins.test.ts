/** Five kinds of login, and pages that must not be scored without one: audited with the real browser. */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import type { Access } from '../../src/contract/access/access.ts';
import { AnalysisError } from '../../src/contract/errors.ts';
import { findAccessFaults } from '../../src/http/input/access-faults.ts';
import { createOwnPool, readOwnPage } from '../support/audits/create-own-pool.ts';
import { privateSite, startPrivateSite } from '../support/sites/private-site.ts';

const { user, password, code, token, proxyHeader, sessionItem } = privateSite;
const site = await startPrivateSite({ after });
const expect = { selector: '#account' };

suite('a page behind a login', () => {
  const pool = createOwnPool();
  after(() => pool.close(0));

  const measure = async (path: string, access: Access) => {
    const url = `${site.url}${path}`;
    assert.deepEqual(findAccessFaults(access, [url]), []);
    const { value } = await pool.audit(
      {
        ...{ url, strategy: 'mobile', categories: ['performance'], profile: 'lighthouse', locale: 'en-US' },
        access,
      },
      readOwnPage,
      AbortSignal.timeout(110_000),
    );
    return value;
  };
  const fails = async (path: string, access: Access): Promise<AnalysisError> => {
    try {
      await measure(path, access);
    } catch (error) {
      assert.ok(error instanceof AnalysisError, String(error));
      return error;
    }
    return assert.fail('it was measured');
  };

  const form: Access['login'] = {
    title: 'log in',
    steps: [
      { type: 'setViewport', width: 800, height: 600 },
      { type: 'navigate', url: '' },
      { type: 'change', selectors: [['aria/Name'], ['input[name=name]']], value: user },
      { type: 'change', selectors: [['input[type=password]']], value: `\${PASSWORD}` },
      {
        type: 'click',
        selectors: [['aria/Log in[role="button"]'], ['button']],
        assertedEvents: [{ type: 'navigation' }],
      },
    ],
  };
  const withUrl = (login: NonNullable<Access['login']>, path: string) => ({
    ...login,
    steps: login.steps.map(step => (step.type === 'navigate' ? { ...step, url: `${site.url}${path}` } : step)),
  });

  test('a form with a token against forgery and redirects', async () => {
    const login = withUrl(form, '/login');
    const { result } = await measure('/account', { login, secrets: { PASSWORD: password }, expect });
    assert.ok((result.scores.performance ?? 0) > 0);
    assert.equal(result.final_url, `${site.url}/account`);
    assert.deepEqual(
      result.warnings.filter(warning => /stored data|access/.test(warning)),
      [],
    );
  });

  test('a token in localStorage, from a state of Playwright', async () => {
    const state = { cookies: [], origins: [{ origin: site.url, localStorage: [{ name: 'token', value: token }] }] };
    await measure('/token', { state, expect });
  });

  test('a page that needs sessionStorage', async () => {
    await measure('/tab', { session_storage: { [site.url]: { tab: sessionItem } }, expect });
  });

  test('basic authentication', async () => {
    await measure('/basic', { basic_auth: { username: user, password }, expect });
  });

  test('a header of a proxy reaches its own origin only', async () => {
    site.requests.length = 0;
    await measure('/proxy', { headers: { 'X-Staging': proxyHeader }, expect });
    const others = site.requests.filter(({ origin }) => origin === site.provider);
    assert.ok(others.length > 0);
    assert.deepEqual(
      others.filter(({ headers }) => headers['x-staging'] !== undefined),
      [],
    );
  });

  test('two steps with a fixed code', async () => {
    const login = {
      steps: [
        { type: 'navigate', url: `${site.url}/code` },
        { type: 'change', selectors: ['input'], value: `\${CODE}` },
        { type: 'keyDown', key: 'Enter' },
        { type: 'keyUp', key: 'Enter' },
        { type: 'waitForElement', selectors: ['#account'] },
      ],
    };
    await measure('/account', { login, secrets: { CODE: code }, expect });
  });

  test('an identity provider of another origin', async () => {
    const login = {
      steps: [
        { type: 'navigate', url: `${site.url}/with-idp` },
        { type: 'change', selectors: ['input'], value: user },
        { type: 'click', selectors: ['xpath///button'], assertedEvents: [{ type: 'navigation' }] },
      ],
    };
    await measure('/with-idp', { login, expect });
  });

  test('a consent banner is gone, and nothing else was brought along', async () => {
    const login = {
      steps: [
        { type: 'navigate', url: `${site.url}/banner` },
        { type: 'click', selectors: [['#agree']] },
      ],
    };
    const { result } = await measure('/banner', { login, expect: { text: 'Shop' } });
    assert.ok(result.scores.performance !== null);
  });

  test('without a session, the login page is not scored: by redirect, with status 200, 401 or 403, or in mid-load', async () => {
    for (const path of ['/account', '/same', '/refuses', '/unauthorized', '/token', '/tab']) {
      const failure = await fails(path, { cookies: [{ name: 'sid', value: 'expired' }], expect });
      assert.equal(failure.code, 'login_required', path);
      assert.match(failure.seen?.picture ?? '', /^data:image\/jpeg/);
    }
    const silent = await fails('/silent', { cookies: [{ name: 'sid', value: site.open() }], expect });
    assert.equal(silent.code, 'login_required');
  });

  test('a failed step names its selector, and hides typed values', async () => {
    const login = withUrl(form, '/login');
    const wrong = {
      ...login,
      timeout: 8_000,
      steps: [...login.steps.slice(0, 4), { type: 'click', selectors: [['#missing']] }],
    };
    const failure = await fails('/account', { login: wrong, secrets: { PASSWORD: password }, expect });
    assert.equal(failure.code, 'login_failed');
    assert.match(failure.message, /Step 5 of 5 .*#missing.*no element matched/);
    assert.ok(failure.seen?.picture);
  });

  test('a wrong password fails the login', async () => {
    const login = withUrl(form, '/login');
    const failure = await fails('/account', { login, secrets: { PASSWORD: 'wrong-password' }, expect });
    assert.equal(failure.code, 'login_failed');
  });

  test('an access without a proof is measured with a warning', async () => {
    const { result } = await measure('/account', { cookies: [{ name: 'sid', value: site.open() }] });
    assert.match(result.warnings.join('\n'), /`access` has no `expect`/);
    const { result: login } = await measure('/account', { cookies: [{ name: 'sid', value: 'expired' }] });
    assert.match(login.warnings.join('\n'), /This may be the login page: it has a password field and has another URL/);
  });

  test('what a page echoes is hidden in its result', async () => {
    const value = site.open();
    const { result, lighthouseResult } = await measure('/echo', { cookies: [{ name: 'sid', value }], expect });
    const text = Buffer.from(lighthouseResult).toString('utf8');
    assert.ok(!JSON.stringify(result).includes(value));
    assert.ok(!text.includes(value));
    assert.ok(!text.includes(encodeURIComponent(value)));
  });
});
