/** One Report for a terminal: its scores, its metrics, and what to do first. */
import type { Report } from '../report/report.ts';
import { categoryWords, groupFindings } from '../web/findings.ts';
import { toPlainText } from '../web/markdown.ts';
import {
  bordersOf,
  metricWords,
  otherMetrics,
  rate,
  rateScore,
  ratingWords,
  scoredMetrics,
} from '../web/metric-range.ts';
import { counted } from '../web/numbers.ts';
import { sayVerdict } from '../web/verdict.ts';
import { categoriesOf, toMetricCell, toScoreCell, toSpreadCell } from './cells.ts';
import type { Paint } from './paint.ts';
import { toTable } from './table.ts';

const maxFindings = 5;

export const analyserWords = ({ source, analyser }: Report): string => {
  if (source === 'lighthouse') return analyser.kind === 'local' ? 'this machine' : `Lighthouse (${analyser.kind})`;
  if (analyser.kind === 'google') return 'PageSpeed Insights';
  return analyser.kind === 'embedded' ? 'embedded analyser' : `remote analyser at ${analyser.host ?? 'another host'}`;
};

const toHeading = (paint: Paint, report: Report): string => {
  const moved = report.final_url === report.url ? [] : [`  led to ${report.final_url}`];
  const { runs } = report;
  const told = runs ? [`the median of ${counted(runs.completed, 'run')}`] : [];
  const facts = [report.strategy, analyserWords(report), `Lighthouse ${report.lighthouse_version}`, ...told];
  return [paint('bold', report.url), ...moved, `  ${facts.join(' · ')}`].join('\n');
};

const wordOf = (value: number | null | undefined, toWord: (value: number) => string): string =>
  typeof value === 'number' ? toWord(value) : '';

function toRows(paint: Paint, report: Report): string[][] {
  const scores = categoriesOf([report]).map(name => [
    categoryWords[name],
    toScoreCell(paint, report, name),
    wordOf(report.scores[name], score => ratingWords[rateScore(score)]),
    toSpreadCell(report, name),
  ]);
  const metrics = [...scoredMetrics, ...otherMetrics]
    .filter(name => typeof report.metrics[name].value === 'number')
    .map(name => {
      const borders = bordersOf(name, report.strategy);
      const word = wordOf(report.metrics[name].value, value => (borders ? ratingWords[rate(value, borders)] : ''));
      return [metricWords[name].label, toMetricCell(paint, report, name), word, toSpreadCell(report, name)];
    });
  return [...scores, ...metrics];
}

const toFindings = (report: Report): string[] => {
  const findings = groupFindings(report).flatMap(group => group.findings);
  const shown = findings.slice(0, maxFindings).map(({ title, display_value: value }) => {
    const words = toPlainText(title);
    return `  - ${value ? `${words} (${toPlainText(value)})` : words}`;
  });
  const rest = findings.length - shown.length;
  return shown.length > 0
    ? ['To fix:', ...shown, ...(rest > 0 ? [`  and ${rest} more (--json, --html)`] : []), '']
    : [];
};

export function toReportText(paint: Paint, report: Report): string {
  const hasRuns = report.runs !== undefined;
  const head = ['', '  value', 'rating', ...(hasRuns ? ['all runs'] : [])];
  const rows = toRows(paint, report).map(row => row.slice(0, head.length));
  return [
    toHeading(paint, report),
    '',
    toTable(head, rows),
    ...toFindings(report),
    ...report.warnings.map(warning => `Warning: ${toPlainText(warning)}\n`),
    sayVerdict(report),
    '',
  ].join('\n');
}
