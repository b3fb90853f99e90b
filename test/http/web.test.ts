/** `GET /` over HTTP: the page, its files and their headers for browsers. Nothing here starts a browser. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { transform } from 'esbuild';
import { sendRaw } from '../support/asking/raw-request.ts';
import { startService } from '../support/start-service.ts';

const service = await startService({ after });

const get = (path: string, headers: Record<string, string> = {}) => fetch(`${service.url}${path}`, { headers });

const page = await (await get('/')).text();
/** Files in the HTML; their imports follow. */
const files = [...page.matchAll(/(?:src|href)="(assets\/[^"]+)"/g)].map(([, path = '']) => `/${path}`);

const read = new Set<string>();
test('the page needs one stylesheet and few scripts, which import own files only', async () => {
  const names = files.map(path => path.replace(/.*\//, '').replace(/-\w{8}/, ''));
  assert.deepEqual(names.toSorted(), ['chunk.js', 'page.js', 'style.css']);
  const readAll = async (path: string): Promise<void> => {
    if (read.has(path)) return;
    read.add(path);
    const response = await get(path);
    assert.equal(response.status, 200, path);
    assert.equal(
      response.headers.get('content-type'),
      path.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8',
    );
    assert.equal(response.headers.get('cache-control'), 'public, max-age=31536000, immutable');
    const text = await response.text();
    assert.doesNotMatch(text, /@import|\burl\(/);
    for (const [, source = ''] of text.matchAll(/\b(?:from|import)\s*\(?\s*["']([^"']*)["']/g)) {
      assert.match(source, /^\.\/[\w-]+\.js$/, path);
      await readAll(path.replace(/[^/]*$/, source.slice(2)));
    }
  };
  for (const path of files) await readAll(path);
  assert.ok(
    [...read].some(path => path.includes('/view-')),
    'the views of results are loaded later',
  );
});

test('the stylesheet contains every part', async () => {
  const style = await (await get(files.find(path => path.endsWith('.css')) ?? '')).text();
  const folder = new URL('../../src/web/style/', import.meta.url);
  // These two are in files that are written, and not in the page.
  const parts = readdirSync(folder).filter(part => part !== 'index-file.css' && part !== 'note.css');
  assert.ok(parts.length > 4);
  for (const part of parts) {
    const { code } = await transform(readFileSync(new URL(part, folder), 'utf8'), {
      loader: 'css',
      minifyWhitespace: true,
    });
    assert.ok(style.includes(code.trim()), part);
  }
});

test('the page has a strict content security policy and complies with it', async () => {
  const policy = (await get('/')).headers.get('content-security-policy') ?? '';
  for (const part of [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ])
    assert.ok(policy.split('; ').includes(part), part);
  assert.doesNotMatch(policy, /unsafe/);
  assert.doesNotMatch(page, /<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=/);
  const elsewhere = [...page.matchAll(/(?:src|href|action)="([^"]+)"/g)].filter(([, link = '']) =>
    /^(?:\w+:)?\/\//.test(link),
  );
  assert.deepEqual(elsewhere, []);
});

test('the licenses of libraries are in the script that contains them', async () => {
  const scripts = files.filter(path => path.endsWith('.js'));
  const texts = await Promise.all(scripts.map(async path => (await get(path)).text()));
  assert.match(texts.join('\n'), /@license[\s\S]*Google LLC/);
});

test('everything for the first view is under 80 KB compressed', async () => {
  const sizes = await Promise.all(
    ['/', ...files].map(async path => {
      const { body, headers } = await sendRaw(service, { target: path, headers: ['Accept-Encoding: gzip'] });
      assert.equal(headers.get('content-encoding'), 'gzip');
      assert.ok(body.length > 0);
      return Number(headers.get('content-length'));
    }),
  );
  const total = sizes.reduce((sum, size) => sum + size, 0);
  assert.ok(total > 10_000 && total < 80_000, `${total} bytes`);
});

test('a browser gets the best encoding that it accepts', async () => {
  const readAs = async (accept: string) => {
    const response = await get('/', { 'accept-encoding': accept });
    assert.equal(response.headers.get('vary'), 'Accept-Encoding');
    return [response.headers.get('content-encoding'), (await response.text()) === page];
  };
  assert.deepEqual(await readAs('gzip, deflate, br, zstd'), ['br', true]);
  assert.deepEqual(await readAs('gzip'), ['gzip', true]);
  assert.deepEqual(await readAs('br;q=0, gzip;q=0.5'), ['gzip', true]);
  assert.deepEqual(await readAs('identity'), [null, true]);
});

test('the page itself is revalidated each time, its files never', async () => {
  assert.equal((await get('/')).headers.get('cache-control'), 'no-cache');
  const [file = ''] = files;
  assert.equal(
    (await get(file.replace(/assets\/[^/]+/, 'assets/another'))).status,
    404,
    'another hash is another file',
  );
});

test('every placeholder of the page is replaced, and a host is escaped', async t => {
  const custom = await startService(t, { PSI_ENDPOINT: 'http://psi.example:8080/v5' });
  const html = await (await fetch(custom.url)).text();
  for (const text of [page, html]) assert.doesNotMatch(text.replaceAll(/data:image[^"]*/g, ''), /%[a-z-]+%|undefined/);
  assert.match(
    page,
    /<html lang="en" data-analyser="embedded" data-analyser-host="" data-keeping="nothing" data-callbacks="none">/,
  );
  assert.match(
    html,
    /<html lang="en" data-analyser="custom" data-analyser-host="psi\.example:8080" data-keeping="nothing" data-callbacks="none">/,
  );
  assert.match(html, />psi\.example:8080</);
});

test('icons and robots.txt stay unrouted', async () => {
  for (const path of ['/favicon.ico', '/robots.txt']) assert.equal((await get(path)).status, 404);
});

test('building the assets prints nothing', async () => {
  const source = new URL('../../src/http/routes/web-assets.ts', import.meta.url).href;
  const script = `import { readWebAssets } from '${source}'; console.log((await readWebAssets()).files.size)`;
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  assert.deepEqual([Number(stdout), stderr], [read.size, '']);
});
