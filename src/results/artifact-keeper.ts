/** Takes copies of artifacts, for an entry that is kept. */
import type { ArtifactFolder } from './artifacts.ts';
import type { Backlog } from './backlog.ts';
import { type FaultCode, type StoreEvent, StoreFaultError } from './fault.ts';
import type { Recovery } from './recovery.ts';
import { isResultId } from './result-id.ts';
import { addArtifactRow } from './sql/artifact-rows.ts';
import type { SqlDatabase } from './sql/database.ts';
import { hasEntry } from './sql/entries.ts';
import type { Kept, ResultStore } from './store.ts';
import type { Sweeper } from './sweeper.ts';
import { toSystemFault } from './system-fault.ts';

export function createArtifactKeeper({
  database,
  folder,
  machineId,
  now,
  backlog,
  recovery,
  onEvent,
  removeArtifacts,
  onKept,
}: {
  database: SqlDatabase;
  folder: ArtifactFolder | undefined;
  machineId: string;
  now: () => number;
  backlog: Pick<Backlog, 'has'>;
  recovery: Pick<Recovery, 'report'>;
  onEvent: (event: StoreEvent) => void;
  removeArtifacts: Sweeper['removeArtifacts'];
  onKept: (bytes: number) => void;
}): ResultStore['keepArtifacts'] {
  const notKept = (fault: { code: FaultCode; message: string }): Kept => ({
    kept: false,
    isWaiting: false,
    fault: { ...fault, atMs: now() },
  });
  const refuse = (message: string): Kept => notKept({ code: 'not_acceptable', message });

  return async (id, sources) => {
    if (!isResultId(id)) return refuse('The id is not a UUID of version 7.');
    if (folder === undefined) return refuse('This store has no folder for artifacts.');
    try {
      const bytes = await folder.add(id, sources);
      await addArtifactRow(database, machineId, { id, bytes, keptAtMs: now() });
      // Copying takes a while, in which a client may forget the entry. Who forgets it after this removes them as well.
      if (!backlog.has(id) && !(await hasEntry(database, id))) {
        await removeArtifacts([id]);
        return refuse('The entry of these artifacts is not kept.');
      }
      onKept(bytes);
      return { kept: true };
    } catch (error) {
      await folder.remove([id]).catch(() => {});
      if (error instanceof StoreFaultError) return notKept(recovery.report(error));
      const fault = { ...toSystemFault(error, 'The artifacts could not be kept'), atMs: now() };
      onEvent({ event: 'fault', fault });
      return notKept(fault);
    }
  };
}
