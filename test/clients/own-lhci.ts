/** The Lighthouse CI command in its own folder; its environment has only the PATH, the folder as HOME, and CI=1. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';
import type { Scope } from '../support/start-service.ts';

const command = createRequire(import.meta.url).resolve('@lhci/cli/src/cli.js');
const guard = new URL('loopback-only.ts', import.meta.url).href;

/** @param service the service that the command collects from */
export async function createLhci(scope: Scope, service: { url: string }) {
  const endpoint = `${service.url}/pagespeedonline/v5/runPagespeed`;
  const folder = await mkdtemp(join(tmpdir(), 'rangelight-lhci-'));
  scope.after(() => rm(folder, { recursive: true, force: true }));

  type End = { status: number | null; output: string };

  /** @param environment additional variables */
  async function lhciIn(environment: Record<string, string>, ...parameters: string[]): Promise<End> {
    const child = spawn(process.execPath, ['--import', guard, command, ...parameters], {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder, CI: '1', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const exited = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
    const [output, errors, status] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
    return { status, output: stripVTControlCharacters(output + errors) };
  }

  const lhci = (...parameters: string[]) => lhciIn({}, ...parameters);

  const configure = (collect: object, assertions: object = {}, upload?: object) =>
    writeFile(
      join(folder, 'lighthouserc.json'),
      JSON.stringify({
        ci: {
          collect: { method: 'psi', psiApiKey: 'any', psiApiEndpoint: endpoint, numberOfRuns: 1, ...collect },
          assert: { assertions },
          upload,
        },
      }),
    );

  return { endpoint, folder, lhci, lhciIn, configure };
}
