/** A site with five kinds of login, and pages that answer badly without one. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Scope } from '../start-service.ts';
import { startLocalServer } from './local-server.ts';

export const privateSite = {
  user: 'user-Sentinel01',
  password: 'password-Sentinel02',
  code: '480 233',
  token: 'token-Sentinel03',
  proxyHeader: 'proxy-Sentinel04',
  sessionItem: 'tab-Sentinel05',
  /** A cookie that the server sets in mid-load, and an item that the page stores then. */
  rotated: 'rotated-Sentinel07',
  renewed: '{"access":"renewed-Sentinel08"}',
} as const;

const { user, password, code, token, proxyHeader, sessionItem } = privateSite;
const basic = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

const page = (title: string, body: string): string => `<!doctype html><html lang="en"><head>
<meta name="viewport" content="width=device-width"><title>${title}</title></head><body>${body}</body></html>`;

const account = (extra = '') =>
  page('Account', `<h1 id="account">Your account</h1><p>Three orders, and a balance of 12.</p>${extra}`);

const loginForm = (csrf: string) =>
  page(
    'Log in',
    `<h1>Log in</h1><form method="post" action="/login"><input type="hidden" name="csrf" value="${csrf}">
<label>Name <input name="name"></label><label>Password <input type="password" name="password"></label>
<button>Log in</button></form>`,
  );

const cookiesOf = ({ headers }: IncomingMessage): Map<string, string> =>
  new Map(
    (headers.cookie ?? '').split('; ').flatMap(pair => {
      const at = pair.indexOf('=');
      return at > 0 ? [[pair.slice(0, at), pair.slice(at + 1)]] : [];
    }),
  );

async function formOf(request: IncomingMessage): Promise<URLSearchParams> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return new URLSearchParams(text);
}

export type PrivateSite = {
  readonly url: string;
  /** Origin of the identity provider: another port of this host. */
  readonly provider: string;
  /** Requests that the site received, with their headers. */
  readonly requests: { path: string; headers: IncomingMessage['headers']; origin: string }[];
  /** Ends all sessions. */
  expire(): void;
  /** Creates a session, as a login would. */
  open(): string;
  /** Ends all sessions after a number of pages that they opened, or before a path is answered. */
  limit(limits: { pages?: number; path?: string }): void;
};

