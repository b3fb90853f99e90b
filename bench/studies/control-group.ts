/**
 * A real limit for a process and its descendants: a control group, as for a container. A busy neighbour, or a process
 * that signals stop and continue, does not behave like one.
 */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';

export type ControlGroup = {
  /** Command prefix that joins the control group before the command starts. */
  readonly prefix: readonly string[];
  /** Removes the group, which must be empty. */
  close(): void;
};

/** `cpu`: share of one CPU; `memory`: bytes. All processes of the group have them together. */
export type Limit = { readonly cpu: number } | { readonly memory: number };

const root = '/sys/fs/cgroup';
const periodUs = 100_000;

/** Files of a limit and their content, for both versions of control groups. */
const toFiles = (limit: Limit) => {
  if ('memory' in limit)
    return {
      controller: 'memory',
      first: { 'memory.limit_in_bytes': `${limit.memory}` },
      second: { 'memory.max': `${limit.memory}`, 'memory.swap.max': '0' },
    };
  const quotaUs = Math.round(limit.cpu * periodUs);
  return {
    controller: 'cpu',
    first: { 'cpu.cfs_period_us': `${periodUs}`, 'cpu.cfs_quota_us': `${quotaUs}` },
    second: { 'cpu.max': `${quotaUs} ${periodUs}` },
  };
};

function findPlace(limit: Limit): { parent: string; files: Record<string, string> } {
  const { controller, first, second } = toFiles(limit);
  const controllers = `${root}/cgroup.controllers`;
  if (existsSync(controllers) && readFileSync(controllers, 'utf8').split(/\s+/).includes(controller)) {
    writeFileSync(`${root}/cgroup.subtree_control`, `+${controller}`);
    return { parent: root, files: second };
  }
  const names = controller === 'cpu' ? ['cpu,cpuacct', 'cpu'] : [controller];
  const parent = names.map(name => `${root}/${name}`).find(path => existsSync(`${path}/cgroup.procs`));
  if (!parent) throw new Error(`there is no control group with the controller ${controller} here`);
  return { parent, files: first };
}

/** @throws Error if this machine allows no control group; root outside a container may create one */
export function createControlGroup(limit: Limit): ControlGroup {
  const { parent, files } = findPlace(limit);
  const folder = `${parent}/rangelight-bench-${process.pid}`;
  mkdirSync(folder);
  try {
    for (const [name, content] of Object.entries(files)) writeFileSync(`${folder}/${name}`, content);
  } catch (error) {
    rmdirSync(folder);
    throw error;
  }
  return {
    prefix: ['/bin/sh', '-c', `echo $$ > ${folder}/cgroup.procs && exec "$@"`, 'sh'],
    close: () => rmdirSync(folder),
  };
}
