import assert from 'node:assert/strict';
import type { Problem } from '../../src/contract/problem.ts';
import type { Result } from '../../src/contract/result/result.ts';
import { ask, withQuery } from '../support/asking/ask.ts';

export const audit = <Body>(service: { url: string }, url: string) =>
  ask<Body>(service, withQuery('/lighthouse', { url, categories: 'seo' }));

const each = (paths: readonly string[], check: (url: string, path: string) => Promise<void>) =>
  Promise.all(paths.map(path => check(`http://www.example.com/${path}`, path)));

/** Asserts that documents leading to internal hosts are blocked. */
export const assertForbidden = (service: { url: string }, paths: readonly string[]) =>
  each(paths, async (url, path) => {
    const { body } = await audit<Problem>(service, url);
    assert.deepEqual([body.status, body.code, body.source], [403, 'target_forbidden', 'lighthouse'], path);
    assert.match(body.detail, /127\.0\.0\.1 is a loopback address/);
  });

/** Asserts that documents leading to files or other schemes stay where they are and are measured. */
export const assertMeasured = (service: { url: string }, paths: readonly string[]) =>
  each(paths, async (url, path) => {
    const { status, body, text } = await audit<Result>(service, url);
    assert.deepEqual([status, body.final_url], [200, url], path);
    assert.doesNotMatch(text, /root:x:0/);
  });