export async function startPrivateSite(scope: Scope): Promise<PrivateSite> {
  const sessions = new Set<string>();
  const requests: PrivateSite['requests'] = [];
  let count = 0;
  const open = () => {
    count += 1;
    const session = `session-Sentinel06-${count}-${Math.random().toString(36).slice(2)}`;
    sessions.add(session);
    return session;
  };
  const html = (response: ServerResponse, body: string, status = 200, headers: Record<string, string> = {}) =>
    response.writeHead(status, { 'content-type': 'text/html', ...headers }).end(body);
  const redirect = (response: ServerResponse, location: string, headers: Record<string, string> = {}) =>
    response.writeHead(302, { location, ...headers }).end();
  let limits: Parameters<PrivateSite['limit']>[0] = {};
  const isIn = (request: IncomingMessage): boolean => {
    if (!sessions.has(cookiesOf(request).get('sid') ?? '')) return false;
    const { pages = Number.POSITIVE_INFINITY } = limits;
    limits = { ...limits, pages: pages - 1 };
    if (pages <= 0) sessions.clear();
    return pages > 0;
  };

  const get: Record<string, (request: IncomingMessage, response: ServerResponse, url: URL) => void> = {
    '/account': (request, response) =>
      isIn(request) ? html(response, account()) : redirect(response, '/login?next=/account'),
    '/login': (_, response) => html(response, loginForm('csrf-1'), 200, { 'set-cookie': 'csrf=csrf-1; Path=/' }),
    // Never ends.
    '/endless': () => {},
    // Shows the login with status 200 at the same URL.
    '/same': (request, response) => html(response, isIn(request) ? account() : loginForm('csrf-1')),
    '/refuses': (request, response) =>
      isIn(request) ? html(response, account()) : html(response, page('No', 'No'), 403),
    '/unauthorized': (request, response) =>
      isIn(request) ? html(response, account()) : html(response, page('No', 'No'), 401),
    '/session': (request, response) => {
      const status = isIn(request) ? 200 : 401;
      setTimeout(() => response.writeHead(status).end(), 300);
    },
    // Applications that ask for their session only after their first paint: one shows nothing until then, the other its
    // own outline.
    '/app': (_, response) =>
      html(
        response,
        page(
          'Application',
          `<p>Loading the application</p><script>fetch('/session').then(({ ok }) => {
if (ok) document.body.innerHTML = '<h1 id="account">Your account</h1>'; else location.replace('/login');
});</script>`,
        ),
      ),
    '/outline': (_, response) =>
      html(
        response,
        account(`<script>fetch('/session').then(({ ok }) => {
if (!ok) document.body.innerHTML = '<h1>Log in</h1><input type="password">';
});</script>`),
      ),
    // Logs out silently in mid-load.
    '/silent': (request, response) =>
      html(
        response,
        isIn(request)
          ? account(`<script>setTimeout(() => document.body.innerHTML = '<h1>Good bye</h1>', 100)</script>`)
          : loginForm('csrf-1'),
      ),
    '/token': (_, response) =>
      html(
        response,
        page(
          'Application',
          `<main></main><script>document.querySelector('main').innerHTML = localStorage.getItem('token') === '${token}'
? '<h1 id="account">Your account</h1>' : '<h1>Log in</h1><button id=in>Log in</button>';
document.querySelector('#in')?.addEventListener('click', () => { localStorage.setItem('token', '${token}'); location.reload(); });</script>`,
        ),
      ),
    '/tab': (_, response) =>
      html(
        response,
        page(
          'Tab',
          `<main></main><script>document.querySelector('main').innerHTML =
sessionStorage.getItem('tab') === '${sessionItem}' ? '<h1 id="account">Your account</h1>' : '<h1>Log in</h1>';</script>`,
        ),
      ),
    '/basic': (request, response) =>
      request.headers.authorization === basic
        ? html(response, account('<img src="/pixel" alt="" width="1" height="1">'))
        : html(response, page('No', 'No'), 401, { 'www-authenticate': 'Basic realm="x"' }),
    '/proxy': (request, response) =>
      request.headers['x-staging'] === proxyHeader
        ? html(response, account(`<img src="${provider}/pixel" alt="" width="1" height="1">`))
        : html(response, page('No', 'No'), 403),
    '/pixel': (_, response) =>
      response
        .writeHead(200, { 'content-type': 'image/svg+xml' })
        .end('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'),
    '/leave': (_, response) => redirect(response, `${provider}/pixel`),
    '/code': (_, response) =>
      html(
        response,
        page(
          'Code',
          '<form method="post" action="/code"><label>Code <input name="code"></label><button>Go</button></form>',
        ),
      ),
    // Repeats what it is given wherever a page can, and changes the session in mid-load as applications do.
    '/echo': (request, response) => {
      const sid = cookiesOf(request).get('sid') ?? 'none';
      const { authorization = '', 'x-staging': header = '' } = request.headers;
      const given = [...cookiesOf(request).values(), String(header), authorization];
      const basicPassword = Buffer.from(authorization.replace('Basic ', ''), 'base64').toString().split(':')[1] ?? '';
      const all = JSON.stringify([...given, basicPassword, privateSite.rotated]);
      html(
        response,
        `<!doctype html><html lang="en"><head><meta name="viewport" content="width=device-width"><title>${sid}</title></head><body>
<h1 id="account" data-first="${sid}">Your account</h1><p>${sid}</p><img src="/pixel?s=${sid}" width="1" height="1"><script>
localStorage.setItem('renewed', '${privateSite.renewed}');
const all = ${all}.concat(Object.values(localStorage), Object.values(sessionStorage))
  .filter(one => one.length < 2000 && !one.startsWith('stored value'));
for (const one of all) {
  console.error(one); console.log({ one }); performance.mark(one); console.time(one); console.timeEnd(one); document.title += one;
  document.querySelector('h1').setAttribute('data-' + (document.querySelector('h1').attributes.length), one);
  document.body.append(Object.assign(document.createElement('img'), { src: '/pixel?value=' + encodeURIComponent(one), alt: one }));
  document.body.append(Object.assign(document.createElement('button'), { name: one }));
  setTimeout(() => { throw new Error(one); });
}
history.replaceState(null, '', '?s=' + all.map(encodeURIComponent).join('&'));</script></body></html>`,
        200,
        { 'set-cookie': `rotated=${privateSite.rotated}; Path=/` },
      );
    },
    '/public': (_, response) =>
      html(
        response,
        account('<img src="/pixel?1" alt="" width="1" height="1"><img src="/pixel?2" alt="" width="1" height="1">'),
      ),
    '/banner': (_, response) =>
      html(
        response,
        page(
          'Shop',
          `<h1>Shop</h1><div id="banner" hidden>Cookies? <button id="agree">Agree</button></div><script>
if (!document.cookie.includes('consent=yes')) document.querySelector('#banner').hidden = false;
document.querySelector('#agree').onclick = () => { document.cookie = 'consent=yes; Path=/'; document.querySelector('#banner').remove(); };</script>`,
        ),
      ),
    '/idp': (_, response) =>
      html(
        response,
        page(
          'Identity',
          '<form method="post" action="/idp"><label>Name <input name="name"></label><button>Go</button></form>',
        ),
      ),
    '/with-idp': (request, response) =>
      isIn(request) ? html(response, account()) : redirect(response, `${provider}/idp`),
    '/back': (_, response) => redirect(response, '/with-idp', { 'set-cookie': `sid=${open()}; Path=/; HttpOnly` }),
  };

  const post: Record<string, (form: URLSearchParams, request: IncomingMessage, response: ServerResponse) => void> = {
    '/login': (form, request, response) => {
      const isRight = form.get('name') === user && form.get('password') === password;
      if (!isRight || form.get('csrf') !== cookiesOf(request).get('csrf')) return html(response, loginForm('csrf-1'));
      redirect(response, '/hop', { 'set-cookie': `sid=${open()}; Path=/; HttpOnly` });
    },
    '/code': (form, _, response) => {
      if (form.get('code') !== code) return html(response, page('Code', 'Wrong code'));
      redirect(response, '/hop', { 'set-cookie': `sid=${open()}; Path=/; HttpOnly` });
    },
    '/idp': (_form, _request, response) => redirect(response, `${site}/back`),
  };
  get['/hop'] = (_, response) => redirect(response, '/account');

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '/', site);
    if (url.pathname === limits.path) sessions.clear();
    requests.push({ path: url.pathname, headers: request.headers, origin: `http://${request.headers.host}` });
    if (request.method === 'POST') return post[url.pathname]?.(await formOf(request), request, response);
    const show = get[url.pathname];
    if (show) show(request, response, url);
    else response.writeHead(404).end();
  };
  const listen = async () => (await startLocalServer(scope, (request, response) => void handle(request, response))).url;
  const site = await listen();
  const provider = await listen();
  return {
    url: site,
    provider,
    requests,
    expire: () => sessions.clear(),
    open,
    limit: given => {
      limits = given;
    },
  };
}
