import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import type { Page } from 'puppeteer-core';
import { watchNavigation } from './navigation-watch.ts';

type Answer = { status: number; headers: Record<string, string> };

/** A page that has shown nothing yet, and tells what the browser does in an order that a real one shows rarely. */
async function openWatched() {
  const session = Object.assign(new EventEmitter(), { send: async () => {} });
  const frame = { url: () => 'about:blank' };
  const page = Object.assign(new EventEmitter(), {
    mainFrame: () => frame,
    browser: () => ({ target: () => ({ createCDPSession: async () => session }) }),
  });
  const { failed, stop } = await watchNavigation(page as unknown as Page, 60_000, new Map());
  return {
    failure: failed.then(assert.fail, ({ message }) => message as string).finally(stop),
    download: () => session.emit('Browser.downloadWillBegin', { url: 'http://site.example/' }),
    request: () => {
      let response: unknown = null;
      const request = {
        isNavigationRequest: () => true,
        frame: () => frame,
        url: () => 'http://site.example/',
        redirectChain: () => [],
        response: () => response,
      };
      page.emit('request', request);
      return ({ status, headers }: Answer) => {
        response = { request: () => request, url: request.url, status: () => status, headers: () => headers };
        page.emit('response', response);
      };
    },
  };
}

const asDownload = 'The page provided is not HTML (served as a download).';
const asPdf = 'The page provided is not HTML (served as MIME type application/pdf).';
const pdf: Answer = { status: 200, headers: { 'content-type': 'application/pdf' } };
const attachment: Answer = {
  status: 200,
  headers: { 'content-type': 'text/html', 'content-disposition': 'attachment' },
};

for (const [name, answers, told] of [
  ['a PDF', [pdf], asPdf],
  ['a PDF behind a redirect', [{ status: 302, headers: { location: '/pdf' } }, pdf], asPdf],
  ['HTML as an attachment', [attachment], asDownload],
] as const)
  for (const isAhead of [true, false])
    test(`${name} has the same failure ${isAhead ? 'before' : 'after'} its response`, async () => {
      const { failure, download, request } = await openWatched();
      const [first = pdf, ...rest] = answers;
      const answer = request();
      if (isAhead) download();
      answer(first);
      for (const next of rest) request()(next);
      if (!isAhead) download();
      assert.equal(await failure, told);
    });

test('a download without a request of the document fails at once', async () => {
  const { failure, download } = await openWatched();
  download();
  assert.equal(await failure, asDownload);
});
