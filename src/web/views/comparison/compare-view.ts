/** Displays both sides of one page: the verdict, scores, the split of the points, causes, metrics, fixes. */

import { html, nothing, svg } from 'lit-html';
import { type Backend, toAddress } from '../../../api-client/page-request.ts';
import { withIds } from '../../../api-client/stored/kept-result.ts';
import type { Source } from '../../../contract/errors.ts';
import { categoryNames, type MetricName } from '../../../contract/names.ts';
import type { Result } from '../../../contract/result/result.ts';
import type { Pairing } from '../../../presentation/answer.ts';
import { toWaterfall, type Waterfall } from '../../../presentation/charts/waterfall.ts';
import { toWords } from '../../../presentation/errors-in-words.ts';
import { mergeFindings } from '../../../presentation/findings/findings.ts';
import { sayDifference, sayScoreDifference, startUpper, withSign } from '../../../presentation/numbers.ts';
import { spreadOf } from '../../../presentation/range.ts';
import { categoriesOf, toResultRow } from '../../../presentation/result-rows.ts';
import { namesFor, type SideNames, sideOf } from '../../../presentation/side-names.ts';
import { toShown } from '../../../presentation/undisturbed.ts';
import { sayComparison } from '../../../presentation/verdict-words.ts';
import { categoryWords } from '../../../presentation/words.ts';
import { failureView } from '../failure-view.ts';
import { bestFixesView, findingsView } from '../findings/findings-view.ts';
import { filmstripView } from '../load-details/filmstrip-view.ts';
import { type Shown, withWhole } from '../load-details/load-details-state.ts';
import { light, percentOf, pointsBar, rowValue, sideLight, sideName } from '../marks.ts';
import { metricRange } from '../result/metric-range-view.ts';
import { metricName, metricsSection, scoreDial } from '../result/metrics-view.ts';
import {
  agenticView,
  columnView,
  dialNote,
  environmentView,
  measuredLine,
  staleNotice,
  warningsView,
} from '../result/result-view.ts';
import { vitalsView } from '../result/vitals-view.ts';
import { whatIfView } from '../what-if-view.ts';
import { type BothLooking, bothLoadDetailsView } from './both-view.ts';
import { causesView } from './causes-view.ts';

/** Draws a score at either end as a mark: a bar would have to start at zero. */
const end = (waterfall: Waterfall, source: Source, score: number, names: SideNames) => html`<tr class="end">
  <th scope="row">${light(source)}${names[source].short} score</th>
  <td><svg class="points-bar" aria-hidden="true">${svg`<circle class=${sideOf(source)} cx="${percentOf(score, waterfall)}%" cy="10" r="6" />`}</svg></td>
  <td class="number">${score}</td>
</tr>`;

/** Draws the steps from the PSI score to the local one by metric; empty if the service did not split the difference. */
function waterfallView({ scores, performance }: NonNullable<Pairing['comparison']>, names: SideNames) {
  const { psi, lighthouse } = scores.performance ?? { psi: null, lighthouse: null };
  const waterfall = psi === lighthouse ? undefined : toWaterfall(performance, psi);
  if (!waterfall || psi === null || lighthouse === null) return nothing;
  return html`<section>
    <h3>Where the points went</h3>
    <table class="waterfall">
      <caption class="unseen">Points of the performance score by metric, from the score of ${names.psi.short} to the local one</caption>
      <thead class="unseen"><tr><th scope="col">Metric</th><th scope="col">Change</th><th scope="col">Points</th></tr></thead>
      <tbody>
        ${end(waterfall, 'psi', psi, names)}
        ${waterfall.steps.map(
          ({ label, points, from, to }) => html`<tr>
            <th scope="row">${label}</th>
            <td>${pointsBar(to, waterfall, from)}</td>
            <td class="number">${withSign(points, 1)}</td>
          </tr>`,
        )}
        ${end(waterfall, 'lighthouse', lighthouse, names)}
      </tbody>
    </table>
  </section>`;
}

/** Returns whether all scores are equal, so that they need no explanation. */
const areEqual = ({ psi, lighthouse }: Pick<Both, 'psi' | 'lighthouse'>): boolean =>
  categoryNames.every(name => psi.scores[name] === lighthouse.scores[name]);

