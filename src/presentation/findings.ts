/** What to fix: failed audits of one side or two, grouped by category, most useful first. */

import { type Category, categoryNames } from '../contract/names.ts';
import type { FailedAudit, Result } from '../contract/result.ts';
import type { Source } from './answer.ts';
import { toPlainText } from './markdown.ts';
import { metricWords } from './metric-range.ts';
import { formatMs, formatShift } from './numbers.ts';

export type Finding = FailedAudit & {
  /** The sides that saw it. */
  readonly sources: readonly Source[];
};

export type FindingGroup = {
  readonly category: Category;
  readonly findings: readonly Finding[];
};

export const categoryWords: Readonly<Record<Category, string>> = {
  performance: 'Performance',
  accessibility: 'Accessibility',
  'best-practices': 'Best practices',
  seo: 'SEO',
};

/** A metric is shown as one; what to do about it stands in the audits that lower it. */
const metricAudits: ReadonlySet<string> = new Set(
  Object.keys(metricWords)
    .filter(name => name !== 'server_response_time')
    .map(name => name.replaceAll('_', '-')),
);

/** An audit of several categories stands under the first of them. */
const groupOf = ({ categories }: FailedAudit): Category | undefined =>
  categoryNames.find(name => categories.includes(name));

const toGroups = (findings: readonly Finding[]): FindingGroup[] =>
  categoryNames
    .map(category => ({ category, findings: findings.filter(finding => groupOf(finding) === category) }))
    .filter(group => group.findings.length > 0);

const fixable = (result: Result): readonly FailedAudit[] =>
  result.failed_audits.filter(({ id }) => !metricAudits.has(id));

/** In the order of the service: most useful first. */
export const groupFindings = (result: Result): FindingGroup[] =>
  toGroups(fixable(result).map(audit => ({ ...audit, sources: [result.source] })));

/** What either side saw, in the local side's order, then what only the remote side has. Each says who saw it. */
export function mergeFindings(psi: Result, lighthouse: Result): FindingGroup[] {
  const [remote, local] = [fixable(psi), fixable(lighthouse)];
  const has = (audits: readonly FailedAudit[], id: string) => audits.some(audit => audit.id === id);
  return toGroups([
    ...local.map(audit => ({
      ...audit,
      sources: has(remote, audit.id) ? (['psi', 'lighthouse'] as const) : (['lighthouse'] as const),
    })),
    ...remote.filter(({ id }) => !has(local, id)).map(audit => ({ ...audit, sources: ['psi'] as const })),
  ]);
}

export const countFindings = (groups: readonly FindingGroup[]): number =>
  groups.reduce((sum, { findings }) => sum + findings.length, 0);

const savedOf: Readonly<Record<string, string>> = {
  first_contentful_paint: 'on the first paint',
  largest_contentful_paint: 'on the main content',
  total_blocking_time: 'of blocking',
  interaction_to_next_paint: 'on the next paint',
};

/** Too small for an estimate to mean anything, in milliseconds. */
const negligibleMs = 10;

const saySaving = ([metric, saving]: [string, number]): string | undefined => {
  if (metric === 'cumulative_layout_shift') return `${formatShift(saving)} of layout shift`;
  return saving < negligibleMs ? undefined : `${formatMs(saving)} ${savedOf[metric] ?? ''}`.trim();
};

/** What fixing it may save, largest first: `1.4 s of blocking`. */
export const saySavings = ({ savings }: FailedAudit): string[] =>
  Object.entries(savings)
    .toSorted(([, a], [, b]) => b - a)
    .flatMap(entry => saySaving(entry) ?? []);

/** What an audit found in a few words: what fixing it may save, else Lighthouse's own measure; undefined for neither. */
export function sayEffect(audit: FailedAudit): string | undefined {
  const [saving] = saySavings(audit);
  if (saving !== undefined) return `may save ${saving}`;
  return audit.display_value ? toPlainText(audit.display_value) : undefined;
}
