/** Contract section 1: the size of an answer, and its content. These tests start no browser. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Result } from '../../src/contract/result/result.ts';
import { startFakePsi, toPsiBody } from '../support/analysers/fake-psi.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { buildAudit, buildCategory, buildMetricAudits, buildRef, metricRefs } from '../support/builders/lhr.ts';
import { startService } from '../support/start-service.ts';

const url = 'https://example.com/';
const picture = `data:image/png;base64,${'A'.repeat(5_000)}`;

/** Two hundred failed audits with pictures and long text in every field that a page can influence. */
const heavy = () => {
  const ids = Array.from({ length: 200 }, (_, index) => `audit-${index}`);
  const long = `${picture} ${'words '.repeat(500)}`;
  const audits = ids.map(id =>
    buildAudit(id, { score: 0, title: long, description: long, displayValue: long, errorMessage: long }),
  );
  return {
    finalDisplayedUrl: `https://example.com/?${'q'.repeat(50_000)}`,
    runWarnings: Array(100).fill(long),
    audits: Object.fromEntries([...buildMetricAudits(), ...audits].map(audit => [audit.id, audit])),
    categories: {
      performance: buildCategory('performance', [...metricRefs, ...ids.map(id => buildRef(id))]),
      seo: buildCategory(
        'seo',
        ids.map(id => buildRef(id)),
      ),
    },
  };
};

async function measure(t: TestContext) {
  const fake = await startFakePsi(t);
  fake.answerWith(call => ({ body: toPsiBody(call, heavy()) }));
  const service = await startService(t, { PSI_ENDPOINT: fake.endpoint });
  return (detailed: boolean) => ask<Result>(service, withQuery('/psi', { url, strategy: 'mobile', detailed }));
}

test('a summary is under 40 KB for any page and contains no base64', async t => {
  const { status, text, body } = await (await measure(t))(false);
  assert.equal(status, 200);
  assert.ok(Buffer.byteLength(text) < 40 * 1024, `${Buffer.byteLength(text)} bytes`);
  assert.doesNotMatch(text, /base64/);
  assert.ok(body.failed_audits.length > 0);
});

test('the full audit data are as the analyser sent them, with base64', async t => {
  const { body } = await (await measure(t))(true);
  const { audits, runWarnings } = heavy();
  const full = body.lighthouse_result as { audits: object; runWarnings: string[] };
  assert.deepEqual(full.audits, audits);
  assert.deepEqual(full.runWarnings, runWarnings);
});
