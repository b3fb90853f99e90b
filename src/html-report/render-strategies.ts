import { html, nothing } from 'lit-html';
import type { Failure } from '../http/schemas.ts';
import type { Report, Strategy } from '../report/report.ts';
import { toResult } from '../web/answer.ts';
import { troubleView } from '../web/page/trouble-view.ts';
import { frameSandbox } from './file-policy.ts';
import { toOwnPage } from './own-page.ts';
import { renderReport, reportPolicy } from './render-report.ts';
import { toHtml } from './template-html.ts';

type Part = Report | Failure;
type BothStrategies = { readonly url: string; readonly mobile: Part; readonly desktop: Part };

const names = { mobile: 'Mobile', desktop: 'Desktop' } as const;

/** Each report fills the window below the choice and scrolls by itself. Both are laid out, and one is seen. */
const style = `
html { overflow: hidden; }
body { display: grid; grid-template-rows: auto minmax(0, 1fr); height: 100dvh; }
.strategies { display: grid; grid-template: auto auto minmax(0, 1fr) / auto auto minmax(0, 1fr); width: 100%; max-width: none; margin: 0; padding: 0; }
.top { max-width: none; }
.strategies h1 { grid-column: 1 / -1; margin: 0; padding: 0 clamp(0.9rem, 3vw, 2rem) 0.6rem; font-size: 1.1rem; }
.strategies label { display: flex; align-items: center; gap: 0.5rem; min-height: 44px; padding-inline: clamp(0.9rem, 3vw, 2rem); border-block-end: 4px solid transparent; font-weight: 600; cursor: pointer; }
.strategies label:has(:checked) { border-color: var(--remote); }
.strategies label:has(:focus-visible) { outline: 3px solid var(--focus); outline-offset: -3px; }
.strategies input { margin: 0; accent-color: var(--remote-ink); }
.shown { grid-column: 1 / -1; grid-row: 3; overflow: auto; width: 100%; height: 100%; border: 0; border-block-start: 1px solid var(--line); background: var(--sheet); }
.strategies:not(:has([value="mobile"]:checked)) .mobile, .strategies:not(:has([value="desktop"]:checked)) .desktop { visibility: hidden; }
.shown .trouble { max-width: 46rem; margin: 1.5rem auto; padding-inline: 1rem; }
`;

const choice = (strategy: Strategy, isShown: boolean) =>
  html`<label><input type="radio" name="shown" value=${strategy} ?checked=${isShown}>${names[strategy]}</label>`;

/**
 * A document as the text of an attribute in single quotes. A result is full of double ones: written out they would make
 * the file half as long again, and take ten times as long as all else.
 */
const toSingleQuoted = (text: string): string => text.replaceAll('&', '&amp;').replaceAll("'", '&#39;');

const frame = (strategy: Strategy, report: Report): string =>
  `<iframe class="shown ${strategy}" title="${names[strategy]} report" sandbox="${frameSandbox}" srcdoc='${toSingleQuoted(renderReport(report))}'></iframe>`;

const drawPart = (strategy: Strategy, part: Part): string => {
  const result = toResult(part, { source: 'psi', strategy });
  const side = result?.kind === 'reports' ? result.columns[0]?.part : undefined;
  if (side?.ok) return frame(strategy, side.report);
  return toHtml(
    html`<section class="shown ${strategy}" aria-label="${names[strategy]}"><h2 class="unseen">${names[strategy]}</h2>${side ? troubleView(side.trouble) : nothing}</section>`,
  );
};

/** The policy of every such file, as it also stands in it. The frames inherit it. */
export const strategiesPolicy = reportPolicy;

/**
 * One page under both strategies as one HTML file: Lighthouse's own report of each, of which one is seen at a time.
 * @param both the body of `GET /psi` with both strategies and full data; one that failed is told as on the page
 */
export function renderStrategies({ url, mobile, desktop }: BothStrategies): string {
  const isMobileLost = 'error' in mobile && !('error' in desktop);
  return toOwnPage({
    title: `${URL.parse(url)?.host ?? url}, mobile and desktop`,
    style,
    policy: strategiesPolicy(),
    body: `<main class="strategies">
  ${toHtml(html`<h1><span class="quiet">Result for</span> <span class="url">${url}</span></h1>
  ${choice('mobile', !isMobileLost)}${choice('desktop', isMobileLost)}`)}
  ${drawPart('mobile', mobile)}${drawPart('desktop', desktop)}
</main>`,
  });
}
