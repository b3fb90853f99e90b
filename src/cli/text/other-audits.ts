/** The audits of a result that are no findings, by name: what passed, what only informs, what does not apply. */

import { metricNames } from '../../contract/names.ts';
import type { Result } from '../../contract/result.ts';
import { counted } from '../../presentation/numbers.ts';
import { isObject, type Json, listOf, textOf, type Whole } from '../../presentation/whole/read.ts';
import { toPlainLine } from './plain-text.ts';

const kinds = ['passed', 'informative', 'notApplicable', 'manual', 'failed'] as const;
type Kind = (typeof kinds)[number];

const words: Readonly<Record<Kind, string>> = {
  passed: 'Passed',
  informative: 'Informative',
  notApplicable: 'Not applicable',
  manual: 'To check by hand',
  failed: 'Failed too',
};

/** Shown with their values, above. */
const shownElsewhere: ReadonlySet<string> = new Set(metricNames.map(name => name.replaceAll('_', '-')));

/** Of an audit that is no finding: it fails only where the list of findings was cut short. */
function kindOf({ scoreDisplayMode, score }: Json): Kind {
  if (scoreDisplayMode === 'informative' || scoreDisplayMode === 'notApplicable' || scoreDisplayMode === 'manual')
    return scoreDisplayMode;
  if (scoreDisplayMode === 'error') return 'failed';
  const limit = scoreDisplayMode === 'binary' ? 1 : 0.9;
  return score === null || (typeof score === 'number' && score >= limit) ? 'passed' : 'failed';
}

/** In the order of Lighthouse's categories, each audit once. */
function idsOf(categories: unknown): string[] {
  const refs = isObject(categories) ? Object.values(categories).filter(isObject) : [];
  const ids = refs.flatMap(({ auditRefs }) =>
    listOf(auditRefs).flatMap(({ id, group }) => (group === 'hidden' ? [] : [textOf(id)])),
  );
  return [...new Set(ids)].filter(id => id !== '' && !shownElsewhere.has(id));
}

export function toOtherAudits(result: Result, whole: Whole): ReadonlyMap<Kind, readonly string[]> {
  const { categories, audits = {} } = whole as Whole & { categories?: unknown };
  const findings = new Set(result.failed_audits.map(({ id }) => id));
  const others = idsOf(categories).flatMap(id => {
    const audit = Object.hasOwn(audits, id) ? audits[id] : undefined;
    return !isObject(audit) || findings.has(toPlainLine(id)) ? [] : [{ id: toPlainLine(id), kind: kindOf(audit) }];
  });
  return new Map(kinds.map(kind => [kind, others.filter(other => other.kind === kind).map(({ id }) => id)] as const));
}

/** Those that people look for. Of the others the number says enough. */
const named: ReadonlySet<Kind> = new Set(['passed', 'informative', 'failed']);

/** `Passed (12 audits): image-alt, …`, and in one line the kinds of which only the number is said. */
export function sayOtherAudits(result: Result, whole: Whole | undefined): string[] {
  if (!whole) return ['The tables of these findings and the other audits did not come with this result.'];
  const audits = [...toOtherAudits(result, whole)].filter(([, ids]) => ids.length > 0);
  const counts = audits.flatMap(([kind, ids]) => (named.has(kind) ? [] : [`${words[kind]}: ${ids.length}.`]));
  return [
    ...audits.flatMap(([kind, ids]) =>
      named.has(kind) ? [`${words[kind]} (${counted(ids.length, 'audit')}): ${ids.join(', ')}`] : [],
    ),
    ...(counts.length > 0 ? [counts.join(' ')] : []),
  ];
}
