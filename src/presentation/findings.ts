/** What to fix: failed audits grouped by category, most useful first, of one side or of two. */
import type { Category, FailedAudit, Report } from '../report/report.ts';
import type { Source } from './answer.ts';
import { metricWords } from './metric-range.ts';
import { formatMs, formatShift } from './numbers.ts';
import { categoryNames } from './page-request.ts';

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

const fixable = (report: Report): readonly FailedAudit[] =>
  report.failed_audits.filter(({ id }) => !metricAudits.has(id));

/** The service has them in order: most useful first. It stays. */
export const groupFindings = (report: Report): FindingGroup[] =>
  toGroups(fixable(report).map(audit => ({ ...audit, sources: [report.source] })));

/** What either side saw, in the local side's order, then what only the remote side has. Each says who saw it. */
export function mergeFindings(psi: Report, lighthouse: Report): FindingGroup[] {
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

/** A saving Lighthouse would not stand up for, in milliseconds. */
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
