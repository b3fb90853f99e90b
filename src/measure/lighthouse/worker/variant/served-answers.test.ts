import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { restoreServedAnswers } from './served-answers.ts';

type Log = Parameters<typeof restoreServedAnswers>[0];

const timing = { requestTime: 5, sendStart: -1, sendEnd: -1, receiveHeadersEnd: 900 };
const toLog = (requestId: string, encodedDataLength: number) =>
  [
    { method: 'Network.responseReceived', params: { requestId, response: { url: 'https://a.example/', timing } } },
    { method: 'Network.loadingFinished', params: { requestId, encodedDataLength } },
  ] as unknown as Log;

test('a fulfilled answer gets the original server time and network bytes back; others are unchanged', () => {
  const body = Buffer.alloc(10_000, 'a');
  const others = toLog('2', 77);
  const log = [...toLog('1', 10_120), ...others];
  const before = structuredClone(log);
  const answer = { requestId: '1', body, isCompressed: true, headMs: 150 };
  const [response, end, ...rest] = restoreServedAnswers(log, [answer]) as unknown as Record<string, never>[];
  assert.deepEqual(response?.params, {
    requestId: '1',
    response: { url: 'https://a.example/', timing: { ...timing, sendEnd: 0, receiveHeadersEnd: 150 } },
  });
  assert.deepEqual(end?.params, { requestId: '1', encodedDataLength: 120 + gzipSync(body).length });
  assert.deepEqual(rest, others);
  assert.deepEqual(log, before, 'the log that Lighthouse computed from is not changed');
});
