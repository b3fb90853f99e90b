/**
 * A real CPU limit for a process and its descendants: a control group, as for a container. A busy neighbour, or a
 * process that signals stop and continue, does not behave like one.
 */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';

export type CpuLimit = {
  /** Command prefix that joins the control group before the command starts. */
  readonly prefix: readonly string[];
  /** Removes the group, which must be empty. */
  close(): void;
};

const root = '/sys/fs/cgroup';
const periodUs = 100_000;

type Kind = { parent: string; limit: (folder: string, quotaUs: number) => void };

const second: Kind = {
  parent: root,
  limit: (folder, quotaUs) => writeFileSync(`${folder}/cpu.max`, `${quotaUs} ${periodUs}`),
};
const first = (parent: string): Kind => ({
  parent,
  limit(folder, quotaUs) {
    writeFileSync(`${folder}/cpu.cfs_period_us`, `${periodUs}`);
    writeFileSync(`${folder}/cpu.cfs_quota_us`, `${quotaUs}`);
  },
});

function findKind(): Kind {
  const controllers = `${root}/cgroup.controllers`;
  if (existsSync(controllers) && readFileSync(controllers, 'utf8').split(/\s+/).includes('cpu')) {
    writeFileSync(`${root}/cgroup.subtree_control`, '+cpu');
    return second;
  }
  const found = ['cpu,cpuacct', 'cpu'].map(name => `${root}/${name}`).find(path => existsSync(`${path}/cgroup.procs`));
  if (!found) throw new Error('there is no control group for the processor here');
  return first(found);
}

/**
 * @param share of one CPU, for all processes of the group together
 * @throws Error if this machine allows no control group; root outside a container may create one
 */
export function createCpuLimit(share: number): CpuLimit {
  const { parent, limit } = findKind();
  const folder = `${parent}/rangelight-bench-${process.pid}`;
  mkdirSync(folder);
  try {
    limit(folder, Math.round(share * periodUs));
  } catch (error) {
    rmdirSync(folder);
    throw error;
  }
  return {
    prefix: ['/bin/sh', '-c', `echo $$ > ${folder}/cgroup.procs && exec "$@"`, 'sh'],
    close: () => rmdirSync(folder),
  };
}
