import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

const read = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return undefined;
  }
};

/** `50000 100000`: half a processor; `max 100000` and `-1 100000`: no limit. */
const toQuota = (text: string): number | undefined => {
  const [, quota, period] = /^(\d+) (\d+)$/.exec(text) ?? [];
  return quota !== undefined && Number(period) > 0 ? Number(quota) / Number(period) : undefined;
};

/** The folder of a control group and of all above it. */
const toFolders = (path: string): string[] => {
  const names = path.split('/').filter(name => name !== '');
  return ['', ...names.map((_, at) => `/${names.slice(0, at + 1).join('/')}`)];
};

/** How a version of control groups names the one of a process, where it is, and its files of quota and period. */
const versions = [
  { own: /^0::(\/.*)$/m, root: '', files: ['cpu.max'] },
  {
    own: /^\d+:(?:[^:\n]*,)?cpu(?:,[^:\n]*)?:(\/.*)$/m,
    root: '/cpu',
    files: ['cpu.cfs_quota_us', 'cpu.cfs_period_us'],
  },
] as const;

/**
 * How many processors this process and its children may use: fewer than the machine has in a container with a limit.
 * @param root where control groups are, of either version
 * @param own names the ones of this process
 */
export function readProcessors(root = '/sys/fs/cgroup', own = '/proc/self/cgroup'): number {
  const groups = read(own) ?? '';
  const quotas = versions.flatMap(version =>
    // A container sees its own group as the root, whatever its name is outside.
    toFolders(version.own.exec(groups)?.[1] ?? '/').flatMap(
      folder => toQuota(version.files.map(file => read(`${root}${version.root}${folder}/${file}`)).join(' ')) ?? [],
    ),
  );
  return Math.min(availableParallelism(), ...quotas);
}