type Both = {
  readonly psi: Result;
  readonly lighthouse: Result;
  readonly comparison: NonNullable<Pairing['comparison']>;
  readonly names: SideNames;
};

/** Displays both performance scores as measured: the waterfall and the verdict are about these, disturbed or not. */
const scoresView = ({ psi, lighthouse, names }: Both) => html`<div class="both-scores">
  ${[psi, lighthouse].map(
    result => html`<section>${result.scores.performance === undefined ? nothing : scoreDial(categoryWords.performance, result.scores.performance, undefined, dialNote(result, 'performance'))}
      <div><h3>${sideName(result.source, names)}</h3>${measuredLine(result)}${agenticView(result)}</div></section>`,
  )}
</div>`;

/** Displays the other scores of both sides in one line. */
const otherScoresView = ({ psi, lighthouse, comparison, names }: Both) => html`<p class="other-scores row">
  ${categoryNames.slice(1).map(name => {
    if (psi.scores[name] === undefined && lighthouse.scores[name] === undefined) return nothing;
    const difference = comparison.scores[name]?.difference;
    const score = (result: Result) => {
      const row = toResultRow(result, name);
      return html`${sideLight(result.source, names)}${rowValue({ ...row, text: row.text ?? 'no score' })} `;
    };
    return html`<span>${categoryWords[name]} ${score(psi)}${score(lighthouse)}${typeof difference === 'number' && difference !== 0 ? html`<span class="unseen">Local ${sayScoreDifference(difference)}</span>` : nothing}</span> `;
  })}
</p>`;

const sideValue = (result: Result, name: MetricName, names: SideNames) =>
  html`<span class="side-value">${sideLight(result.source, names)}${rowValue(toResultRow(result, name))}</span>`;

/** Describes the difference of the displayed values; empty if one of them is unreliable. */
const sayApart = ({ psi, lighthouse }: Both, name: MetricName): string => {
  const [theirs, own] = [toShown(psi, name), toShown(lighthouse, name)];
  if (theirs.isUnreliable || own.isUnreliable) return '';
  if (theirs.value === null && own.value === null) return 'Not measured.';
  if (theirs.value === null || own.value === null) return 'One side has no value.';
  return `Local: ${sayDifference(own.value, theirs.value, lighthouse.metrics[name].unit)}`;
};

const metricRow = (both: Both, name: MetricName) => {
  const { psi, lighthouse, names } = both;
  const measured = [psi, lighthouse].flatMap(result => {
    const { value, rating } = toShown(result, name);
    return value === null ? [] : [{ source: result.source, value, rating, spread: spreadOf(result, name) }];
  });
  return html`<li class="metric pair">
    ${metricName(name)}
    <div class="metric-value">${sideValue(psi, name, names)} ${sideValue(lighthouse, name, names)}</div>
    ${metricRange(name, psi.strategy, measured, names)}
    <p class="difference small">${sayApart(both, name)}</p>
  </li>`;
};

/** Returns the side with the details of common findings: the local one, which can be measured again immediately. */
function tellingOf({ psi, lighthouse }: Both, page: Page | undefined): Shown['tellingOf'] {
  const looking = page?.looking;
  if (!looking || !psi.id || !lighthouse.id) return undefined;
  const sides = { psi, lighthouse };
  return sources => {
    const source = sources.includes('lighthouse') ? 'lighthouse' : 'psi';
    // The list of requests belongs to both sides.
    const { showRequest: _, ...own } = looking[source];
    return { result: withWhole(sides[source], own), looking: own };
  };
}

/** Links to each side alone: to its stored result if there is one, otherwise to a measurement. */
const aloneView = ({ psi, lighthouse, names }: Both) => {
  const { url, strategy } = psi;
  const categories = categoriesOf([psi]);
  const link = (backend: Backend, { id }: Result) =>
    withIds(toAddress({ urls: [url], backend, strategy, categories }), id ? [id] : []);
  return html`<p class="quiet">${psi.id && lighthouse.id ? 'Passed audits, scripts and third parties are in the result of one side' : 'Details of each finding are in a measurement of one side'}:
    <a href=${link('remote', psi)}>${names.psi.full}</a>, <a href=${link('local', lighthouse)}>${names.lighthouse.full}</a>.</p>`;
};

