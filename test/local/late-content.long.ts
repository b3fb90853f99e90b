/** Real loads of pages whose main content comes long after the largest paint, and of pages that only look as if. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Result } from '../../src/contract/result/result.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { usualAudits } from '../support/audits/quick-audits.ts';
import { startLocalServer } from '../support/sites/local-server.ts';
import { startService } from '../support/start-service.ts';

const words = 'the harbour lights stand one behind the other and show the pilot a safe course at night'.split(' ');
const say = (count: number, from = 0) =>
  Array.from({ length: count }, (_, at) => words[(at * 7 + from) % words.length]).join(' ');
const rows = Array.from({ length: 24 }, (_, at) => `<li>Boat ${at}: ${say(6, at)}</li>`).join('');
const article = `<h1>Boats</h1>${Array.from({ length: 12 }, (_, at) => `<p>${say(40, at)}</p>`).join('')}`;

type Page = { body: string; style?: string; script?: string };

/** Acts once the request is answered. Lighthouse waits for it, so the load does not end before. */
const later = (act: string) => `fetch('/slow').then(answer => answer.text()).then(() => { ${act} })`;
const fill = (html: string) => later(`document.querySelector('main').innerHTML = ${JSON.stringify(html)}`);
const lay = (style: string, html: string) =>
  later(`const layer = document.createElement('div'); layer.style = ${JSON.stringify(style)};
    layer.innerHTML = ${JSON.stringify(html)}; document.body.append(layer)`);
const main = (html = '') => `<main style="min-height: 500px">${html}</main>`;
const bar = '<div style="height: 20px; margin: 14px 0; background: #e6e6e6"></div>';

const late: Readonly<Record<string, Page>> = {
  'a list that a script fetches': {
    body: `<h1>Boats</h1>${main('Loading…')}<footer>${say(30)}</footer>`,
    script: fill(`<ul>${rows}</ul>`),
  },
  'a list in the place of grey bars': {
    body: `<h1>${say(9)}</h1>${main(bar.repeat(18))}`,
    script: fill(`<ul>${rows}</ul>`),
  },
  'a list in the place of a wheel that turns': {
    body: `<h1>${say(16)}</h1>${main('<div class="wheel"></div>')}`,
    style: `.wheel { width: 40px; height: 40px; margin: 150px auto; border: 5px solid #ccc; border-top-color: #06c;
      border-radius: 50%; animation: turn 1s linear infinite } @keyframes turn { to { transform: rotate(360deg) } }`,
    script: fill(`<ul>${rows}</ul>`),
  },
  'cards with pictures': {
    body: `<h1>${say(14)}</h1>${main()}`,
    script: fill(`<img width="90" height="70" src="/picture"><p>${say(12)}</p>`.repeat(9)),
  },
  // The simulation takes the usual time of the server for it, which is that of the pictures.
  'an article after a slow script': {
    body: `<script src="/slow"></script>${article}${Array.from({ length: 8 }, (_, at) => `<img width="9" height="9" src="/picture?${at}">`).join('')}`,
  },
};

const inTime: Readonly<Record<string, Page>> = {
  'an article': { body: article },
  'an article and a cookie banner': {
    body: article,
    script: lay(
      'position: fixed; inset: auto 0 0 0; height: 45%; background: #fff; border-top: 2px solid',
      `<h2>Cookies</h2><p>${say(40)}</p>`,
    ),
  },
  'an article and a layer over all of it': {
    body: article,
    script: lay(
      'position: fixed; inset: 0; background: rgb(0 0 0 / 60%)',
      `<p style="margin: 120px 20px; background: #fff">${say(30)}</p>`,
    ),
  },
  'a picture that changes': {
    body: `<img width="380" height="300" src="/picture">${article}`,
    script: `let count = 0; setInterval(() => { document.images[0].src = '/picture?' + (count += 1) }, 700); ${later('')}`,
  },
  'a film': {
    body: `<canvas width="380" height="300"></canvas>${article}`,
    script: `const drawing = document.querySelector('canvas').getContext('2d');
      const draw = time => { for (let at = 0; at < 30; at += 1) {
        drawing.fillStyle = 'hsl(' + (time / 5 + at * 30) % 360 + ', 60%, 50%)';
        drawing.fillRect((at * 53 + time / 9) % 380, (at * 41) % 300, 60, 50) }
        if (time < 4000) requestAnimationFrame(draw) }; requestAnimationFrame(draw); ${later('')}`,
  },
  'cards that fade in': {
    body: Array.from({ length: 8 }, (_, at) => `<div><h2>Card ${at}</h2><p>${say(20, at)}</p></div>`).join(''),
    style: 'div { animation: come .6s } @keyframes come { from { opacity: .1; transform: translateY(20px) } }',
    script: later(''),
  },
  'an advertisement in its own place': {
    body: `<h1>Boats</h1>${main().replace('500px', '250px')}${article}`,
    script: fill('<img width="300" height="250" src="/picture">'),
  },
  'a slow script at its end': { body: `${article}<script src="/slow"></script>` },
  'another theme': { body: article, script: later(`document.body.style = 'background: #111; color: #eee'`) },
  'another font': { body: article, script: later(`document.body.style.fontFamily = 'serif'`) },
  'little on it': { body: '<h1 style="margin-top: 200px; text-align: center">Find</h1>', script: later('') },
};

const toHtml = ({ body, style = '', script = '' }: Page): string =>
  `<!doctype html><html lang="en"><head><meta name="viewport" content="width=device-width"><title>Boats</title>
  <style>body { font: 16px sans-serif; margin: 12px } ${style}</style></head><body>${body}<script>${script}</script></body></html>`;

const picture = (hue: number) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="300">${Array.from(
    { length: 40 },
    (_, at) =>
      `<circle cx="${(at * 53) % 400}" cy="${(at * 97) % 300}" r="${20 + at}" fill="hsl(${hue + at * 37}, 60%, 50%)"/>`,
  ).join('')}</svg>`;

const pages = Object.entries({ ...late, ...inTime });
const answerMs = 3000;

const site = await startLocalServer({ after }, ({ url = '/' }, response) => {
  const { pathname, search } = new URL(url, 'http://page.test');
  if (pathname === '/slow') return void setTimeout(() => response.end('here'), answerMs);
  if (pathname === '/picture')
    return void response.setHeader('content-type', 'image/svg+xml').end(picture(60 * Number(search.slice(1) || 0)));
  const [, page] = pages[Number(pathname.slice(1))] ?? [];
  response.statusCode = page ? 200 : 404;
  response.setHeader('content-type', 'text/html; charset=utf-8').end(page ? toHtml(page) : '');
});
const service = await startService({ after }, {}, undefined, { audits: usualAudits });

for (const [at, [name]] of pages.entries())
  test(`${Object.hasOwn(late, name) ? 'late' : 'in time'}: ${name}`, async () => {
    const query = { url: `${site.url}/${at}`, categories: 'performance' };
    const { body } = await ask<Result>(service, withQuery('/lighthouse', query));
    const found = body.late_content;
    if (!Object.hasOwn(late, name)) return assert.equal(found, undefined);
    assert.ok(found && found.appeared_ms >= answerMs && found.appeared_ms < 3 * answerMs, JSON.stringify(found));
    assert.ok(found.filled_before < 50);
  });
