/** Displays what a page measured itself, and the CPU time of its main thread. */
import { html, nothing } from 'lit-html';
import type { Result } from '../../../contract/result/result.ts';
import { sayCustomConditions, toCustomRows } from '../../../presentation/result-rows.ts';

export const customMetricsView = (result: Result) => {
  const rows = toCustomRows(result.custom_metrics);
  if (rows.length === 0) return nothing;
  return html`<details class="fold">
    <summary>${rows.length > 1 ? 'User timings and main-thread work' : 'Main-thread work'}</summary>
    <dl>${rows.map(({ label, text }) => html`<div><dt>${label}</dt><dd>${text}</dd></div>`)}</dl>
    <p class="small quiet">${sayCustomConditions(result)}</p>
  </details>`;
};
