import { type Category, categoryNames } from '../../contract/names.ts';
import type { FailedAudit } from '../../contract/result/result.ts';
import type { FlippedAudit } from '../../contract/stored/changed-loads.ts';
import { toFailedAudits } from '../../measure/lhr/failed-audits.ts';
import type { Lhr, LhrAudit } from '../../measure/lhr/lhr.ts';
import type { RunSettings } from './run-settings.ts';

export type AuditedSide = { readonly lhr: Lhr; readonly settings: readonly RunSettings[] };

/** Enough for any real page. The limit keeps the answer small. */
const maxListed = 60;
const maxTitle = 200;

type State = FlippedAudit['before'];

function toState(audit: LhrAudit): State {
  if (audit.scoreDisplayMode === 'notApplicable') return 'not_applicable';
  return audit.score === null ? 'not_scored' : 'passed';
}

/** Of an audit near its threshold one run says nothing: all runs of a side have to agree. */
const isSteady = (id: string, hasFailed: boolean, settings: readonly RunSettings[]): boolean =>
  settings.every(({ failedAudits }) => failedAudits === null || failedAudits.has(id) === hasFailed);

const toFailed = (lhr: Lhr, categories: readonly Category[]): Map<string, FailedAudit> =>
  new Map(toFailedAudits(lhr, categories).map(audit => [audit.id, audit]));

/** Audits that fail on one side only, of categories that both have; an audit that only one side knows is none. */
export function toFlippedAudits(before: AuditedSide, after: AuditedSide): FlippedAudit[] {
  const categories = categoryNames.filter(name => [before, after].every(({ lhr }) => lhr.categories[name]));
  const [failedBefore, failedAfter] = [toFailed(before.lhr, categories), toFailed(after.lhr, categories)];
  const toFlip = (failed: FailedAudit, other: AuditedSide): State | undefined => {
    const counterpart = other.lhr.audits[failed.id];
    return counterpart && toState(counterpart);
  };
  const isSure = (id: string, hadFailed: boolean) =>
    isSteady(id, hadFailed, before.settings) && isSteady(id, !hadFailed, after.settings);
  const flips = [
    ...[...failedAfter.values()]
      .filter(({ id }) => !failedBefore.has(id) && isSure(id, false))
      .map(failed => ({ failed, before: toFlip(failed, before), after: 'failed' as const })),
    ...[...failedBefore.values()]
      .filter(({ id }) => !failedAfter.has(id) && isSure(id, true))
      .map(failed => ({ failed, before: 'failed' as const, after: toFlip(failed, after) })),
  ];
  return flips
    .flatMap(({ failed: { id, title, categories: of }, before: was, after: is }) =>
      was && is ? [{ id, title: title.slice(0, maxTitle).toWellFormed(), categories: of, before: was, after: is }] : [],
    )
    .slice(0, maxListed);
}
