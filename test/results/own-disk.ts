/** A disk of the test, small enough to be filled. Only root may mount one. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Scope } from '../support/start-service.ts';

export const run = (program: string, ...args: readonly string[]): void =>
  void execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });

/** Returns undefined if mounting is not permitted. */
export function mountDisk(scope: Scope, megabytes: number): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'rangelight-disk-'));
  try {
    run('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder);
  } catch {
    rmdirSync(folder);
    return undefined;
  }
  scope.after(() => {
    run('umount', '--lazy', folder);
    rmdirSync(folder);
  });
  return folder;
}
