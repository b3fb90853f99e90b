/** A real browser opens a page of another site, and the service has a host name other than localhost. */
import assert from 'node:assert/strict';
import type { IncomingHttpHeaders } from 'node:http';
import { after, test } from 'node:test';
import { launch } from 'puppeteer-core';
import { findBrowser } from '../../src/measure/lighthouse/browser/find-browser.ts';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { withQuery } from '../support/asking/ask.ts';
import { startLocalServer } from '../support/sites/local-server.ts';
import { startService } from '../support/start-service.ts';

const { PATH = '', XDG_CACHE_HOME: cacheHome } = process.env;
const prepared = await findBrowser({ chromePath: undefined, path: PATH, cacheHome })?.prepare();
const skip = prepared ? false : 'There is no browser here';

const fake = await startFakePsi({ after });
const service = await startService(
  { after },
  { PSI_ENDPOINT: fake.endpoint, TARGETS: 'any', ALLOWED_HOSTS: 'lab.test' },
);
const { port } = new URL(service.url);
const lab = `http://lab.test:${port}`;
const named = (name: string) => lab + withQuery('/psi', { url: `https://example.com/${name}`, strategy: 'mobile' });

/** The ways in which a page can load a URL, by name. */
const ways: Readonly<Record<string, (url: string) => string>> = {
  img: url => `<img src="${url}">`,
  script: url => `<script src="${url}"></script>`,
  style: url => `<link rel="stylesheet" href="${url}">`,
  video: url => `<video src="${url}" preload="auto"></video>`,
  background: url => `<div style="width:9px;height:9px;background:url('${url}')"></div>`,
  prefetch: url => `<link rel="prefetch" href="${url}">`,
  preload: url => `<link rel="preload" as="fetch" href="${url}">`,
  fetch: url => `<script>fetch("${url}",{mode:"no-cors"}).catch(()=>{})</script>`,
  cors: url => `<script>fetch("${url}").catch(()=>{})</script>`,
  language: url =>
    `<script>fetch("${url}",{mode:"no-cors",headers:{"accept-language":"","accept":"x/y"}}).catch(()=>{})</script>`,
  beacon: url => `<script>navigator.sendBeacon("${url}")</script>`,
  events: url => `<script>new EventSource("${url}")</script>`,
};
/** Without a Referer these requests look like a URL typed by a person. */
const frames: typeof ways = {
  iframe: url => `<iframe src="${url}"></iframe>`,
  object: url => `<object data="${url}"></object>`,
  form: url => {
    const { origin, pathname, searchParams } = new URL(url);
    const fields = [...searchParams].map(([name, value]) => `<input name="${name}" value="${value}">`).join('');
    return `<iframe name="away"></iframe><form id="f" target="away" action="${origin}${pathname}">${fields}</form><script>document.getElementById("f").submit()</script>`;
  },
};

async function openBrowser() {
  const browser = await launch({
    executablePath: prepared?.executablePath ?? '',
    env: { ...process.env, ...prepared?.env } as Record<string, string>,
    args: ['--no-sandbox', '--host-resolver-rules=MAP lab.test 127.0.0.1,MAP evil.test 127.0.0.1', '--no-proxy-server'],
  });
  after(() => browser.close());
  return browser;
}

test('a browser sends no Sec-Fetch headers to another machine over plain HTTP', { skip }, async t => {
  const seen = Promise.withResolvers<IncomingHttpHeaders>();
  const host = await startLocalServer(t, (request, response) => {
    if (request.url === '/picture') seen.resolve(request.headers);
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>x</title>');
  });
  const page = await (await openBrowser()).newPage();
  const { port: other } = new URL(host.url);
  await page.goto(`http://evil.test:${other}/`);
  await page.setContent(`<img src="http://lab.test:${other}/picture">`, { waitUntil: 'domcontentloaded' });
  const headers = await seen.promise;
  assert.deepEqual(
    Object.keys(headers).filter(name => name.startsWith('sec-fetch')),
    [],
  );
  assert.ok(headers['accept-encoding'] !== undefined && headers.accept?.startsWith('image/'));
});

test('a page of another site cannot start an analysis, whatever it loads', { skip }, async t => {
  const browser = await openBrowser();
  for (const policy of ['unsafe-url', 'no-referrer'] as const) {
    const tried = policy === 'no-referrer' ? ways : { ...ways, ...frames };
    const evil = await startLocalServer(t, (request, response) => {
      const name = new URL(request.url ?? '', 'http://x').pathname.slice(1);
      const html = tried[name]?.(named(`${policy}-${name}`)) ?? '';
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end(`<!doctype html><meta name="referrer" content="${policy}"><title>x</title>${html}`);
    });
    const page = await browser.newPage();
    const sent = new Set<string>();
    page.on('request', request => void sent.add(request.url()));
    for (const name of Object.keys(tried)) {
      await page.goto(`http://evil.test:${new URL(evil.url).port}/${name}`, { waitUntil: 'networkidle2' });
    }
    for (const name of Object.keys(tried))
      if (name !== 'beacon') assert.ok(sent.has(named(`${policy}-${name}`)), `${policy} ${name} was sent`);
    await page.close();
  }
  const urls = fake.calls.all.map(({ params }) => params.get('url'));
  assert.deepEqual(urls, []);
});

test("the service's page can measure, and a user may type a URL", { skip }, async () => {
  const browser = await openBrowser();
  const before = fake.calls.all.length;
  const page = await browser.newPage();
  await page.goto(`${lab}/?url=https://example.com/own`);
  for (const own of ['/docs', '/']) {
    await page.goto(lab + own);
    const status = await page.evaluate(async (url: string) => (await fetch(url)).status, named(`own-${own.length}`));
    assert.equal(status, 200, own);
  }
  const typed = await page.goto(named('typed'));
  assert.equal(typed?.status(), 200);
  assert.ok(fake.calls.all.length >= before + 3);
});