/** Capabilities that a page has and a file lacks: further details of each side, and links. */
type Page = { readonly looking: BothLooking | undefined };

const bothView = (both: Both, page: Page | undefined) => {
  const { psi, lighthouse, comparison, names } = both;
  const merged = mergeFindings(psi, lighthouse);
  // A list may have several open comparisons.
  const name = page && !page.looking ? undefined : `compared-${psi.strategy}`;
  const hasPerformance = psi.scores.performance !== undefined || lighthouse.scores.performance !== undefined;
  return html`
    <div class="seen stack">
      <div class="seen-words stack">${scoresView(both)} ${waterfallView(comparison, names)} ${otherScoresView(both)}</div>
      ${areEqual(both) ? nothing : causesView(comparison, names)}
    </div>
    ${bestFixesView(merged, { name, names }, ({ sources }) => page?.looking?.[sources.includes('lighthouse') ? 'lighthouse' : 'psi'])}
    ${filmstripView(
      [psi, lighthouse].map(result => ({
        result: withWhole(result, page?.looking?.[result.source]),
        looking: page?.looking?.[result.source],
      })),
      names,
    )}
    ${[psi, lighthouse].map(result => html`${staleNotice(result)} ${warningsView(result, result.warnings)}`)}
    ${
      hasPerformance
        ? html`${metricsSection(name => metricRow(both, name))} ${vitalsView([psi, lighthouse], names)}`
        : nothing
    }
    ${bothLoadDetailsView(both, page?.looking)}
    ${whatIfView(lighthouse, names, page?.looking?.lighthouse, sideName('lighthouse', names))}
    ${findingsView(merged, `bears compared ${psi.strategy} ${psi.fetched_at} ${psi.url}`, { name, names, choosing: page?.looking?.lighthouse.choosing, tellingOf: tellingOf(both, page) })} ${page ? aloneView(both) : nothing}
    <div class="beside">${[psi, lighthouse].map(result => html`<div>${sideName(result.source, names)} ${environmentView(result)}</div>`)}</div>`;
};

/** Displays both sides beside each other, at least one of which failed; a failure that both share only once. */
function partsView({ strategy, psi, lighthouse }: Pairing, names: SideNames, page: Page | undefined) {
  const [one, other] = [psi, lighthouse].map(part => (part.ok ? '' : toWords(part.failure, names).what.join()));
  if (!psi.ok && one === other) return html`<div class="sheet">${failureView(psi.failure, names)}</div>`;
  return html`<div class="columns">${columnView({ source: 'psi', strategy, part: psi }, names, page?.looking?.psi)}${columnView({ source: 'lighthouse', strategy, part: lighthouse }, names, page?.looking?.lighthouse)}</div>`;
}

function drawPairing(pairing: Pairing, known: SideNames, page?: Page) {
  const { strategy, psi, lighthouse, comparison } = pairing;
  const names = namesFor(psi, known);
  const both =
    psi.ok && lighthouse.ok && comparison
      ? { psi: psi.result, lighthouse: lighthouse.result, comparison, names }
      : undefined;
  const top = html`<div class="pairing-top"><h2>Compared <span class="quiet">${startUpper(strategy)}</span></h2>
    <p class="verdict">${sayComparison(pairing, names)}</p></div>`;
  return html`<section class="pairing stack">${
    both
      ? html`<div class="sheet compared stack">${top} ${bothView(both, page)}</div>`
      : html`<div class="sheet">${top}</div>
        ${partsView(pairing, names, page)}`
  }</section>`;
}

/**
 * Displays a comparison; if a side failed, shows the whole result of the other side next to the reason.
 * @param known names of the sides on the page
 * @param looking loads more of either side; absent if that is impossible
 */
export const pairingView = (pairing: Pairing, known: SideNames, looking?: BothLooking) =>
  drawPairing(pairing, known, { looking });

/** Displays a comparison in a file, without a service. */
export const filedPairingView = (pairing: Pairing, known: SideNames) => drawPairing(pairing, known);
