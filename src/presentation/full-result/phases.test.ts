import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toRequestPhases } from './phases.ts';

const answered = (requestId: string, url: string, timing: object) => ({
  method: 'Network.responseReceived',
  params: { requestId, response: { url, timing } },
});
const finished = (requestId: string, timestamp: number) => ({
  method: 'Network.loadingFinished',
  params: { requestId, timestamp },
});

const secure = {
  requestTime: 100,
  dnsStart: 0,
  dnsEnd: 5,
  connectStart: 5,
  connectEnd: 45,
  sslStart: 25,
  sslEnd: 45,
  sendStart: 46,
  receiveHeadersEnd: 146,
};

test('a request with a new connection has all phases, and the connect phase excludes TLS', () => {
  const phases = toRequestPhases([answered('1', 'https://a.example/', secure), finished('1', 100.196)]);
  assert.deepEqual(
    phases.get('https://a.example/')?.map(({ phase, durationMs }) => [phase, Math.round(durationMs)]),
    [
      ['dns', 5],
      ['connect', 20],
      ['tls', 20],
      ['wait', 100],
      ['download', 50],
    ],
  );
});

test('a request on an existing connection waits and downloads, and one that never ended has no phases', () => {
  const known = { ...secure, dnsStart: -1, dnsEnd: -1, connectStart: -1, connectEnd: -1, sslStart: -1, sslEnd: -1 };
  const log = [
    answered('1', 'https://a.example/', known),
    finished('1', 100.2),
    answered('2', 'https://b.example/', known),
  ];
  const phases = toRequestPhases(log);
  assert.deepEqual(
    phases.get('https://a.example/')?.map(({ phase }) => phase),
    ['wait', 'download'],
  );
  assert.equal(phases.has('https://b.example/'), false);
});

test('an invalid log has no phases', () => {
  for (const log of [undefined, null, 'x', {}, [{ method: 'Network.responseReceived' }, 7]])
    assert.equal(toRequestPhases(log).size, 0);
});
