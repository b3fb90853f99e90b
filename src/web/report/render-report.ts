import { ReportGenerator } from 'lighthouse/report/generator/report-generator.js';
import { html, nothing } from 'lit-html';
import { categoryNames, type Strategy } from '../../contract/names.ts';
import type { Result } from '../../contract/result/result.ts';
import { isLhr, type Lhr, type LhrCategory } from '../../measure/lhr/lhr.ts';
import { hostOf } from '../../presentation/download-name.ts';
import { bestFindings, groupFindings, sayEffect, sayFiles } from '../../presentation/findings/findings.ts';
import { toPlainText } from '../../presentation/markdown.ts';
import { formatValue, sayUtc } from '../../presentation/numbers.ts';
import { sayCertainty, sayUncertainty } from '../../presentation/range.ts';
import { sayHeadline, sayVerdict } from '../../presentation/verdict-words.ts';
import { categoryWords, metricWords, scoredMetrics } from '../../presentation/words.ts';
import { pointsReach } from '../views/findings/findings-view.ts';
import { pointsBar } from '../views/marks.ts';
import { toFilePolicy } from './file-policy.ts';
import { escapeMarkup, toScriptJson } from './markup.ts';
import { readStyle } from './own-page.ts';
import { toHtml } from './template-html.ts';

/** Lighthouse's own report without a result. Each part is HTML. */
type LighthouseShell = {
  /** @param note displayed above the report */
  fill(parts: { title: string; note: string; plain: string; json: string }): string;
  policy: string;
};

const slots = {
  policy: '%rangelight-policy%',
  title: '%rangelight-title%',
  note: '%rangelight-note%',
  plain: '%rangelight-plain%',
} as const;
const dataSlot = '%rangelight-data%';

/**
 * Reads the result from data instead of a script, so that all reports have the same scripts, whose hashes a policy can
 * list.
 */
const readResult = `
  // A report saved from its own menu contains its earlier rendering, after the new one.
  document.addEventListener('DOMContentLoaded', () => {
    for (const older of [...document.querySelectorAll('.lh-root')].slice(1)) older.remove();
  });
  window.__LIGHTHOUSE_JSON__ = JSON.parse(document.getElementById('lighthouse-result').textContent);
`;

/** Removes buttons that send the result to another site, because a report sends nothing. */
const takeAwaySenders = `
  for (const sender of document.querySelectorAll('[data-action="open-viewer"], .lh-report-icon--treemap'))
    sender.remove();
`;

const changes: readonly (readonly [from: RegExp, to: string])[] = [
  [
    /<meta charset="utf-8">/,
    `<meta charset="utf-8">\n  <meta http-equiv="Content-Security-Policy" content="${slots.policy}">\n  <meta name="robots" content="noindex">`,
  ],
  [/(?<=<title>)[^<]*(?=<\/title>)/, slots.title],
  [/<noscript>[^<]*(?=<\/noscript>)/, `${slots.note}<noscript>${slots.plain}`],
  [
    /<script>window\.__LIGHTHOUSE_JSON__ = "%rangelight-data%";<\/script>/,
    `<script type="application/json" id="lighthouse-result">${dataSlot}</script>\n  <script>${readResult}</script>`,
  ],
  [/(?<=<script>)console\.log\([^<]*\);(?=<\/script>)/, takeAwaySenders],
];

function change(html: string, [from, to]: (typeof changes)[number]): string {
  if (!from.test(html)) throw new Error(`Lighthouse's report has changed: there is no ${from.source} in it`);
  return html.replace(from, () => to);
}

const scriptTexts = (html: string): string[] =>
  [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, text = '']) => text);

function build(): LighthouseShell {
  const html = changes.reduce(change, ReportGenerator.generateReportHtml(dataSlot as never));
  const policy = toFilePolicy({ scripts: scriptTexts(html), styles: 'any' });
  const [head = '', afterTitle = '', afterNote = '', afterPlain = '', end = ''] = html
    .replace(slots.policy, () => policy)
    .split(new RegExp([slots.title, slots.note, slots.plain, dataSlot].join('|')));
  return {
    fill: ({ title, note, plain, json }) =>
      [head, title, afterTitle, note, afterNote, plain, afterPlain, json, end].join(''),
    policy,
  };
}

let built: LighthouseShell | undefined;

/** Returns the shell, which is created at the first call and is the same for every report. */
const lighthouseShell = (): LighthouseShell => {
  built ??= build();
  return built;
};

/** A Lighthouse result with further fields that its report reads. */
type ReadByReport = Lhr & {
  gatherMode?: string;
  categoryGroups?: Readonly<Record<string, unknown>>;
  i18n?: unknown;
  configSettings?: { screenEmulation?: unknown };
};

/** Screen size for a result without one; the report displays it unchanged. */
const unknownScreen = (strategy: Strategy) => ({
  mobile: strategy === 'mobile',
  disabled: false,
  width: '?',
  height: '?',
  deviceScaleFactor: '?',
});

/** Removes references to missing audits, which cannot be drawn. */
const withAudits = (categories: Lhr['categories'], audits: Lhr['audits']): Record<string, LhrCategory> =>
  Object.fromEntries(
    Object.entries(categories).map(([name, category]) => [
      name,
      { ...category, auditRefs: category.auditRefs.filter(({ id }) => Object.hasOwn(audits, id)) },
    ]),
  );

