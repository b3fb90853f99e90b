import { html, nothing } from 'lit-html';
import { categoryNames, type Strategy } from '../../contract/names.ts';
import type { Result } from '../../contract/result/result.ts';
import { isLhr, type Lhr, type LhrCategory } from '../../measure/lhr/lhr.ts';
import { hostOf } from '../../presentation/download-name.ts';
import { bestFindings, groupFindings, sayEffect } from '../../presentation/findings/findings.ts';
import { toPlainText } from '../../presentation/markdown.ts';
import { formatValue } from '../../presentation/numbers.ts';
import { sayCertainty, sayRange, sayUncertainty } from '../../presentation/range.ts';
import { sayHeadline, sayVerdict } from '../../presentation/verdict.ts';
import { categoryWords, metricWords, scoredMetrics } from '../../presentation/words.ts';
import { pointsReach } from '../views/findings/findings-view.ts';
import { pointsBar } from '../views/points-bar.ts';
import { lighthouseShell } from './lighthouse-shell.ts';
import { escapeMarkup, toScriptJson } from './markup.ts';
import { toHtml } from './template-html.ts';

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
const noteStyle = `
.rangelight-note { --ink: #151a21; --quiet: #55606d; --line: #dce1e7; --gain: #3d8b1f; padding: 16px; border-block-end: 1px solid var(--line); background: #fff; color: var(--ink); font: 14px/1.5 system-ui, sans-serif; }
@media (prefers-color-scheme: dark) { .rangelight-note { --ink: #e8ecf1; --quiet: #a3aebb; --line: #2d3640; --gain: #79c94f; background: #12161c; } }
.rangelight-note > * { max-width: 60rem; margin-inline: auto; }
.rangelight-note p { margin-block: 0; }
.rangelight-note .quiet { color: var(--quiet); font-size: 12px; }
.rangelight-note ol { padding: 0; list-style: none; }
.rangelight-note li { display: grid; grid-template-columns: minmax(0, 1fr) 96px 40px; gap: 0 12px; align-items: center; min-height: 36px; border-block-start: 1px solid var(--line); }
.rangelight-note .number { font-variant-numeric: tabular-nums; text-align: end; }
.rangelight-note svg { display: block; width: 100%; height: 20px; }
.rangelight-note rect { fill: var(--gain); }
.rangelight-note line { stroke: var(--quiet); }
`;

/** Displays the first fixes as bars of points. */
function fixesView(result: Result) {
  const groups = groupFindings(result);
  const best = bestFindings(groups);
  const reach = pointsReach(groups);
  if (best.length === 0) return nothing;
  return html`<ol>${best.map(
    finding => html`<li><span><strong>${toPlainText(finding.title)}</strong> <span class="quiet">${[categoryWords[finding.category], sayEffect(finding, result)].filter(Boolean).join(' · ')}</span></span>
      ${(finding.points ?? 0) < 0.5 ? nothing : html`${pointsBar(finding.points ?? 0, reach)}<span class="number">+${Math.round(finding.points ?? 0)}</span>`}</li>`,
  )}</ol>`;
}

/** Displays what Lighthouse's report lacks: the verdict, the variation of the scores, disturbances, the label, fixes. */
function noteView(result: Result) {
  const label = result.label === undefined ? undefined : `Label: ${result.label}`;
  const range = sayRange(result, 'performance');
  const score = result.scores.performance;
  const runs =
    typeof score === 'number'
      ? `Performance ${score}, ${range ? `range ${range}, ` : ''}${sayCertainty(result)}.`
      : undefined;
  const said = [runs, sayUncertainty(result), label].filter(sentence => sentence !== undefined);
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
