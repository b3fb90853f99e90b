import { html } from 'lit-html';
import type { Static } from 'typebox';
import type { CompareResult } from '../../contract/analysis/answers.ts';
import { toAnswer } from '../../presentation/answer.ts';
import { hostOf } from '../../presentation/download-name.ts';
import { type SideNames, toSideNames } from '../../presentation/side-names.ts';
import { filedPairingView } from '../views/comparison/compare-view.ts';
import { toFilePolicy } from './file-policy.ts';
import { toScriptJson } from './markup.ts';
import { reportStyle, toOwnPage } from './own-page.ts';
import { toHtml } from './template-html.ts';

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
    title: `${hostOf(url)}, ${strategy}, compared`,
    body: toHtml(html`<main>
  <h1><span class="quiet">Result for</span> <span class="url">${url}</span></h1>
  ${answer.pairings.map(pairing => filedPairingView(pairing, names))}
</main>`),
    policy: comparisonPolicy,
    end: `<script type="application/json" id="comparison">${toScriptJson(comparison)}</script>`,
  });
}
