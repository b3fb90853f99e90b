import { existsSync, renameSync, statSync } from 'node:fs';

/** The file of the database, and what belongs to it: the log may hold what was acknowledged last. */
const endings = ['', '-wal', '-shm'];

/**
 * Gives a corrupt database another name and returns it. Undefined when there is nothing to move: another process was
 * faster, or the file is gone.
 */
export function moveAside(path: string, nowMs: number): string | undefined {
  if (!existsSync(path) || statSync(path).size === 0) return undefined;
  const stamp = new Date(nowMs).toISOString().replaceAll(/[:.]/g, '-');
  const target = `${path.replace(/\.sqlite$/, '')}.corrupt-${stamp}.sqlite`;
  for (const ending of endings) if (existsSync(path + ending)) renameSync(path + ending, target + ending);
  return target;
}
