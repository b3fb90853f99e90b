/** Views of a whole list: its totals, and its common findings. */

import { html, nothing } from 'lit-html';
import type { PageRequest } from '../../../api-client/page-request.ts';
import { hasEnded, type Row } from '../../../api-client/run-batch.ts';
import type { Rating } from '../../../contract/result/thresholds.ts';
import { rateScore } from '../../../presentation/metric-range.ts';
import { counted } from '../../../presentation/numbers.ts';
import type { SideNames } from '../../../presentation/side-names.ts';
import { ratingWords } from '../../../presentation/words.ts';
import { ratedValue, ratingMark, richText, sideName } from '../../views/marks.ts';
import { labelOf, sayValue, type TableLine } from './batch-table.ts';
import {
  type CommonFinding,
  type Total,
  type TotalGroup,
  toCommonFindings,
  toTemplateTotals,
  toTotals,
} from './batch-totals.ts';
import { sayPage } from './batch-words.ts';
import { blank } from './line-view.ts';

/** Caches totals, because sorting and searching do not change the rows. */
const remember = <T>(work: (lines: readonly TableLine[], request: PageRequest) => T) => {
  const known = new WeakMap<readonly Row[], T>();
  return (rows: readonly Row[], lines: readonly TableLine[], request: PageRequest): T => {
    const found = known.get(rows) ?? work(lines, request);
    known.set(rows, found);
    return found;
  };
};
const totalsOf = remember(toTotals);
const templatesOf = remember(toTemplateTotals);
const findingsOf = remember(lines => toCommonFindings(lines));

const ratings: readonly Rating[] = ['good', 'needs-improvement', 'poor'];

const countView = (rating: Rating, count: number) =>
  html`<span class="rated ${rating}">${ratingMark(rating)}${count}<span class="unseen"> ${ratingWords[rating]}</span></span>`;

const totalView = ({ key, median, rating, counts }: Total) => html`<div class="total">
  <dt>${labelOf(key)}</dt>
  <dd><span class="total-value">${median === null ? blank : ratedValue(sayValue(median, key), rating)}</span>
    <span class="total-counts row small">${median === null ? blank : ratings.map(name => countView(name, counts[name]))}</span></dd>
</div>`;

const groupView = (
  { source, strategy, totals }: TotalGroup,
  { isOnly, isLong }: { isOnly: boolean; isLong: boolean },
  names: SideNames,
) => html`
  ${isOnly ? nothing : html`<h4>${sideName(source, names)} <span class="quiet">${strategy}</span></h4>`}
  <dl class="totals" data-many=${isLong ? 'true' : 'false'}>${totals.map(totalView)}</dl>`;

type TotalsParts = {
  readonly rows: readonly Row[];
  readonly lines: readonly TableLine[];
  readonly request: PageRequest;
};

/** Displays the median of each value, and the numbers of pages that are good, need improvement, or are poor. */
export function totalsView({ rows, lines, request }: TotalsParts, names: SideNames) {
  const groups = totalsOf(rows, lines, request);
  const isMeasured = groups.some(({ totals }) => totals.some(({ median }) => median !== null));
  if (!isMeasured && rows.every(hasEnded)) return nothing;
  // Two-digit numbers need a second line on a phone, so its space is reserved from the start.
  const look = { isOnly: groups.length === 1, isLong: rows.length > 9 };
  return html`<section class="sheet">
    <h3>All pages</h3>
    <p class="small quiet totals-note">Medians, and how many pages are good, need improvement or are poor.</p>
    ${groups.map(group => groupView(group, look, names))}
  </section>`;
}

/** Displays the performance of each route template: the median and the worst of its pages. */
export function templatesView({ rows, lines, request }: TotalsParts, names: SideNames) {
  const totals = templatesOf(rows, lines, request);
  if (totals.length === 0) return nothing;
  return html`<section class="sheet">
    <h3>Performance by route template</h3>
    <ul class="plain common">${totals.map(
      ({ template, source, strategy, pages, measured, median, worst }) => html`<li>
      <span class="url">${template}</span> ${sideName(source, names)} <span class="quiet">${strategy}</span>
      <span class="worst small quiet">${measured} of ${pages} measured: median ${ratedValue(`${median}`, rateScore(median))}, worst ${ratedValue(`${worst}`, rateScore(worst))}</span>
    </li>`,
    )}</ul>
  </section>`;
}

type ShowPages = (finding: CommonFinding) => void;

const findingView = (finding: CommonFinding, host: string | undefined, show: ShowPages) => {
  const { title, urls, worst } = finding;
  const open = (): void => {
    show(finding);
    document.querySelector<HTMLElement>('.finding-chip')?.focus();
  };
  return html`<li>
  <span>${richText(title)}</span> <button type="button" class="number" @click=${open}><span class="unseen">Show the </span>${counted(urls.length, 'page')}</button>
  ${worst ? html`<span class="worst small quiet">Most on <span class="url">${sayPage(worst.url, host)}</span>: ${worst.effect}</span>` : nothing}
</li>`;
};

/** Displays findings that several pages share. @param show lists the pages of one finding */
export function commonView({ rows, lines, request }: TotalsParts, host: string | undefined, show: ShowPages) {
  const common = findingsOf(rows, lines, request);
  if (common.length === 0) return nothing;
  return html`<section class="sheet">
    <h3>What most pages have to fix</h3>
    <ul class="plain common">${common.map(finding => findingView(finding, host, show))}</ul>
  </section>`;
}
