/** Re-audits stored loads that a different version of Lighthouse measured, if their artifacts are stored. */
import type { AgainOutcome, AuditedAgain } from '../../explain/change/version-effect.ts';
import type { LocalAnalyser } from '../../measure/lighthouse/pool.ts';
import type { ResultStore } from '../../storage/results/store.ts';
import { settle } from '../outcome.ts';
import { adoptStored } from './adopt-stored.ts';
import type { FoundSide } from './find-sides.ts';

/**
 * Audits the loads of one side again; undefined if both sides have the same version. The outcome contains the reason if
 * the loads cannot be audited again.
 */
export type AuditAgain = (
  store: ResultStore,
  sides: readonly [before: FoundSide, after: FoundSide],
  signal: AbortSignal,
) => Promise<AgainOutcome | undefined>;

export type AuditAgainSources = {
  local: Pick<LocalAnalyser, 'adopt' | 'reAudit' | 'release'>;
  lighthouseVersion: string;
};

/** Max number of loads per side: each takes a slot for a few tenths of a second, and all have the same version. */
const mostLoads = 5;

const versionsOf = ({ entries }: FoundSide): string[] =>
  [...new Set(entries.flatMap(({ analyser }) => analyser.lighthouseVersion ?? []))].sort();

export function createAuditAgain({ local, lighthouseVersion }: AuditAgainSources): AuditAgain {
  async function auditOne(store: ResultStore, id: string, signal: AbortSignal) {
    const artifacts = await adoptStored(store, local, id);
    if (artifacts === undefined) return undefined;
    try {
      const again = await settle(local.reAudit(artifacts, [{}], signal), signal);
      return again.ok ? again.value[0] : undefined;
    } finally {
      await local.release(artifacts);
    }
  }

  async function auditLoads(store: ResultStore, { entries }: FoundSide, signal: AbortSignal) {
    const runs: AuditedAgain['runs'][number][] = [];
    // The values of a disturbed load are those without the disturbance, which its artifacts contain.
    const quiet = entries.filter(({ disturbed }) => disturbed !== true);
    for (const entry of quiet.length > 0 ? quiet : entries) {
      if (runs.length === mostLoads) break;
      const audited = await auditOne(store, entry.id, signal);
      if (audited) runs.push({ entry, audited });
    }
    return runs;
  }

  return async (store, sides, signal) => {
    const [before, after] = sides;
    const [versionsBefore, versionsAfter] = [versionsOf(before), versionsOf(after)];
    const isKnown = versionsBefore.length > 0 && versionsAfter.length > 0;
    if (!isKnown || versionsBefore.join() === versionsAfter.join()) return undefined;
    const side = versionsAfter.join() === lighthouseVersion ? 'before' : 'after';
    const [old, measuredWith, others] =
      side === 'before' ? [before, versionsBefore, versionsAfter] : [after, versionsAfter, versionsBefore];
    if (others.join() !== lighthouseVersion || measuredWith.includes(lighthouseVersion))
      return { reason: `neither side was measured with Lighthouse ${lighthouseVersion} alone` };
    const runs = await auditLoads(store, old, signal);
    if (runs.length === 0)
      return { reason: 'the artifacts of its loads are not stored here, or cannot be audited again' };
    return { side, runs, measuredWith, auditedWith: lighthouseVersion };
  };
}
