import type { Report } from '../report/report.ts';
import { toPage, toText } from './page.ts';

/** A Report as a page of its own, that needs nothing beside itself. */
export function renderReport(report: Report): string {
  const scores = Object.entries(report.scores).map(([name, score]) => [name, String(score ?? '–')]);
  const metrics = Object.entries(report.metrics).map(([name, metric]) => [
    name.replaceAll('_', ' '),
    metric.display_value ?? '–',
  ]);
  const rows = [...scores, ...metrics].map(
    cells => `<tr>${cells.map(cell => `<td>${toText(cell)}</td>`).join('')}</tr>`,
  );
  const findings = report.failed_audits.map(({ title }) => `<li>${toText(title)}</li>`);
  return toPage(
    report.url,
    `<p>${toText(report.strategy)}, Lighthouse ${toText(report.lighthouse_version)}</p>
<table>${rows.join('\n')}</table>
<ul>${findings.join('\n')}</ul>`,
  );
}
