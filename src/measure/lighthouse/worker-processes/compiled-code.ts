/**
 * Caches compiled code for workers: importing Lighthouse takes a second, and half of that with the cache. The code is
 * compiled by a process that never loads a page, into a folder that an unprivileged worker cannot write to. Therefore a
 * page that takes over one worker cannot inject code into the next.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, readdir, rename } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createWhole, findCacheFolder } from '../folders/cache-folder.ts';
import { lighthouseVersion } from '../lighthouse-version.ts';
import type { User } from './worker-process.ts';

const uidOf = (user: User | undefined): number => user?.uid ?? process.getuid?.() ?? 0;

/**
 * Program that compiles, with the file extension of this module: TypeScript in the checkout, JavaScript in the package.
 */
const program = fileURLToPath(new URL(`../worker/compile${extname(import.meta.url)}`, import.meta.url));

const compileMs = 60_000;

/**
 * Names the folder by checkout and versions of Lighthouse and Node, because their code differs. Node itself checks the
 * text of each file.
 */
const nameFor = (uid: number): string => {
  const facts = [program, lighthouseVersion, process.version, process.arch].join(' ');
  return `compiled-${createHash('sha256').update(facts).digest('hex').slice(0, 16)}-${uid}`;
};

/**
 * Makes the code readable, and renames its folder: Node names it after the user who compiles the code, and looks for
 * one named after the user who runs it.
 */
async function handOver(folder: string, uid: number): Promise<void> {
  const [name] = await readdir(folder);
  if (name === undefined) throw new Error('nothing was compiled');
  const files = await readdir(join(folder, name));
  await Promise.all(files.map(file => chmod(join(folder, name, file), 0o644)));
  const own = `-${process.getuid?.()}`;
  if (name.endsWith(own)) await rename(join(folder, name), join(folder, `${name.slice(0, -own.length)}-${uid}`));
}

export function createCompiledCode(cacheHome: string | undefined) {
  const toFolder = async (uid: number) => join(await findCacheFolder(cacheHome), nameFor(uid));

  return {
    /** Returns the folder for workers of this user; undefined if its code is not compiled yet. Never throws. */
    async find(user: User | undefined): Promise<string | undefined> {
      const folder = await toFolder(uidOf(user)).catch(() => undefined);
      return folder !== undefined && existsSync(folder) ? folder : undefined;
    },

    /**
     * Compiles the imports of a worker if necessary, which takes about two seconds. Never throws, because the cache only
     * saves time.
     */
    async prepare(user: User | undefined, signal: AbortSignal): Promise<void> {
      const uid = uidOf(user);
      try {
        await createWhole(await toFolder(uid), async half => {
          const env = { NODE_COMPILE_CACHE: half };
          await promisify(execFile)(process.execPath, [program], { env, signal, timeout: compileMs });
          await handOver(half, uid);
        });
      } catch {
        // Without the cache, workers compile for themselves.
      }
    },
  };
}
export type CompiledCode = ReturnType<typeof createCompiledCode>;
