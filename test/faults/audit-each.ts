import assert from 'node:assert/strict';
import { test } from 'node:test';
import PQueue from 'p-queue';
import { type ErrorCode, errorTable } from '../../src/contract/errors.ts';
import type { Problem } from '../../src/contract/problem.ts';
import type { Result } from '../../src/contract/result/result.ts';
import { type Answer, ask, withQuery } from '../support/asking/ask.ts';
import { type Outcome, outcomesOf, pageStatusOf } from './expectations.ts';
import type { FaultName, FaultSite } from './fault-site.ts';

type Settled = Answer<Problem | Result>;
type Place = { service: { url: string }; site: FaultSite; path?: '/lighthouse' | '/psi' };

const describe = (outcomes: readonly Outcome[]) => outcomes.join(' or ');

function assertMeasured({ status, body }: Settled): void {
  assert.equal(status, 200, JSON.stringify(body).slice(0, 500));
  assert.ok('scores' in body && 'seo' in body.scores);
  assert.ok(!('code' in body));
}

function assertFailed({ status, body, headers, text }: Settled, name: FaultName, source: 'psi' | 'lighthouse'): void {
  assert.ok('code' in body, `it was measured: ${text.slice(0, 300)}`);
  const code = body.code as ErrorCode;
  assert.ok(outcomesOf(name).includes(code), `${code} (${body.lighthouse_code}): ${body.detail}`);
  assert.equal(status, errorTable[code].status);
  assert.equal(headers.get('content-type'), 'application/problem+json');
  assert.equal(body.source, source);
  assert.equal(body.page_status, pageStatusOf(name));
  assert.match(body.detail, /^[A-Z].*\.$/);
  assert.doesNotMatch(text, /"scores"|"score"/, 'a failed page has no score');
}

/** The service runs two audits at a time. A client that asked for all at once would give up before the last ones began. */
const asking = new PQueue({ concurrency: 3 });

/** Registers a test for each fault. They are requested before their tests run. */
export function auditEach(names: readonly FaultName[], { service, site, path = '/lighthouse' }: Place): void {
  for (const name of names) {
    const target = withQuery(path, { url: site.urlOf(name), strategy: 'mobile', categories: 'seo' });
    const answered = asking.add(() => ask<Problem | Result>(service, target));
    answered.catch(() => {});
    const outcomes = outcomesOf(name);
    test(`${path}: ${name} is ${describe(outcomes)}`, async () => {
      const answer = await answered;
      if (outcomes.includes('measured') && (answer.status === 200 || outcomes.length === 1)) assertMeasured(answer);
      else assertFailed(answer, name, path === '/psi' ? 'psi' : 'lighthouse');
    });
  }
}
