import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

const read = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return undefined;
  }
};

/** Parses a quota: `50000 100000` is half a CPU; `max 100000` and `-1 100000` are unlimited. */
const toQuota = (text: string): number | undefined => {
  const [, quota, period] = /^(\d+) (\d+)$/.exec(text) ?? [];
  return quota !== undefined && Number(period) > 0 ? Number(quota) / Number(period) : undefined;
};

/** Returns the folders of a control group and of all its parents. */
const toFolders = (path: string): string[] => {
  const names = path.split('/').filter(name => name !== '');
  return ['', ...names.map((_, at) => `/${names.slice(0, at + 1).join('/')}`)];
};

/** Versions of control groups: how to find the group of a process, its folder, and the files of quota and period. */
const versions = [
  { own: /^0::(\/.*)$/m, root: '', files: ['cpu.max'] },
  {
    own: /^\d+:(?:[^:\n]*,)?cpu(?:,[^:\n]*)?:(\/.*)$/m,
    root: '/cpu',
    files: ['cpu.cfs_quota_us', 'cpu.cfs_period_us'],
  },
] as const;

/**
 * Returns the number of CPUs that this process and its children may use. In a container with a limit, it is lower than
 * that of the machine.
 * @param root folder of the control groups, of either version
 * @param own file that lists the groups of this process
 */
export function readProcessors(root = '/sys/fs/cgroup', own = '/proc/self/cgroup'): number {
  const groups = read(own) ?? '';
  const quotas = versions.flatMap(version =>
    // A container sees its own group as the root, whatever its name outside the container.
    toFolders(version.own.exec(groups)?.[1] ?? '/').flatMap(
      folder => toQuota(version.files.map(file => read(`${root}${version.root}${folder}/${file}`)).join(' ')) ?? [],
    ),
  );
  return Math.min(availableParallelism(), ...quotas);
}
