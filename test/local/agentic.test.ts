/** The fifth category of Lighthouse 13: measured if it is named, and counted as Lighthouse's own report counts it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReportUtils } from 'lighthouse/report/renderer/report-utils.js';
import type { Result } from '../../src/contract/result/result.ts';
import { runCli } from '../cli/run-cli.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { usualAudits } from '../support/audits/quick-audits.ts';
import { startLocalServer } from '../support/sites/local-server.ts';
import { startService } from '../support/start-service.ts';

type Full = Result & {
  lighthouse_result: {
    audits: Record<string, unknown>;
    categories: Record<string, { auditRefs: { id: string; result?: unknown }[] }>;
  };
};

/** A button without a name, which accessibility trees of agents cannot use. */
const page = `<!doctype html><html lang="en"><title>A page</title><meta name="viewport" content="width=device-width">
<body><p>Text enough for a page.</p><button></button></body></html>`;

test("agentic browsing is Lighthouse's fraction in the result, on the command line and in assertions", async t => {
  const { url } = await startLocalServer(t, (_request, response) => {
    response.setHeader('content-type', 'text/html').end(page);
  });
  const service = await startService(t, {}, undefined, { audits: usualAudits });
  const { status, body } = await ask<Full>(
    service,
    withQuery('/lighthouse', { url, categories: 'seo,agentic-browsing' }),
  );
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(Object.keys(body.scores), ['seo']);
  const { audits, categories } = body.lighthouse_result;
  const auditRefs = categories['agentic-browsing']?.auditRefs.map(ref => ({ ...ref, result: audits[ref.id] })) ?? [];
  const { numPassed, numPassableAudits } = ReportUtils.calculateCategoryFraction({ auditRefs });
  assert.deepEqual(body.agentic_browsing, { passed: numPassed, total: numPassableAudits });
  assert.ok(numPassableAudits > numPassed && numPassed > 0, JSON.stringify(body.agentic_browsing));
  const found = body.failed_audits.find(({ id }) => id === 'agent-accessibility-tree');
  assert.deepEqual([found?.categories, found?.points], [['agentic-browsing'], 0]);

  const named = ['--categories', 'agentic-browsing', '--server', service.url];
  const { code, stdout } = await runCli(t, [url, ...named, '--assert', 'agentic-browsing>=100']);
  assert.equal(code, 1, stdout);
  assert.match(stdout, new RegExp(`Agentic browsing +${numPassed}/${numPassableAudits} +audits passed`));
  const without = await runCli(t, [url, '--server', service.url, '--assert', 'agentic-browsing>=50']);
  assert.equal(without.code, 2);
  assert.match(without.stderr, /needs the category agentic-browsing, which must be in --categories/);
});
