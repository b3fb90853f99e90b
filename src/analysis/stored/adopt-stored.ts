import type { LocalAnalyser } from '../../measure/lighthouse/pool.ts';
import type { ResultStore } from '../../storage/results/store.ts';

/** The files of a new result are compressed one after the other, and each has another name then. */
const mostTries = 4;

/**
 * Takes copies of the stored artifacts of a load, to audit it again until they are released.
 * @returns undefined when they are not here, or there is no room for them
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
