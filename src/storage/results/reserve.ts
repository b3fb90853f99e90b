/**
 * Room on the disk that is given up where the disk is full: to remove something, a database has to write first. The file
 * has random bytes, because a file system may not spend room on zeros.
 */
import { randomFillSync } from 'node:crypto';
import { open, rm, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';

const chunkBytes = 256 * 1024;

export type Reserve = {
  /**
   * Makes the file as large as that, but of the free room it takes half at most, or what it had before. Never throws.
   * @param formerBytes what was released a moment ago
   */
  take(bytes: number, formerBytes?: number): Promise<void>;
  /** @returns how many bytes there were */
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
        // There is less room than it seemed, or no folder: the next sweep tries again.
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
