import assert from 'node:assert/strict';
import type { Failure } from '../../src/contract/analysis/answers.ts';
import type { Problem } from '../../src/contract/problem.ts';
import { ask, withQuery } from '../support/asking/ask.ts';

export type BothFailed = Problem & { psi: Failure; lighthouse: Failure; comparison: null };

/** Creates an assertion that both backends fail on a page with the same code. It returns the error of each. */
export const createBothFail = (service: { url: string }) =>
  async function assertBothFail(url: string, code: Problem['code'], pageStatus?: number): Promise<BothFailed> {
    const { status, body } = await ask<BothFailed>(service, withQuery('/compare', { url, categories: 'seo' }));
    assert.equal(status, 502, JSON.stringify(body).slice(0, 500));
    assert.deepEqual([body.code, body.source, body.comparison], [code, 'psi', null]);
    for (const source of ['psi', 'lighthouse'] as const) {
      const { error } = body[source];
      assert.deepEqual([error.code, error.source, error.page_status], [code, source, pageStatus], error.detail);
      assert.match(error.detail, /^[A-Z].*\.$/);
    }
    return body;
  };
