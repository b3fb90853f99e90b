import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { findPictures } from './find-pictures.ts';
import { type Measurement, toFinishedMeasurement } from './measurements.ts';

const asked: string[] = [];
const server = createServer((request, response) => {
  asked.push(`${request.url} ${request.headers.authorization}`);
  const isThere = request.url?.endsWith('2/screenshot');
  response.writeHead(isThere ? 200 : 404, { 'content-type': 'image/jpeg' }).end('picture');
}).listen(0, '127.0.0.1');
await once(server, 'listening');
after(() => server.close());
const asking = {
  baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
  apiKey: 'key',
  signal: new AbortController().signal,
};

const job: Measurement = {
  index: 0,
  url: 'http://a/',
  strategy: 'mobile',
  call: { method: 'GET', path: '', lanes: [] },
};
const measure = (body: unknown) => toFinishedMeasurement(job, { ok: true, body });
const png = 'data:image/png;base64,AAAA';
const whole = { audits: { 'final-screenshot': { details: { data: png } } } };
const side = (number: number) => ({ links: { screenshot: `/results/${number}/screenshot` } });

test('a screenshot comes from the full result, or from the stored result of a comparison', async () => {
  const [own, kept, gone, none] = [
    measure({ lighthouse_result: whole }),
    measure({ psi: side(1), lighthouse: side(2) }),
    measure({ psi: side(1), lighthouse: side(3) }),
    measure({ psi: {}, lighthouse: null }),
  ];
  const pictures = await findPictures([own, kept, gone, none], asking);
  assert.deepEqual(
    [own, kept, gone, none].map(measured => pictures.get(measured)),
    [png, `data:image/jpeg;base64,${Buffer.from('picture').toString('base64')}`, undefined, undefined],
  );
  assert.deepEqual(asked, ['/results/2/screenshot Bearer key', '/results/3/screenshot Bearer key']);
});

test('a cancelled command requests nothing', async () => {
  const count = asked.length;
  const pictures = await findPictures([measure({ lighthouse: side(2) })], { ...asking, signal: AbortSignal.abort() });
  assert.deepEqual([pictures.size, asked.length], [0, count]);
});
