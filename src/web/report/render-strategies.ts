import { html, nothing } from 'lit-html';
import type { Static } from 'typebox';
import type { CompareResult, Failure } from '../../contract/analysis/answers.ts';
import type { Strategy } from '../../contract/names.ts';
import type { Result } from '../../contract/result/result.ts';
import { toAnswer } from '../../presentation/answer.ts';
import { hostOf, pathOf } from '../../presentation/download-name.ts';
import { startUpper } from '../../presentation/numbers.ts';
import { type SideNames, toSideNames } from '../../presentation/side-names.ts';
import { filedPairingView } from '../views/comparison/compare-view.ts';
import { failureView } from '../views/failure-view.ts';
import { frameSandbox, toFilePolicy } from './file-policy.ts';
import { toScriptJson } from './markup.ts';
import { reportStyle, toOwnPage } from './own-page.ts';
import { renderReport, reportPolicy } from './render-report.ts';
import { toHtml } from './template-html.ts';

type BothStrategies = { readonly url: string; readonly mobile: Result | Failure; readonly desktop: Result | Failure };

/**
 * Each report fills the window below the selection and scrolls by itself. Both are laid out, but only one is visible.
 */
const style = `
html { overflow: hidden; }
body { display: grid; grid-template-rows: auto minmax(0, 1fr); height: 100dvh; }
.strategies { display: grid; grid-template: auto auto minmax(0, 1fr) / auto auto minmax(0, 1fr); width: 100%; max-width: none; margin: 0; padding: 0; }
.top { max-width: none; }
.strategies h1 { grid-column: 1 / -1; margin: 0; padding: 0 clamp(0.9rem, 3vw, 2rem) 0.6rem; font-size: 1.1rem; }
.strategies label { display: flex; align-items: center; gap: 0.5rem; min-height: 44px; padding-inline: clamp(0.9rem, 3vw, 2rem); border-block-end: 4px solid transparent; font-weight: 600; cursor: pointer; }
.strategies label:has(:checked) { border-color: var(--remote); }
.strategies label:has(:focus-visible) { outline: 3px solid var(--accent); outline-offset: -3px; }
.strategies input { margin: 0; accent-color: var(--remote-ink); }
.shown { grid-column: 1 / -1; grid-row: 3; overflow: auto; width: 100%; height: 100%; border: 0; border-block-start: 1px solid var(--line); background: var(--sheet); }
.strategies:not(:has([value="mobile"]:checked)) .mobile, .strategies:not(:has([value="desktop"]:checked)) .desktop { visibility: hidden; }
.shown .failure { max-width: 46rem; margin: 1.5rem auto; padding-inline: 1rem; }
`;

const choice = (strategy: Strategy, isShown: boolean) =>
  html`<label><input type="radio" name="shown" value=${strategy} ?checked=${isShown}>${startUpper(strategy)}</label>`;

/**
 * Escapes a document for an attribute in single quotes. A result contains many double quotes: escaping them would
 * increase the file by half, and take ten times as long as everything else.
 */
const toSingleQuoted = (text: string): string => text.replaceAll('&', '&amp;').replaceAll("'", '&#39;');

const frame = (strategy: Strategy, result: Result): string =>
  `<iframe class="shown ${strategy}" title="${startUpper(strategy)} report" sandbox="${frameSandbox}" srcdoc='${toSingleQuoted(renderReport(result))}'></iframe>`;

const drawPart = (strategy: Strategy, part: Result | Failure, sides: SideNames): string => {
  const answer = toAnswer(part, { source: 'psi', strategy });
  const side = answer?.kind === 'results' ? answer.columns[0]?.part : undefined;
  if (side?.ok) return frame(strategy, side.result);
  return toHtml(
    html`<section class="shown ${strategy}" aria-label="${startUpper(strategy)}"><h2 class="unseen">${startUpper(strategy)}</h2>${side ? failureView(side.failure, sides) : nothing}</section>`,
  );
};

/**
 * Renders one page with both strategies as one HTML file: Lighthouse's own reports, one visible at a time.
 * @param both response of `GET /psi` with both strategies and full data; a failed one is displayed as on the page
 */
export function renderStrategies({ url, mobile, desktop }: BothStrategies): string {
  const isMobileLost = 'error' in mobile && !('error' in desktop);
  // The successful part contains the analyser of both.
  const sides = toSideNames([mobile, desktop].flatMap(part => ('error' in part ? [] : [part.analyser]))[0]);
  return toOwnPage({
    title: `${hostOf(url)}${pathOf(url)}, mobile and desktop`,
    style,
    policy: reportPolicy(),
    body: `<main class="strategies">
  ${toHtml(html`<h1><span class="quiet">Result for</span> <span class="url">${url}</span></h1>
  ${choice('mobile', !isMobileLost)}${choice('desktop', isMobileLost)}`)}
  ${drawPart('mobile', mobile, sides)}${drawPart('desktop', desktop, sides)}
</main>`,
  });
}

/** Content security policy of comparison reports, which have no script; the file contains it too. */
export const comparisonPolicy: string = toFilePolicy({ styles: [reportStyle] });

/**
 * Renders a comparison as one self-contained HTML file without scripts, with the page's own views. The file also
 * contains the whole response, for programs.
 * @param comparison response of `GET /compare`; a failed side is displayed as on the page
 * @param names names of the sides, if a failed one does not contain its own
 */
export function renderComparison(
  comparison: Static<typeof CompareResult>,
  names: SideNames = toSideNames(undefined),
): string {
  const { url, strategy } = comparison;
  const answer = toAnswer(comparison, { source: 'psi', strategy });
  if (answer?.kind !== 'comparisons') throw new Error('An HTML report of a comparison is drawn from two sides');
  return toOwnPage({
    title: `${hostOf(url)}${pathOf(url)}, ${strategy}, compared`,
    body: toHtml(html`<main>
  <h1><span class="quiet">Result for</span> <span class="url">${url}</span></h1>
  ${answer.pairings.map(pairing => filedPairingView(pairing, names))}
</main>`),
    policy: comparisonPolicy,
    end: `<script type="application/json" id="comparison">${toScriptJson(comparison)}</script>`,
  });
}
