import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FailureReason } from '../../presentation/errors-in-words.ts';
import type { Measurement } from '../measurements.ts';
import { toJsonLine, toJsonOutput } from './json-output.ts';

const job: Measurement = {
  index: 0,
  url: 'http://a.com/',
  strategy: 'mobile',
  call: { method: 'GET', path: 'psi', lanes: [{ source: 'psi', strategy: 'mobile' }] },
};
const failWith = (failure: FailureReason) => ({ job, body: undefined, answer: undefined, failure });

test('an unreachable service is named by host and port only', () => {
  for (const [baseUrl, place] of [
    ['http://127.0.0.1:8000/', '127.0.0.1:8000'],
    ['http://tools.example/', 'tools.example:80'],
    ['https://tools.example/a-secret/', 'tools.example:443'],
    ['http://[::1]:81/', '[::1]:81'],
  ] as const) {
    const measured = failWith({ kind: 'unreachable' });
    const error = {
      title: 'The service cannot be reached',
      detail: `No service responds at ${place}.`,
      code: 'no_connection',
      retryable: true,
    };
    assert.deepEqual(JSON.parse(toJsonOutput([measured], false, baseUrl)), error);
    assert.deepEqual(JSON.parse(toJsonOutput([measured], true, baseUrl)), [{ url: job.url, error }]);
    assert.deepEqual(JSON.parse(toJsonLine(measured, baseUrl)), { index: 0, url: job.url, error });
  }
});

test('no failure without a body mentions a loaded page', () => {
  for (const failure of [{ kind: 'unreachable' }, { kind: 'cut' }, { kind: 'unreadable', status: 502 }] as const)
    assert.doesNotMatch(toJsonOutput([failWith(failure)], false, 'http://a.com/'), /this page|loaded|above/);
});
