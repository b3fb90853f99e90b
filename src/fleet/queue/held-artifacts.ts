/** Artifacts on this machine that another instance may need: until it releases them, is dead, or an hour has passed. */
import type { FleetDatabase } from '../database.ts';

export type HeldArtifacts = {
  hold(artifacts: string, owner: string): void;
  release(artifacts: string): Promise<void>;
  /** Releases what nobody can need any more. Never throws. */
  sweep(): Promise<void>;
};

const mostMs = 3_600_000;

export function createHeldArtifacts(
  database: Pick<FleetDatabase, 'query'>,
  releaseHere: (artifacts: string) => Promise<void>,
): HeldArtifacts {
  const held = new Map<string, { owner: string; since: number }>();

  const release = async (artifacts: string): Promise<void> => {
    held.delete(artifacts);
    await releaseHere(artifacts);
  };

  const findAlive = async (owners: readonly string[]): Promise<ReadonlySet<unknown>> =>
    new Set((await database.query('SELECT id FROM instances WHERE id = ANY($1)', [owners])).rows.map(({ id }) => id));

  return {
    hold: (artifacts, owner) => void held.set(artifacts, { owner, since: performance.now() }),
    release,
    async sweep() {
      if (held.size === 0) return;
      try {
        const alive = await findAlive([...new Set([...held.values()].map(({ owner }) => owner))]);
        const oldest = performance.now() - mostMs;
        for (const [artifacts, { owner, since }] of held)
          if (!alive.has(owner) || since < oldest) await release(artifacts);
      } catch {
        // The next time.
      }
    },
  };
}
