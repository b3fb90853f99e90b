import type { Analyser } from '../contract/result/result.ts';
import { type SideNames, toSideNames } from '../presentation/side-names.ts';
import { columnsOfJob, type Measured } from './jobs.ts';

/** A name is not worth a longer wait. */
const healthTimeoutMs = 2000;

type RemoteKind = Exclude<Analyser['kind'], 'local'>;
const isRemoteKind = (kind: unknown): kind is RemoteKind => ['google', 'embedded', 'custom'].includes(`${kind}`);

async function askHealth(baseUrl: string, signal: AbortSignal): Promise<Analyser | undefined> {
  try {
    const response = await fetch(new URL('health', baseUrl), {
      signal: AbortSignal.any([signal, AbortSignal.timeout(healthTimeoutMs)]),
    });
    const { psi } = (await response.json()) as { psi?: { analyser?: unknown } };
    return isRemoteKind(psi?.analyser) ? { kind: psi.analyser } : undefined;
  } catch {
    return undefined;
  }
}

/** The names of the sides: a result knows its analyser; where every remote analysis failed, the service is asked. */
export async function findNames(all: readonly Measured[], baseUrl: string, signal: AbortSignal): Promise<SideNames> {
  const columns = all.flatMap(columnsOfJob).filter(({ source }) => source === 'psi');
  const measured = columns.find(({ part }) => part.ok)?.part;
  if (measured?.ok) return toSideNames(measured.result.analyser);
  return toSideNames(columns.length > 0 ? await askHealth(baseUrl, signal) : undefined);
}
