import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { writeHar } from './write-har.ts';

const url = 'https://shop.example/account';
const secrets = ['Cookie', 'authorization', 'X-Api-Key', 'x-goog-api-key', 'X-Amz-Security-Token', 'x-xsrf-token'];
const headers = {
  ...Object.fromEntries(secrets.map(name => [name, 's3cret'])),
  accept: 'text/html',
  ':authority': 'shop.example',
};
const base = { requestId: '1', frameId: 'F', loaderId: 'L', documentURL: url, type: 'Document' };
const request = {
  url,
  method: 'POST',
  headers,
  postData: 'password=s3cret',
  hasPostData: true,
  initialPriority: 'High',
};
const response = {
  ...{ url, status: 200, statusText: 'OK', mimeType: 'text/html', protocol: 'h2', connectionId: 1 },
  ...{ headers: { 'Set-Cookie': 'session=s3cret', server: 'x' }, requestHeaders: headers },
  timing: {
    requestTime: 1,
    sendStart: 0,
    sendEnd: 1,
    receiveHeadersEnd: 9,
    dnsStart: -1,
    connectStart: -1,
    sslStart: -1,
  },
};
const messages = [
  { method: 'Page.frameStartedLoading', params: { frameId: 'F' } },
  {
    method: 'Network.requestWillBeSent',
    params: { ...base, request, timestamp: 1, wallTime: 1_700_000_000, initiator: { type: 'other' } },
  },
  {
    method: 'Network.requestWillBeSentExtraInfo',
    params: {
      requestId: '1',
      headers,
      associatedCookies: [{ cookie: { name: 'session', value: 's3cret' } }],
    },
  },
  { method: 'Network.responseReceived', params: { ...base, response, timestamp: 1.01 } },
  { method: 'Network.loadingFinished', params: { requestId: '1', timestamp: 1.02, encodedDataLength: 100 } },
];
const toBytes = (value: unknown) => Buffer.from(JSON.stringify(value));

test('a HAR file has no cookie, no credentials and no sent data', () => {
  const text = Buffer.from(writeHar({ bytes: toBytes(messages), isPacked: false }) ?? []).toString();
  const { log } = JSON.parse(text);
  assert.deepEqual([log.entries.length, log.entries[0].request.url, log.entries[0].response.status], [1, url, 200]);
  assert.deepEqual(log.entries[0].request.headers, [
    { name: 'accept', value: 'text/html' },
    { name: ':authority', value: 'shop.example' },
  ]);
  assert.doesNotMatch(text, /s3cret/);
  assert.deepEqual(writeHar({ bytes: gzipSync(toBytes(messages)), isPacked: true })?.length, text.length);
});

test('a damaged or too large log has no HAR file', () => {
  for (const bytes of [Buffer.from('[{'), gzipSync(Buffer.alloc(31_000_000)), toBytes(Array(2_000_001).fill(0))])
    assert.equal(writeHar({ bytes, isPacked: bytes[0] === 0x1f }), undefined);
});
