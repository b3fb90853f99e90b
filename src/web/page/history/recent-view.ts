/** The pages that were measured lately, on the page as it opens. */
import { html, nothing, svg } from 'lit-html';
import { toAddress } from '../../../api-client/page-request.ts';
import { toChangeAddress } from '../../../api-client/stored/change.ts';
import { toHistoryAddress } from '../../../api-client/stored/history.ts';
import { withIds } from '../../../api-client/stored/kept-result.ts';
import { categoryNames } from '../../../contract/names.ts';
import { rateScore } from '../../../presentation/metric-range.ts';
import { absent, counted } from '../../../presentation/numbers.ts';
import type { RecentPage } from '../../../presentation/recent-pages.ts';
import type { SideNames } from '../../../presentation/side-names.ts';
import { deniedValue, light, ratedValue } from '../../views/marks.ts';

const clock = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

const width = 96;
const height = 28;

/** Scores from 0 to 100; the text beside it says the last one. */
const trendLine = (trend: readonly number[]) => {
  if (trend.length < 2) return html`<span class="trend small quiet">one result</span>`;
  const points = trend.map(
    (score, at) =>
      `${(2 + ((width - 4) * at) / (trend.length - 1)).toFixed(1)},${(height - 2 - ((height - 4) * score) / 100).toFixed(1)}`,
  );
  const said = `${counted(trend.length, 'result')}, from ${Math.min(...trend)} to ${Math.max(...trend)}`;
  return html`<svg class="trend" viewBox="0 0 ${width} ${height}" role="img" aria-label=${said}>
    ${svg`<polyline points=${points.join(' ')} />`}
  </svg>`;
};

const lastScore = (score: number | null, isDisturbed: boolean) => {
  if (score === null) return absent;
  return isDisturbed ? deniedValue(`${score}`) : ratedValue(`${score}`, rateScore(score));
};

const pageView = (
  { id, url, source, strategy, measuredAt, score, isDisturbed, trend }: RecentPage,
  names: SideNames,
) => {
  const backend = source === 'psi' ? 'remote' : 'local';
  const address = withIds(toAddress({ urls: [url], backend, strategy, categories: categoryNames }), [id]);
  return html`<li class="recent">
    <a class="url" href=${address}>${url}</a>
    <span class="recent-facts small quiet"><span>${light(source)}${names[source].short}, ${strategy}</span> <time datetime=${measuredAt}>${clock.format(new Date(measuredAt))}</time></span>
    <span class="recent-score">${lastScore(score, isDisturbed)}</span>
    ${trendLine(trend)}
    <a class="button" href=${toHistoryAddress({ url, source, strategy })}>History<span class="unseen"> of ${url}, ${strategy}, ${names[source].short}</span></a>
  </li>`;
};

export const recentView = (pages: readonly RecentPage[], names: SideNames) =>
  pages.length === 0
    ? nothing
    : html`<h2>Measured lately</h2>
        <p class="quiet small">With the last performance score, and those before it. <a href=${toChangeAddress({ before: '', after: '' })}>Compare two labels</a></p>
        <ul class="plain recents">${pages.map(page => pageView(page, names))}</ul>`;
