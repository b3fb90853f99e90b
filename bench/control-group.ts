/** A real limit of memory for a process and its descendants: a control group, as for a container. */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';

export type ControlGroup = {
  /** Command prefix that joins the control group before the command starts. */
  readonly prefix: readonly string[];
  /** Removes the group, which must be empty. */
  close(): void;
};

const root = '/sys/fs/cgroup';

/** Returns the parent of the group, and its limits by file, for both versions of control groups. */
function findPlace(bytes: number): { parent: string; limits: Record<string, number> } {
  const controllers = `${root}/cgroup.controllers`;
  if (existsSync(controllers) && readFileSync(controllers, 'utf8').split(/\s+/).includes('memory')) {
    writeFileSync(`${root}/cgroup.subtree_control`, '+memory');
    return { parent: root, limits: { 'memory.max': bytes, 'memory.swap.max': 0 } };
  }
  if (!existsSync(`${root}/memory/cgroup.procs`)) throw new Error('there is no control group for memory here');
  return { parent: `${root}/memory`, limits: { 'memory.limit_in_bytes': bytes } };
}

/** @throws Error if this machine allows no control group; root outside a container may create one */
export function createMemoryLimit(bytes: number): ControlGroup {
  const { parent, limits } = findPlace(bytes);
  const folder = `${parent}/rangelight-bench-${process.pid}`;
  mkdirSync(folder);
  try {
    for (const [name, limit] of Object.entries(limits)) writeFileSync(`${folder}/${name}`, `${limit}`);
  } catch (error) {
    rmdirSync(folder);
    throw error;
  }
  return {
    prefix: ['/bin/sh', '-c', `echo $$ > ${folder}/cgroup.procs && exec "$@"`, 'sh'],
    close: () => rmdirSync(folder),
  };
}
