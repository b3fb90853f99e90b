/** What instances share, with connections of its own. */
import { createFleetDatabase } from './database.ts';
import { createNotices } from './notices.ts';
import { createSharedState, type SharedState, type SharedStateSettings } from './shared-state.ts';

/** A database that is away is no reason not to start. @throws StoreFaultError of code `newer_database` */
export async function openSharedState(
  url: string,
  settings: Omit<SharedStateSettings, 'database' | 'notices'>,
): Promise<SharedState> {
  const database = createFleetDatabase({ url });
  try {
    await database.open();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'newer_database') {
      await database.close();
      throw error;
    }
  }
  const notices = createNotices(database);
  const shared = createSharedState({ database, notices, ...settings });
  await shared.look();
  return {
    ...shared,
    get isThere() {
      return shared.isThere;
    },
    async close() {
      await shared.close();
      await notices.close();
      await database.close();
    },
  };
}
