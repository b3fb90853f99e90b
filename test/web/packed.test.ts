/** Answers assembled from stored gzip, in a real browser. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startFakePsi, toPsiBody } from '../support/analysers/fake-psi.ts';
import { withQuery } from '../support/asking/ask.ts';
import { startService } from '../support/start-service.ts';
import { openPage, startBrowser } from './browser.ts';

const fake = await startFakePsi({ after });
const items = Array.from({ length: 20_000 }, (_, index) => ({ url: `https://example.com/${index}`, size: index }));
const service = await startService({ after }, { PSI_ENDPOINT: fake.endpoint });
const browser = await startBrowser({ after });
const url = 'https://example.com/';

test('a browser reads a stored result, on its own and with another', async t => {
  fake.answerWith(call => ({ body: toPsiBody(call, { stackPacks: items }) }));
  const page = await openPage(t, browser);
  await page.goto(service.url);
  for (const strategy of ['mobile', 'both']) {
    const target = withQuery('/psi', { url, strategy, detailed: true });
    for (const status of ['miss', 'hit']) {
      const { coding, cacheStatus, text } = await page.evaluate(async path => {
        const response = await fetch(path);
        const { headers } = response;
        return {
          coding: headers.get('content-encoding'),
          cacheStatus: headers.get('cache-status'),
          text: await response.text(),
        };
      }, target);
      const body = JSON.parse(text);
      assert.equal(coding, 'gzip');
      if (status === 'hit') assert.match(cacheStatus ?? '', /; hit;/);
      for (const result of strategy === 'both' ? [body.mobile, body.desktop] : [body])
        assert.deepEqual(result.lighthouse_result.stackPacks, items);
    }
  }
  assert.deepEqual(page.faults, []);
});

test('a browser reads each event when it arrives, while the analysis runs', async t => {
  const release = fake.hold();
  const page = await openPage(t, browser);
  await page.goto(service.url);
  await page.exposeFunction('release', release);
  const read = await page.evaluate(
    async path => {
      const response = await fetch(path, { headers: { accept: 'text/event-stream' } });
      let text = '';
      let isReleased = false;
      for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        text += chunk;
        // The PSI server does not answer before this event.
        if (!isReleased && text.includes('event: started')) {
          isReleased = true;
          await (globalThis as unknown as { release(): Promise<void> }).release();
        }
      }
      return [response.headers.get('content-encoding'), text.split('\n\n').at(-2)];
    },
    withQuery('/psi', { url: `${url}late`, strategy: 'mobile', detailed: true }),
  );
  const [coding, last = ''] = read;
  assert.equal(coding, 'gzip');
  const [, data = ''] = /^event: result\ndata: (.*)$/.exec(last ?? '') ?? [];
  assert.deepEqual(JSON.parse(data).lighthouse_result.stackPacks, items);
});
