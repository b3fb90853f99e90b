/** Folder and network access of one browser, created and removed together. */

import type { Gate } from '../../egress/egress-proxy.ts';
import { orAbort } from '../../fair-turns.ts';
import { firstLine, unavailable } from '../audit-failure.ts';
import type { Sandbox } from '../browser/sandbox.ts';
import type { OpenGate } from '../egress.ts';
import type { AuditFolders } from '../folders/audit-folders.ts';
import type { BrowserLaunch, BrowserSettings } from '../messages.ts';

/** Settings of a browser without its network access. */
export type WantedBrowser = Omit<BrowserSettings, 'proxyUrl'>;

export type Base = { gate: Gate; launch: BrowserLaunch };

export type BasesSettings = {
  folders: Pick<AuditFolders, 'create' | 'remove' | 'toShortPath'>;
  openGate: OpenGate;
  sandbox: Sandbox;
};

/** Returns whether giving the folder to another user was denied. */
const isDenied = (error: unknown): boolean => error instanceof Error && 'syscall' in error && error.syscall === 'chown';

/** @param keepTrack receives removals that continue after an abort */
export function createBases(
  { folders, openGate, sandbox }: BasesSettings,
  keepTrack: (work: Promise<unknown>) => Promise<unknown>,
) {
  async function createFolder(): Promise<string> {
    const { user } = sandbox.plan();
    try {
      return await folders.create(user);
    } catch (error) {
      const reason = firstLine(error instanceof Error ? error.message : String(error));
      // Root in a container may not be allowed to use another user.
      if (user && isDenied(error) && sandbox.loseUser(reason)) return createFolder();
      throw unavailable(`there is no room for an audit (${reason})`, error);
    }
  }

  async function makeFolder(signal: AbortSignal): Promise<string> {
    const creating = createFolder();
    try {
      return await orAbort(creating, signal);
    } catch (error) {
      if (signal.aborted) void keepTrack(creating.then(folders.remove)).catch(() => {});
      throw error;
    }
  }

  return {
    /** @throws AnalysisError `lighthouse_unavailable`, or the signal's reason */
    async open(wanted: WantedBrowser, signal: AbortSignal): Promise<Base> {
      const folder = await makeFolder(signal);
      try {
        const [gate, scratch] = await Promise.all([openGate(), folders.toShortPath(folder)]);
        return { gate, launch: { browser: { ...wanted, proxyUrl: gate.proxyUrl }, folder, scratch } };
      } catch (error) {
        await folders.remove(folder);
        throw error;
      }
    },

    async close({ gate, launch }: Base): Promise<void> {
      gate.close();
      await folders.remove(launch.folder);
    },
  };
}
