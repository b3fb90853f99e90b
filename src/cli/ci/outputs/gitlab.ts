/** GitLab's browser_performance report. */
import { categoryWords } from '../../../presentation/words.ts';
import type { Report, Row } from './report.ts';

type GitlabMetric = { readonly name: string; readonly value: number; readonly desiredSize: 'larger' | 'smaller' };

const gitlabMetrics = {
  largest_contentful_paint: 'Largest contentful paint (ms)',
  total_blocking_time: 'Total blocking time (ms)',
  cumulative_layout_shift: 'Cumulative layout shift',
  speed_index: 'Speed index (ms)',
} as const;

/** Returns whether a value describes the page. GitLab's report has no place for a mark, so other values are omitted. */
const isReliable = ({ denied = [] }: Row, name: string): boolean => !denied.includes(name);

/** Returns the content of `artifacts:reports:browser_performance`, which GitLab uses to compare two branches. */
export function toGitlab({ rows }: Report): { subject: string; metrics: GitlabMetric[] }[] {
  return rows
    .filter(({ state }) => state !== 'failed')
    .map(row => ({
      subject: `${row.url} (${row.strategy})`,
      metrics: [
        ...Object.entries(row.scores).flatMap(([name, value]): GitlabMetric[] =>
          typeof value === 'number' && isReliable(row, name)
            ? [{ name: categoryWords[name as keyof typeof categoryWords] ?? name, value, desiredSize: 'larger' }]
            : [],
        ),
        ...(row.agentic_browsing
          ? [
              {
                name: 'Agentic browsing (audits passed)',
                value: row.agentic_browsing.passed,
                desiredSize: 'larger' as const,
              },
            ]
          : []),
        ...Object.entries(gitlabMetrics).flatMap(([name, words]): GitlabMetric[] => {
          const value = row.metrics[name];
          return typeof value === 'number' && isReliable(row, name)
            ? [{ name: words, value: Number(value.toFixed(3)), desiredSize: 'smaller' }]
            : [];
        }),
      ],
    }));
}