/** Returns groups of audits; the title of a group without one is its name. */
const toGroups = ({ categories, categoryGroups = {} }: ReadByReport): Record<string, unknown> => ({
  ...Object.fromEntries(
    Object.values(categories).flatMap(({ auditRefs }) =>
      auditRefs.flatMap(({ group }) => (group === undefined ? [] : [[group, { title: group }]])),
    ),
  ),
  ...categoryGroups,
});

/**
 * Completes the result for Lighthouse's report, which requires parts that PageSpeed Insights and other servers omit.
 * They are marked as unknown if the report has a text for that.
 */
export function toWholeLhr(lhr: ReadByReport, strategy: Strategy): ReadByReport {
  const settings = lhr.configSettings;
  return {
    ...lhr,
    gatherMode: lhr.gatherMode ?? 'navigation',
    runWarnings: lhr.runWarnings ?? [],
    userAgent: lhr.userAgent ?? '',
    environment: {
      networkUserAgent: 'unknown',
      ...lhr.environment,
      // The report calculates with this number, and has no text for an unknown value.
      benchmarkIndex: lhr.environment?.benchmarkIndex ?? 0,
    },
    configSettings: { ...settings, screenEmulation: settings?.screenEmulation ?? unknownScreen(strategy) },
    categories: withAudits(lhr.categories, lhr.audits),
    categoryGroups: toGroups(lhr),
    i18n: lhr.i18n ?? { rendererFormattedStrings: {} },
  };
}

const sayScore = (score: number | null | undefined): string =>
  typeof score === 'number' ? `${score} of 100` : 'no score';

/** Displays the most important values to readers without scripts. */
const plainView = (result: Result) => html`
    <h1>Lighthouse report for ${result.final_url}</h1>
    <p>${sayVerdict(result)}</p>
    <ul>
      ${categoryNames
        .filter(name => name in result.scores)
        .map(name => html`<li>${categoryWords[name]}: ${sayScore(result.scores[name])}</li>`)}
      ${result.agentic_browsing ? html`<li>${categoryWords['agentic-browsing']}: ${result.agentic_browsing.passed} of ${result.agentic_browsing.total} audits passed</li>` : nothing}
      ${scoredMetrics.map(name => {
        const { value, unit } = result.metrics[name];
        return html`<li>${metricWords[name].label}: ${formatValue(value, unit)}</li>`;
      })}
    </ul>
    <p>Measured with Lighthouse ${result.lighthouse_version}, ${result.strategy}, at ${result.fetched_at}. The details are drawn with JavaScript.</p>`;

/** Style of the note, in the page's colours. The report itself allows any style, because its script writes its own. */
const noteStyle = readStyle('note');

/** Displays the first fixes as bars of points. */
function fixesView(result: Result) {
  const groups = groupFindings(result);
  const best = bestFindings(groups);
  const reach = pointsReach(groups);
  if (best.length === 0) return nothing;
  return html`<p><strong>Fix first</strong> <span class="quiet">points at most, each fix alone</span></p><ol>${best.map(
    finding => html`<li><span><strong>${toPlainText(finding.title)}</strong> <span class="quiet">${[categoryWords[finding.category], sayFiles(finding), sayEffect(finding, result)].filter(Boolean).join(' · ')}</span></span>
      ${(finding.points ?? 0) < 0.5 ? nothing : html`${pointsBar(finding.points ?? 0, reach)}<span class="number">+${Math.round(finding.points ?? 0)}</span>`}</li>`,
  )}</ol>`;
}

/** Displays what Lighthouse's report lacks: the verdict, the variation of the scores, disturbances, the label, fixes. */
function noteView(result: Result) {
  const label = result.label === undefined ? undefined : `Label: ${result.label}`;
  const score = result.scores.performance;
  const runs = typeof score === 'number' ? `Performance ${score}, ${sayCertainty(result)}.` : undefined;
  const measured = `${result.final_url} · ${result.strategy} · ${sayUtc(result.fetched_at)}`;
  const said = [measured, runs, sayUncertainty(result), label].filter(sentence => sentence !== undefined);
  // The verdict starts with the disturbance, if there was one.
  return html`<aside class="rangelight-note" aria-label="Verdict"><p><strong>${sayHeadline(result)}</strong></p>${said.map(sentence => html`<p class="quiet">${sentence}</p>`)}${fixesView(result)}</aside>`;
}

/** Content security policy of reports; the file contains it too. */
export const reportPolicy = (): string => lighthouseShell().policy;

/**
 * Renders a result as one self-contained HTML file: Lighthouse's own report of the whole result.
 * @param report result with its `lighthouse_result`
 * @throws Error without it, because a report requires the full data
 */
export function renderReport(result: Result): string {
  const { lighthouse_result: lhr, strategy, final_url: url } = result;
  if (!isLhr(lhr)) throw new Error('An HTML report is drawn from full data: this result has no lighthouse_result');
  return lighthouseShell().fill({
    title: escapeMarkup(`${hostOf(url)}, ${strategy} · Lighthouse report`),
    note: `<style>${noteStyle}</style>${toHtml(noteView(result))}`,
    plain: toHtml(plainView(result)),
    json: toScriptJson(toWholeLhr(lhr, strategy)),
  });
}
