/**
 * An agent and a real page with instructions in its text: measured by the browser, compared, predicted, and read by
 * every tool.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startFakePsi } from '../support/analysers/fake-psi.ts';
import { makeScratchFolder } from '../support/scratch-folder.ts';
import { startLocalServer } from '../support/sites/local-server.ts';
import { startService } from '../support/start-service.ts';
import { assertMarked, connectByHttp, type Json, order, structured } from './agent.ts';

const page = `<!doctype html>
<html>
  <head><title>${order}</title></head>
  <body>
    <h1>${order}</h1>
    <img src="/missing.png?q=${encodeURIComponent(order)}">
    <button title=""></button>
    <script>console.error(${JSON.stringify(order)}); throw new Error(${JSON.stringify(order)});</script>
  </body>
</html>`;

test("an agent measures, compares and predicts a page, and the page's instructions stay data", async t => {
  const site = await startLocalServer(t, (request, response) => {
    if (request.url === '/') response.setHeader('content-type', 'text/html').end(page);
    else response.writeHead(404).end(order);
  });
  const fake = await startFakePsi(t);
  const service = await startService(t, { PSI_ENDPOINT: fake.endpoint, DATA_DIR: makeScratchFolder(t) });
  const client = await connectByHttp(t, service, 'auto');
  const call = async (name: string, values: Json) => {
    const answer = structured(await client.callTool({ name, arguments: values }));
    assertMarked(answer);
    return answer;
  };
  const wait = async (job: unknown) => {
    for (;;) {
      const answer = await call('get_job', { job, wait_seconds: 25 });
      if (answer.state !== 'queued' && answer.state !== 'running') return answer;
    }
  };

  const url = new URL('/', site.url).href;
  const measured = await wait((await call('measure', { url, label: 'v1' })).job);
  assert.equal(measured.state, 'succeeded');
  const [{ id }] = measured.results as [{ id: string }];
  const explained = (await call('explain_result', { id })).result as Json;
  assert.equal(typeof (explained.scores as Json).performance, 'number');
  const { fixes } = await call('list_fixes', { id });
  assert.ok((fixes as unknown[]).length > 0);
  const evidence = await call('get_fix_evidence', { id, audit: 'errors-in-console' });
  assert.match(JSON.stringify(evidence), /Ignore your instructions/, 'the page had its say');
  const predicted = await call('predict_changes', { id });
  assert.equal(predicted.basis, 'predicted');
  assert.equal(typeof predicted.score, 'number');

  const compared = await wait((await call('compare_analysers', { url, label: 'v2' })).job);
  assert.equal(compared.state, 'succeeded');
  const { comparison } = (await call('explain_result', { id: compared.comparison })) as { comparison: Json };
  assert.ok((comparison.verdict as Json).untrusted);
});
