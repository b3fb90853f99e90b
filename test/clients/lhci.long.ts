/** What Lighthouse CI's own command shows of a page that fails: see lhci.test.ts. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { startPages } from '../support/pages.ts';
import { startService } from '../support/start-service.ts';

const command = createRequire(import.meta.url).resolve('@lhci/cli/src/cli.js');
const guard = new URL('loopback-only.ts', import.meta.url).href;

const pages = await startPages({ after });
const service = await startService({ after });
const endpoint = `${service.url}/pagespeedonline/v5/runPagespeed`;

const folder = await mkdtemp(join(tmpdir(), 'rangelight-lhci-'));
after(() => rm(folder, { recursive: true, force: true }));

/** Runs `lhci` with nothing of this process's surroundings but the path. */
async function lhci(...parameters: string[]): Promise<{ status: number | null; output: string }> {
  const child = spawn(process.execPath, ['--import', guard, command, ...parameters], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, CI: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exited = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  const [output, errors, status] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  return { status, output: stripVTControlCharacters(output + errors) };
}

const configure = (collect: object, assertions: object = {}) =>
  writeFile(
    join(folder, 'lighthouserc.json'),
    JSON.stringify({
      ci: {
        collect: { method: 'psi', psiApiKey: 'any', psiApiEndpoint: endpoint, numberOfRuns: 1, ...collect },
        assert: { assertions },
      },
    }),
  );

test('lhci shows why a page could not be measured', async () => {
  await configure({});
  const { status, output } = await lhci('collect', `--url=${pages.url}/pdf`, `--psiApiEndpoint=${endpoint}`);
  assert.equal(status, 1, output);
  assert.match(output, /PSI Failed \(400\): Lighthouse returned error: NOT_HTML\./);
});
