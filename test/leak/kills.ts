/** What is left after a process of the service was killed: browser, worker, or the service itself. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { projectRoot } from '../contract/source-files.ts';
import type { FaultSite } from '../faults/fault-site.ts';
import { readGreeting } from '../support/start-process.ts';
import type { Scope } from '../support/start-service.ts';
import { audit, becomes, isAtRest, killDuringAudit, occupyNow, type Victim } from './audits.ts';
import { descendantsOf, isAlive, killProcess } from './process-tree.ts';
import {
  childEnvironment,
  foldersIn,
  makeTemporaryFolder,
  removeTemporaryFolder,
  type ServiceProcess,
} from './service-process.ts';

export type Kill = {
  victim: Victim | 'service';
  /** The client's answer and its delay; undefined if the service was killed. */
  code: string | undefined;
  answeredSeconds: number | undefined;
  /** Seconds until nothing of the audit was left; undefined if something was left after 10 s. */
  goneSeconds: number | undefined;
  nextAudit: number;
};

const graceMs = 10_000;

const secondsUntil = async (isSo: () => boolean | Promise<boolean>): Promise<number | undefined> => {
  const begun = performance.now();
  return (await becomes(isSo, graceMs)) ? (performance.now() - begun) / 1000 : undefined;
};

export async function killWithinService(service: ServiceProcess, site: FaultSite, victim: Victim): Promise<Kill> {
  const { code, seconds } = await killDuringAudit(service, site, victim);
  const goneSeconds = await secondsUntil(() => isAtRest(service));
  const { status } = await audit(service, site, 'fine');
  return { victim, code, answeredSeconds: seconds, goneSeconds, nextAudit: status };
}

type Started = { url: string; pid: number; kill(): Promise<void> };

/** Starts the service as a user does. */
async function startMain(scope: Scope, folder: string, settings: Record<string, string> = {}): Promise<Started> {
  const child = spawn(process.execPath, ['src/service/main.ts'], {
    cwd: projectRoot,
    env: childEnvironment(folder, settings),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const kill = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  scope.after(kill);
  const [line] = await once(createInterface(child.stdout), 'line');
  const { url } = readGreeting(String(line)) ?? {};
  if (!url) throw new Error(`the service did not start: ${line}`);
  return { url, pid: child.pid ?? 0, kill };
}

/**
 * Kills the service during two audits and with a spare browser; the next service starts with the same temporary folder.
 */
export async function killService(scope: Scope, site: FaultSite): Promise<Kill & { foldersAfterStart: number }> {
  const folder = makeTemporaryFolder();
  scope.after(() => removeTemporaryFolder(folder));
  const first = await startMain(scope, folder, { LIGHTHOUSE_SPARE: 'on' });
  await Promise.all([occupyNow(first, site), occupyNow(first, site)]);
  const children = descendantsOf(first.pid);
  try {
    await first.kill();
    const goneSeconds = await secondsUntil(() => !children.some(isAlive));
    const next = await startMain(scope, folder);
    const { status } = await audit(next, site, 'fine');
    await becomes(() => foldersIn(folder).length === 0, graceMs);
    const foldersAfterStart = foldersIn(folder).length;
    await next.kill();
    return {
      victim: 'service',
      code: undefined,
      answeredSeconds: undefined,
      goneSeconds,
      nextAudit: status,
      foldersAfterStart,
    };
  } finally {
    // These processes are descendants of the service that this function started.
    for (const child of children) killProcess(child);
  }
}
