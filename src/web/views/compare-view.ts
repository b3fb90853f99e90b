/** Both sides of one page, aligned: the verdict, scores, where the points went, why, metrics, what to fix. */
import { html, nothing } from 'lit-html';
import type { Metric, MetricName, Report } from '../../report/report.ts';
import type { Pairing, Part, Source } from '../answer.ts';
import { categoryWords, mergeFindings } from '../findings.ts';
import { bordersOf, otherMetrics, rate, scoredMetrics } from '../metric-range.ts';
import { absent, formatValue, sayDifference, sayScoreDifference } from '../numbers.ts';
import { type Backend, categoryNames, toAddress } from '../page-request.ts';
import { sayComparison } from '../verdict.ts';
import { type Comparison, causesView, noiseView } from './causes-view.ts';
import { findingsView } from './findings-view.ts';
import { ratedValue, sideLight, sideName } from './marks.ts';
import { metricRange } from './metric-range.ts';
import { metricName } from './metrics-view.ts';
import { columnView, environmentView, factsLine, staleNotice, warningsView } from './report-view.ts';
import { scoreDial } from './score-dial.ts';
import { vitalsView } from './vitals-view.ts';
import { waterfallView } from './waterfall-view.ts';

const strategyNames = { mobile: 'Mobile', desktop: 'Desktop' } as const;

/** The two lights of the name: in line where both sides agree, the further apart the more points lie between. */
const rangeLights = (difference: number | null | undefined) => {
  const shift = Math.max(-22, Math.min(22, (difference ?? 0) / 2));
  return html`<svg class="range-lights" viewBox="0 0 56 44" width="56" height="44" aria-hidden="true">
    <path class="posts" d="M28 10 V40" />
    <path class="posts" d="M28 30 H${28 + shift}" />
    <circle class="remote" cx="28" cy="10" r="6" />
    <circle class="local" cx=${28 + shift} cy="30" r="6" />
  </svg>`;
};

type Both = { psi: Report; lighthouse: Report; comparison: NonNullable<Pairing['comparison']> };

const scoreRow = ({ psi, lighthouse, comparison }: Both, name: (typeof categoryNames)[number]) => {
  const [remote, local] = [psi.scores[name], lighthouse.scores[name]];
  if (remote === undefined && local === undefined) return nothing;
  const difference = comparison.scores[name]?.difference;
  return html`<li class="score-pair">
    <h4>${categoryWords[name]}</h4>
    <div class="dials">${scoreDial('Remote', remote ?? null, 'psi')}${scoreDial('Local', local ?? null, 'lighthouse')}</div>
    <p class="difference">${typeof difference === 'number' ? html`Local: ${sayScoreDifference(difference)}` : `${absent} no difference to tell`}</p>
  </li>`;
};

const sideValue = (source: Source, { metrics, strategy }: Report, name: MetricName) => {
  const { value, unit } = metrics[name];
  const borders = bordersOf(name, strategy);
  return html`<span class="side-value">${sideLight(source)}${ratedValue(
    formatValue(value, unit),
    value !== null && borders ? rate(value, borders) : null,
  )}</span>`;
};

const sayApart = (psi: Metric, lighthouse: Metric): string => {
  if (psi.value === null && lighthouse.value === null) return 'Not measured.';
  if (psi.value === null || lighthouse.value === null) return 'One side has no value.';
  return `Local: ${sayDifference(lighthouse.value, psi.value, lighthouse.unit)}`;
};

const metricRow = ({ psi, lighthouse }: Both, name: MetricName) => {
  const measured = [psi, lighthouse].flatMap(({ source, metrics }) => {
    const { value } = metrics[name];
    return value === null ? [] : [{ source, value }];
  });
  return html`<li class="metric pair">
    ${metricName(name)}
    <div class="metric-value">${sideValue('psi', psi, name)} ${sideValue('lighthouse', lighthouse, name)}</div>
    ${metricRange(name, psi.strategy, measured)}
    <p class="difference small">${sayApart(psi.metrics[name], lighthouse.metrics[name])}</p>
  </li>`;
};

/** A comparison comes without details and pictures: one side alone has them. */
const aloneView = ({ url, strategy, scores }: Report) => {
  const categories = categoryNames.filter(name => name in scores);
  const link = (backend: Backend) => toAddress({ urls: [url], backend, strategy, categories });
  return html`<p class="quiet">For the details of each and pictures of the page, measure it
    <a href=${link('remote')}>remotely alone</a> or <a href=${link('local')}>locally alone</a>.</p>`;
};

/** What ends a comparison: ways to the details of each side, where there is a service to ask. */
type Ending = (psi: Report) => unknown;

const bothView = (both: Both, endingView: Ending) => {
  const { psi, lighthouse, comparison } = both;
  const hasPerformance = psi.scores.performance !== undefined || lighthouse.scores.performance !== undefined;
  return html`
    <section>
      <h3>Scores</h3>
      <ul class="plain score-pairs">${categoryNames.map(name => scoreRow(both, name))}</ul>
    </section>
    ${waterfallView(comparison as Comparison)} ${causesView(comparison as Comparison)}
    ${
      hasPerformance
        ? html`<section class="metrics">
            <h3>Metrics</h3>
            <ul class="plain">${scoredMetrics.map(name => metricRow(both, name))}</ul>
            <details class="fold">
              <summary>Not part of the score</summary>
              <ul class="plain">${otherMetrics.map(name => metricRow(both, name))}</ul>
            </details>
          </section>
          ${vitalsView([psi, lighthouse])}`
        : nothing
    }
    ${noiseView(comparison as Comparison)} ${findingsView(mergeFindings(psi, lighthouse))} ${endingView(psi)}
    <div class="beside">${[psi, lighthouse].map(report => html`<div>${sideName(report.source)} ${environmentView(report)}</div>`)}</div>`;
};

const sideFacts = (source: Source, part: Part) =>
  part.ok
    ? html`<div class="side-facts">${sideName(source)} ${factsLine(part.report)} ${staleNotice(part.report)} ${warningsView(part.report)}</div>`
    : nothing;

function drawPairing(pairing: Pairing, endingView: Ending) {
  const { strategy, psi, lighthouse, comparison } = pairing;
  const both =
    psi.ok && lighthouse.ok && comparison ? { psi: psi.report, lighthouse: lighthouse.report, comparison } : undefined;
  return html`<section class="pairing">
    <div class="sheet pairing-top">
      ${rangeLights(comparison?.scores.performance?.difference)}
      <div>
        <h2>Compared <span class="quiet">${strategyNames[strategy]}</span></h2>
        <p class="verdict">${sayComparison(pairing)}</p>
      </div>
      ${both ? html`<div class="beside">${sideFacts('psi', psi)}${sideFacts('lighthouse', lighthouse)}</div>` : nothing}
    </div>
    ${
      both
        ? html`<div class="sheet compared">${bothView(both, endingView)}</div>`
        : html`<div class="columns">${columnView({ source: 'psi', strategy, part: psi })}${columnView({ source: 'lighthouse', strategy, part: lighthouse })}</div>`
    }
  </section>`;
}

/** A comparison; where a side failed, the other one's whole Report beside the reason. */
export const pairingView = (pairing: Pairing) => drawPairing(pairing, aloneView);

/** The same in a file, which has no service to ask. */
export const filedPairingView = (pairing: Pairing) => drawPairing(pairing, () => nothing);
