/** An audit with temporary files in a folder whose path is long, in a browser that makes a socket there. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import type { TestContext } from 'node:test';
import type { Health } from '../../src/contract/health.ts';
import type { Result } from '../../src/contract/result/result.ts';
import { ask, withQuery } from '../support/asking/ask.ts';
import { wrapBrowser } from '../support/audits/wrapped-browser.ts';
import { startPages } from '../support/sites/pages.ts';
import { startService } from '../support/start-service.ts';
import { moveTemporaryFiles } from '../support/temporary-files.ts';

/**
 * An installed Chrome makes a folder in TMPDIR and a socket in that, and does not start when the socket's path has more
 * than 107 bytes. The bundled browser makes none.
 */
const needsShortPath = [
  'socket="$TMPDIR/org.chromium.Chromium.XXXXXX/SingletonSocket"',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a parameter of the shell
  'if [ "${#socket}" -gt 107 ]; then echo "FATAL: Socket path too long: $socket" >&2; exit 1; fi',
  'mkdir "$TMPDIR/org.chromium.Chromium.XXXXXX" && touch "$socket" || exit 1',
].join('\n');

export const whyNot =
  process.platform === 'linux' ? undefined : 'skipped: Chrome on other systems puts its sockets elsewhere';

/** @param bytes the minimum length of the folder's path */
export async function assertAuditedIn(t: TestContext, bytes: number): Promise<void> {
  const browser = await wrapBrowser(t, [], needsShortPath);
  const folder = await moveTemporaryFiles(t, bytes);
  const pages = await startPages(t);
  const service = await startService(t, { CHROME_PATH: browser });
  const target = withQuery('/lighthouse', { url: `${pages.url}/good`, categories: 'seo' });
  const { status, text } = await ask<Result>(service, target);
  assert.equal(status, 200, text.slice(0, 500));
  assert.equal((await ask<Health>(service, '/health/ready')).status, 200);
  await service.close(0);
  assert.deepEqual(await readdir(folder), [], 'nothing is left of service and audits');
}
