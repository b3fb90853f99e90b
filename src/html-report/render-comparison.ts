import { html } from 'lit-html';
import type { Static } from 'typebox';
import type { CompareReport } from '../http/schemas.ts';
import { toResult } from '../web/answer.ts';
import { filedPairingView } from '../web/page/compare-view.ts';
import { toFilePolicy } from './file-policy.ts';
import { toScriptJson } from './markup.ts';
import { toOwnPage } from './own-page.ts';
import { reportStyle } from './report-style.ts';
import { toHtml } from './template-html.ts';

/** The policy of every such report, as it also stands in the file: it has no script at all. */
export const comparisonPolicy: string = toFilePolicy({ styles: [reportStyle] });

const hostOf = (url: string): string => URL.parse(url)?.host ?? url;

/**
 * A comparison as one HTML file that needs nothing beside itself, scripts neither: the page's own views, drawn before
 * it is sent. The whole answer stands in it too, for programs.
 * @param comparison the body of `GET /compare`; a side that failed is told as on the page
 */
export function renderComparison(comparison: Static<typeof CompareReport>): string {
  const { url, strategy } = comparison;
  const result = toResult(comparison, { source: 'psi', strategy });
  if (result?.kind !== 'comparisons') throw new Error('An HTML report of a comparison is drawn from two sides');
  return toOwnPage({
    title: `${hostOf(url)}, ${strategy}, compared`,
    body: toHtml(html`<main>
  <h1><span class="quiet">Result for</span> <span class="url">${url}</span></h1>
  ${result.pairings.map(filedPairingView)}
</main>`),
    policy: comparisonPolicy,
    end: `<script type="application/json" id="comparison">${toScriptJson(comparison)}</script>`,
  });
}
