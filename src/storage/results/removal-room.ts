/**
 * Makes removals possible on a full disk, because a database must write before it can remove data: a reserve file is
 * removed for them, and created again. It contains random bytes, because some file systems allocate no space for zeros.
 */
import { randomFillSync } from 'node:crypto';
import { open, rm, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type StoreFaultError, toFaultError } from '../database/fault.ts';
import type { SqlDatabase, Statement } from '../database/sql.ts';
import { stateInsert } from './sql/store-state.ts';

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

const isFull = (error: unknown): error is StoreFaultError => toFaultError(error).code === 'disk_full';

/** Returns whether statements only delete rows or change little. Such statements may use the reserve. */
const mayUseReserve = (statements: readonly Statement[]): boolean =>
  statements.every(
    ({ sql, values }) =>
      (!/^\s*INSERT/i.test(sql) || sql.startsWith(stateInsert)) && !values.some(value => value instanceof Uint8Array),
  );

export type RemovalRoomParts = {
  database: SqlDatabase;
  reserve: Reserve;
  reserveBytes: () => number;
  reclaim: () => Promise<void>;
  /** Removes artifacts if the reserve is not large enough. @returns whether there were any */
  removeArtifacts: () => Promise<boolean>;
};

export function withRemovalRoom({
  database,
  reserve,
  reserveBytes,
  reclaim,
  removeArtifacts,
}: RemovalRoomParts): SqlDatabase {
  let last: Promise<unknown> = Promise.resolve();

  const retry = async (statements: readonly Statement[], error: unknown): Promise<readonly number[]> => {
    const formerBytes = await reserve.release();
    try {
      if (formerBytes === 0) throw error;
      return await database.write(statements);
    } catch (again) {
      if (!isFull(again) || !(await removeArtifacts())) throw again;
      return await database.write(statements);
    } finally {
      await reclaim().catch(() => {});
      // The reserve is created again before other writes use the space.
      await reserve.take(reserveBytes(), formerBytes);
    }
  };

  return {
    ...database,
    async write(statements) {
      try {
        return await database.write(statements);
      } catch (error) {
        if (!isFull(error) || !mayUseReserve(statements)) throw error;
        // Retries run one after the other, because there is only one reserve.
        const retried = last.then(() => retry(statements, error));
        last = retried.catch(() => {});
        return retried;
      }
    },
  };
}
