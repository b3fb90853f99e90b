/**
 * A reserve file, which is removed when the disk is full, because a database must write before it can remove data. It
 * contains random bytes, because some file systems allocate no space for zeros.
 */
import { randomFillSync } from 'node:crypto';
import { open, rm, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';

const chunkBytes = 256 * 1024;

export type Reserve = {
  /**
   * Creates the file with this size. It uses at most half of the free space, or its previous size if that is larger.
   * Never throws.
   * @param formerBytes size that was just released
   */
  take(bytes: number, formerBytes?: number): Promise<void>;
  /** Removes the file. @returns its size in bytes */
  release(): Promise<number>;
};

const sizeOf = async (path: string): Promise<number> => (await stat(path).catch(() => undefined))?.size ?? 0;

export function createReserve(path: string): Reserve {
  const write = async (bytes: number): Promise<void> => {
    const file = await open(path, 'w', 0o600);
    try {
      const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, bytes));
      for (let left = bytes; left > 0; left -= chunk.length)
        await file.write(randomFillSync(chunk), 0, Math.min(left, chunk.length));
      await file.datasync();
    } finally {
      await file.close();
    }
  };

  return {
    async take(bytes, formerBytes = 0) {
      try {
        const held = await sizeOf(path);
        if (held === bytes) return;
        const { bavail, bsize } = await statfs(dirname(path));
        const free = bavail * bsize + held;
        const wanted = Math.min(bytes, Math.max(Math.floor(free / 2), Math.min(formerBytes, free)));
        if (wanted > held || held > bytes) await write(wanted);
      } catch {
        // The disk has less free space than reported, or the folder is missing. The next sweep tries again.
        await rm(path, { force: true }).catch(() => {});
      }
    },
    async release() {
      const held = await sizeOf(path);
      await rm(path, { force: true }).catch(() => {});
      return held;
    },
  };
}
