/** One side's Report from top to bottom: how it was measured, the verdict, scores, metrics, what to fix. */
import { html, nothing } from 'lit-html';
import type { Report } from '../../report/report.ts';
import type { Column } from '../answer.ts';
import { categoryWords, groupFindings } from '../findings.ts';
import { formatDuration } from '../numbers.ts';
import { categoryNames } from '../page-request.ts';
import { sayVerdict } from '../verdict.ts';
import { filmstripView } from './filmstrip-view.ts';
import { findingsView } from './findings-view.ts';
import { sayAnalyser, sideClass, sideName } from './marks.ts';
import { metricsView } from './metrics-view.ts';
import { scoreDial } from './score-dial.ts';
import { troubleView } from './trouble-view.ts';
import { vitalsView } from './vitals-view.ts';

/** A reader's own time; in a file that is drawn before it has a reader, UTC, and that is said. */
const clock =
  'document' in globalThis
    ? new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
    : new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'long', timeZone: 'UTC' });

const sayCache = ({ cache }: Report): string | undefined => {
  if (!cache || cache.status === 'miss') return undefined;
  if (cache.status === 'joined') return 'shared with another request at the same moment';
  return `from the cache, ${formatDuration(cache.age)} old`;
};

/** What was measured and how, in one quiet line. */
export const factsLine = (report: Report) => {
  const { final_url: shown, url, analyser, strategy, fetched_at: fetchedAt, lighthouse_version: version } = report;
  const cached = sayCache(report);
  return html`<p class="facts-line small quiet">
    <span class="url">${shown}</span>${shown === url ? nothing : html` (asked for <span class="url">${url}</span>)`}
    · ${sayAnalyser(analyser)} · ${strategy} · <time datetime=${fetchedAt}>${clock.format(new Date(fetchedAt))}</time>
    · Lighthouse ${version}${cached ? ` · ${cached}` : ''}
  </p>`;
};

export const staleNotice = ({ cache }: Report) =>
  cache?.status === 'stale'
    ? html`<p class="notice"><strong>An old result.</strong> The remote analyser fails at the moment; this was measured ${formatDuration(cache.age)} ago.</p>`
    : nothing;

export const warningsView = ({ warnings }: Report) =>
  warnings.length > 0
    ? html`<div class="notice"><strong>Lighthouse warns:</strong><ul>${warnings.map(warning => html`<li>${warning}</li>`)}</ul></div>`
    : nothing;

const environmentRows = ({ environment }: Report): [string, string | number][] => {
  const { user_agent: agent, benchmark_index: index, cpu_slowdown_multiplier: cpu, ...rest } = environment;
  const { throttling_method: throttling, blocked_requests: blocked } = rest;
  const rows: [string, string | number | null | undefined][] = [
    ['Browser', agent],
    ['Speed of the machine (benchmark index)', index],
    ['Processor slowed down', cpu === null ? null : `${cpu} times`],
    ['Throttling', throttling],
    ['Connections refused to the page', blocked],
  ];
  return rows.filter((entry): entry is [string, string | number] => entry[1] !== null && entry[1] !== undefined);
};

export const environmentView = (report: Report) => html`<details class="fold">
  <summary>How it was measured</summary>
  <dl>${environmentRows(report).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
</details>`;

export const dialsView = ({ scores }: Report) => html`<div class="dials">
  ${categoryNames.map(name => {
    const score = scores[name];
    return score === undefined ? nothing : scoreDial(categoryWords[name], score);
  })}
</div>`;

const strategyNames = { mobile: 'Mobile', desktop: 'Desktop' } as const;

const reportBody = (report: Report) => html`
  ${factsLine(report)}
  <p class="verdict">${sayVerdict(report)}</p>
  ${staleNotice(report)} ${warningsView(report)} ${dialsView(report)}
  <div class="measured">
    ${report.scores.performance === undefined ? nothing : metricsView(report)}
    <div>${report.scores.performance === undefined ? nothing : vitalsView([report])} ${filmstripView(report)}</div>
  </div>
  ${findingsView(groupFindings(report), report)} ${environmentView(report)}`;

/** A side with its Report, or with why it has none. */
export const columnView = ({
  source,
  strategy,
  part,
}: Column) => html`<article class="sheet column ${sideClass(source)}">
  <h2>${sideName(source)} <span class="quiet">${strategyNames[strategy]}</span></h2>
  ${part.ok ? reportBody(part.report) : troubleView(part.trouble)}
</article>`;
