/** The audits of a result that are no findings, by name: what passed, what only informs, what does not apply. */
import { type Category, categoryNames } from '../../contract/names.ts';
import type { Result } from '../../contract/result/result.ts';
import { counted } from '../../presentation/numbers.ts';
import { auditKinds, auditKindWords, type OtherAudit, toOtherAudits } from '../../presentation/whole/other-audits.ts';
import type { Whole } from '../../presentation/whole/read.ts';
import { toPlainLine } from './terminal/plain-text.ts';

type Kind = OtherAudit['kind'];

const words: Readonly<Record<Kind, string>> = { ...auditKindWords, failed: 'Failed too' };

/** Those that people look for. Of the others the number says enough. */
const named: ReadonlySet<Kind> = new Set(['passed', 'informative', 'failed']);

/** `Passed (12 audits): image-alt, …`, and in one line the kinds of which only the number is said. */
export function sayOtherAudits(result: Result, whole: Whole | undefined): string[] {
  if (!whole) return ['The tables of these findings and the other audits did not come with this result.'];
  const requested: Category[] = categoryNames.filter(name => result.scores[name] !== undefined);
  const findings = new Set(result.failed_audits.map(({ id }) => id));
  const others = toOtherAudits(whole, requested, findings).flatMap(({ audits }) => audits);
  const audits = ([...auditKinds, 'failed'] as const)
    .map(kind => [kind, others.filter(other => other.kind === kind).map(({ id }) => toPlainLine(id))] as const)
    .filter(([, ids]) => ids.length > 0);
  const counts = audits.flatMap(([kind, ids]) => (named.has(kind) ? [] : [`${words[kind]}: ${ids.length}.`]));
  return [
    ...audits.flatMap(([kind, ids]) =>
      named.has(kind) ? [`${words[kind]} (${counted(ids.length, 'audit')}): ${ids.join(', ')}`] : [],
    ),
    ...(counts.length > 0 ? [counts.join(' ')] : []),
  ];
}
