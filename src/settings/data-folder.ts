import { posix, win32 } from 'node:path';

type System = {
  readonly env: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
  readonly isRoot: boolean;
};

/**
 * Where a program of this system keeps its state: of the user, or of the machine for root. Undefined where the user has
 * no folder at all, as some services have none.
 */
export function findDataFolder({ env, platform, isRoot }: System): string | undefined {
  const { HOME, XDG_STATE_HOME, LOCALAPPDATA } = env;
  if (platform === 'win32') return LOCALAPPDATA && win32.join(LOCALAPPDATA, 'Rangelight');
  // The base directory specification of freedesktop.org: a path that is not absolute does not count.
  if (XDG_STATE_HOME && posix.isAbsolute(XDG_STATE_HOME)) return posix.join(XDG_STATE_HOME, 'rangelight');
  if (isRoot && platform !== 'darwin') return '/var/lib/rangelight';
  if (!HOME || !posix.isAbsolute(HOME)) return undefined;
  return platform === 'darwin'
    ? posix.join(HOME, 'Library', 'Application Support', 'Rangelight')
    : posix.join(HOME, '.local', 'state', 'rangelight');
}

/** @param given a folder, or `none`; undefined: where this system keeps it */
export const toDataDir = (given: string | undefined, env: NodeJS.ProcessEnv): string | undefined =>
  given === 'none'
    ? undefined
    : (given ?? findDataFolder({ env, platform: process.platform, isRoot: process.getuid?.() === 0 }));
