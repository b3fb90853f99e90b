/** Makes removals possible on a full disk: a reserve file is released for them, and created again. */
import { type StoreFaultError, toFaultError } from '../database/fault.ts';
import type { SqlDatabase, Statement } from '../database/sql.ts';
import type { Reserve } from './reserve.ts';
import { stateInsert } from './sql/store-state.ts';

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
