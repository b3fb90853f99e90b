import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toDownloadName } from './download-name.ts';

const day = new Date(2026, 10, 2, 23, 59);

test('a file is named after the host and the day', () => {
  const name = (...urls: string[]) => toDownloadName(urls, day, 'csv');
  assert.equal(name('https://example.com/a', 'https://example.com/b'), 'rangelight-example.com-2026-11-02.csv');
  assert.equal(name('http://localhost:3000/'), 'rangelight-localhost-3000-2026-11-02.csv');
  assert.equal(name('https://a.example/', 'https://b.example/'), 'rangelight-2-hosts-2026-11-02.csv');
  assert.equal(name(), 'rangelight-2026-11-02.csv');
  assert.match(name('../../etc/passwd'), /^[\w.-]+$/);
});
