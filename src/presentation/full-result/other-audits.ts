/** Reads the audits that did not fail from a whole Lighthouse result; the summary contains those that did. */
import { type RequestCategory, requestCategories } from '../../contract/names.ts';
import { isObject, listOf } from '../../contract/result/details.ts';
import { numberOf, textOf, type Whole, type WholeAudit } from './read.ts';

export const auditKinds = ['passed', 'informative', 'not_applicable', 'manual'] as const;
export type AuditKind = (typeof auditKinds)[number];

export const auditKindWords: Readonly<Record<AuditKind, string>> = {
  passed: 'Passed',
  informative: 'Informative',
  not_applicable: 'Not applicable',
  manual: 'To check by hand',
};

export type OtherAudit = {
  readonly id: string;
  /** Kind of the audit; `failed` if a shortened summary omits it. */
  readonly kind: AuditKind | 'failed';
  readonly title: string;
  readonly description: string;
  readonly displayValue: string;
};

export type OtherAudits = {
  readonly category: RequestCategory;
  readonly audits: readonly OtherAudit[];
};

/** Returns the kind by score; an audit without a score neither passed nor failed. */
const passes = (score: number | undefined, bound: number): OtherAudit['kind'] => {
  if (score === undefined) return 'informative';
  return score >= bound ? 'passed' : 'failed';
};

/** Returns undefined for an entry that is not about the page. The thresholds are those of failed audits. */
function kindOf({ score, scoreDisplayMode }: WholeAudit): OtherAudit['kind'] | undefined {
  const value = numberOf(score);
  switch (scoreDisplayMode) {
    case 'manual':
      return 'manual';
    case 'error':
      return 'failed';
    case 'notApplicable':
      return 'not_applicable';
    case 'informative':
      return 'informative';
    case 'binary':
      return passes(value, 1);
    case 'numeric':
    case 'metricSavings':
      return passes(value, 0.9);
    default:
      return undefined;
  }
}

/** Groups with their own views: metrics, screenshots and raw lists. */
const groupsShownElsewhere: ReadonlySet<unknown> = new Set(['hidden', 'metrics']);

const auditIdsOf = ({ categories }: Whole, name: RequestCategory): string[] => {
  const category = isObject(categories) && Object.hasOwn(categories, name) ? categories[name] : undefined;
  return isObject(category)
    ? listOf(category.auditRefs).flatMap(({ id, group }) => (groupsShownElsewhere.has(group) ? [] : textOf(id) || []))
    : [];
};

function toOtherAudit({ audits = {} }: Whole, id: string): OtherAudit | undefined {
  const audit = audits && Object.hasOwn(audits, id) ? audits[id] : undefined;
  const kind = isObject(audit) ? kindOf(audit) : undefined;
  if (!audit || !kind) return undefined;
  const { title, description, displayValue } = audit;
  return { id, kind, title: textOf(title) || id, description: textOf(description), displayValue: textOf(displayValue) };
}

/**
 * Groups audits by their first category.
 * @param findings failed audits in the summary; with it, those that the summary omits are included
 */
export function toOtherAudits(
  whole: Whole,
  requested: readonly RequestCategory[],
  findings?: ReadonlySet<string>,
): OtherAudits[] {
  const seen = new Set<string>();
  const isOther = ({ id, kind }: OtherAudit) => (findings ? !findings.has(id) : kind !== 'failed');
  return requestCategories
    .filter(name => requested.includes(name))
    .map(category => ({
      category,
      audits: auditIdsOf(whole, category).flatMap(id => {
        const audit = seen.has(id) ? undefined : toOtherAudit(whole, id);
        seen.add(id);
        return audit && isOther(audit) ? audit : [];
      }),
    }));
}

export const ofKind = ({ audits }: OtherAudits, kind: AuditKind): OtherAudit[] =>
  audits.filter(audit => audit.kind === kind);
