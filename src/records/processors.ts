import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

const read = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return undefined;
  }
};

/** `50000 100000`: half a processor; `max 100000`: no limit. */
const toQuota = (text: string | undefined): number | undefined => {
  const [, quota, period] = /^(\d+) (\d+)$/.exec(text ?? '') ?? [];
  return quota !== undefined && Number(period) > 0 ? Number(quota) / Number(period) : undefined;
};

/** The folder of a control group and of all above it. */
const toFolders = (path: string): string[] => {
  const names = path.split('/').filter(name => name !== '');
  return ['', ...names.map((_, at) => `/${names.slice(0, at + 1).join('/')}`)];
};

/**
 * How many processors this process and its children may use: fewer than the machine has in a container with a limit.
 * @param root where control groups are, version 2
 * @param own names the one of this process
 */
export function readProcessors(root = '/sys/fs/cgroup', own = '/proc/self/cgroup'): number {
  const group = /^0::(\/.*)$/m.exec(read(own) ?? '')?.[1] ?? '/';
  const quotas = toFolders(group).flatMap(folder => toQuota(read(`${root}${folder}/cpu.max`)) ?? []);
  return Math.min(availableParallelism(), ...quotas);
}
