import type { LocalAnalyser } from '../../measure/lighthouse/pool.ts';
import type { ResultStore } from '../../storage/results/store.ts';

/** Max number of attempts: compression renames the files of a new result one after the other. */
const mostTries = 4;

/**
 * Copies the stored artifacts of a load for a re-audit. They exist until they are released.
 * @returns undefined if the artifacts are not on this machine, or the disk is full
 */
export async function adoptStored(
  store: Pick<ResultStore, 'artifacts'>,
  local: Pick<LocalAnalyser, 'adopt'>,
  id: string,
): Promise<string | undefined> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const { trace, network_log: log, gathered } = (await store.artifacts(id)) ?? {};
    if (!trace || !log || !gathered) return undefined;
    const files = { trace: trace.path, networkLog: log.path, gathered: gathered.path };
    const adopted = await local.adopt(files);
    if (adopted !== undefined) return adopted;
  }
  return undefined;
}
