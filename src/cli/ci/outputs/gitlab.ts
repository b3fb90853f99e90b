/** GitLab's browser_performance report. */
import { startUpper } from '../../../presentation/numbers.ts';
import { categoryWords, metricWords, tableMetrics } from '../../../presentation/words.ts';
import type { Report, Row } from './report.ts';

type GitlabMetric = { readonly name: string; readonly value: number; readonly desiredSize: 'larger' | 'smaller' };

/** Names a metric as in earlier reports, because GitLab compares values by their names. */
const sayName = (name: keyof typeof metricWords): string =>
  `${startUpper(metricWords[name].label.toLowerCase())}${metricWords[name].unit === 'millisecond' ? ' (ms)' : ''}`;

function toMetrics({ scores, metrics, agentic_browsing: agentic, denied = [] }: Row): GitlabMetric[] {
  // GitLab's report has no place for a mark, so a value that does not describe the page is omitted.
  const toMetric = (
    [name, value]: readonly [string, number | null | undefined],
    said: string,
    desiredSize: GitlabMetric['desiredSize'],
  ): GitlabMetric[] =>
    typeof value === 'number' && !denied.includes(name)
      ? [{ name: said, value: Number(value.toFixed(3)), desiredSize }]
      : [];
  return [
    ...Object.entries(scores).flatMap(([name, value]) =>
      toMetric([name, value], categoryWords[name as keyof typeof categoryWords] ?? name, 'larger'),
    ),
    ...toMetric(['agentic-browsing', agentic?.passed], 'Agentic browsing (audits passed)', 'larger'),
    ...[...tableMetrics, 'speed_index' as const].flatMap(name =>
      toMetric([name, metrics[name]], sayName(name), 'smaller'),
    ),
  ];
}

/** Returns the content of `artifacts:reports:browser_performance`, which GitLab uses to compare two branches. */
export const toGitlab = ({ rows }: Report): { subject: string; metrics: GitlabMetric[] }[] =>
  rows
    .filter(({ state }) => state !== 'failed')
    .map(row => ({ subject: `${row.url} (${row.strategy})`, metrics: toMetrics(row) }));
