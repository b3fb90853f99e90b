/** The Lighthouse CI command with a page that fails: see lhci.test.ts. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startPages } from '../support/sites/pages.ts';
import { startService } from '../support/start-service.ts';
import { createLhci } from './own-lhci.ts';

const pages = await startPages({ after });
const service = await startService({ after });
const { endpoint, lhci, configure } = await createLhci({ after }, service);

test('lhci shows why a page could not be measured', async () => {
  await configure({});
  const { status, output } = await lhci('collect', `--url=${pages.url}/pdf`, `--psiApiEndpoint=${endpoint}`);
  assert.equal(status, 1, output);
  assert.match(output, /PSI Failed \(400\): Lighthouse returned error: NOT_HTML\./);
});
