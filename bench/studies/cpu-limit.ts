/**
 * A real limit of the processor, for a process and all that it starts: a control group of the kernel, as a container has
 * one. A busy neighbour is no such limit, and a process that is stopped and continued by signals is none either.
 */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';

export type CpuLimit = {
  /** What a command is started with, to be in the group from its first instruction on. */
  readonly prefix: readonly string[];
  /** Once nothing is left in it. */
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
 * @param share of one processor, for all processes of the group together
 * @throws where this machine lets nobody make one: as root, outside a container, it does
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
