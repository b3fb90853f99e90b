import { html, nothing } from 'lit-html';
import type { RequestCategory } from '../../../contract/names.ts';
import type { Result } from '../../../contract/result/result.ts';
import type { Column } from '../../../presentation/answer.ts';
import { toWords } from '../../../presentation/errors-in-words.ts';
import { absent, counted, joinWords, sayUtc } from '../../../presentation/numbers.ts';
import { sayRepeatedCertainty, spreadOf } from '../../../presentation/range.ts';
import { categoriesOf, measuredOf, toPageValue, toResultRow } from '../../../presentation/result-rows.ts';
import { namesFor, type SideNames } from '../../../presentation/side-names.ts';
import { sayMark } from '../../../presentation/undisturbed.ts';
import {
  categoryWords,
  headOf,
  isTableMetric,
  metricWords,
  ratingWords,
  type TableMetric,
  tableMetrics,
} from '../../../presentation/words.ts';
import { rowValue, sideLight, sideName } from '../../views/marks.ts';
import { toFilePolicy } from '../file-policy.ts';
import { toScriptJson } from '../markup.ts';
import { readStyle, reportStyle, toOwnPage } from '../own-page.ts';
import { toHtml } from '../template-html.ts';
import { countRatings, hasResult, type IndexEntry, indexScript, orderEntries } from './index-order.ts';

/** Additions to the style of the reports. It contains no `<`, so it cannot end its element. */
const indexStyle = readStyle('index-file');

/** Mark of an index that Rangelight wrote: no other file is ever replaced. */
export const indexMark = 'id="rangelight-index"';

export type Index = {
  readonly entries: readonly IndexEntry[];
  readonly names: SideNames;
  /** Number of requested results; after a cancellation, the index contains fewer. */
  readonly asked: number;
};

type Key = RequestCategory | TableMetric;

const resultsOf = (entries: readonly IndexEntry[]) =>
  entries.flatMap(({ columns }) => columns.flatMap(({ part }) => (part.ok ? [part.result] : [])));

/** Returns the columns that any result has. */
function keysOf(entries: readonly IndexEntry[]): Key[] {
  const results = resultsOf(entries);
  return [...categoriesOf(results), ...measuredOf(tableMetrics, results)];
}

const none = (words: string) => html`${absent}<span class="unseen"> ${words}</span>`;

function valueView({ part }: Column, key: Key) {
  if (!part.ok) return none('not measured');
  const row = toResultRow(part.result, key);
  if (row.text === undefined) return none(isTableMetric(key) ? 'no value' : 'no score');
  // The name of the page says that its load was disturbed.
  return rowValue({ ...row, isMarked: row.isMarked && row.rating === null });
}

/** Returns the sort value: the page's value or, if there are two sides, the worse one. Undefined if neither has one. */
function worstValue({ columns }: IndexEntry, key: Key): number | undefined {
  const values = columns.flatMap(({ part }) => (part.ok ? (toPageValue(part.result, key) ?? []) : []));
  if (values.length === 0) return undefined;
  return isTableMetric(key) ? Math.max(...values) : Math.min(...values);
}

const cellView = ({ columns }: IndexEntry, key: Key, worst: number | undefined, names: SideNames) =>
  html`<td role="cell" data-value=${worst ?? nothing}><span class="cell-label" aria-hidden="true">${headOf(key)}</span>${columns.map(
    column =>
      html`<span>${columns.length > 1 ? sideLight(column.source, namesFor(column.part, names)) : nothing}${valueView(column, key)}</span>`,
  )}</td>`;

const pictureView = ({ picture }: IndexEntry) =>
  picture === undefined
    ? html`<div class="thumbnail"></div>`
    : html`<img class="thumbnail" src=${picture} alt="" decoding="async">`;

/** Describes the failed sides of a pair, in a line below its name. */
const failedSides = ({ columns }: IndexEntry, names: SideNames): string[] =>
  columns.flatMap(({ source, part }) =>
    part.ok ? [] : [`${names[source].short}: ${toWords(part.failure, names).heading}`],
  );

/** Describes each result by a fact; the name of its side only next to another one. */
const sayEach = ({ columns }: IndexEntry, names: SideNames, say: (result: Result) => string | undefined): string[] =>
  columns.flatMap(({ source, part }) => {
    const said = part.ok ? say(part.result) : undefined;
    return said === undefined ? [] : [columns.length > 1 ? `${names[source].short}: ${said}` : said];
  });

/** Facts that all rows share. */
type ShownParts = { readonly keys: readonly Key[]; readonly names: SideNames; readonly hasPictures: boolean };

const nameView = (entry: IndexEntry, names: SideNames) => html`<div>
    ${entry.report === undefined ? entry.url : html`<a href=${`./${encodeURIComponent(entry.report)}`}>${entry.url}</a>`}
    <div class="quiet small">${[entry.strategy, ...sayEach(entry, names, sayRepeatedCertainty), ...sayEach(entry, names, sayMark), ...failedSides(entry, names)].join(' · ')}</div>
  </div>`;

const rowView = (entry: IndexEntry, { keys, names, hasPictures }: ShownParts) => html`<tr role="row">
  <th role="rowheader" scope="row" data-value=${entry.url}>${
    hasPictures
      ? html`<div class="indexed">${pictureView(entry)}${nameView(entry, names)}</div>`
      : nameView(entry, names)
  }</th>
  ${keys.map(key => cellView(entry, key, worstValue(entry, key), names))}
</tr>
`;

const headView = (key: Key) =>
  html`<th role="columnheader" scope="col" data-first=${isTableMetric(key) ? 'high' : 'low'}>${isTableMetric(key) ? html`<abbr title=${metricWords[key].label}>${headOf(key)}</abbr>` : categoryWords[key]}</th>`;

/** Displays which mark belongs to which side; empty for one side. */
const sidesView = (entries: readonly IndexEntry[], names: SideNames) => {
  const sources = [...new Set(entries.flatMap(({ columns }) => columns.map(({ source }) => source)))];
  return sources.length > 1
    ? html`<p class="index-sides small">${sources.map(source => html`<span>${sideName(source, names)}</span>`)}</p>`
    : nothing;
};

const tableView = (entries: readonly IndexEntry[], names: SideNames) => {
  const hasPictures = entries.some(({ picture }) => picture !== undefined);
  const shown = { keys: keysOf(entries), names, hasPictures };
  return html`${sidesView(entries, names)}<table class="index" role="table">
<caption class="unseen">Results, the worst performance first</caption>
<thead role="rowgroup"><tr role="row"><th role="columnheader" scope="col">Page</th>${shown.keys.map(headView)}</tr></thead>
<tbody role="rowgroup">
${entries.map(entry => rowView(entry, shown))}</tbody>
</table>`;
};

/** Describes failures; equal ones of both sides are described once. */
function failureWords({ columns }: IndexEntry, names: SideNames) {
  const words = columns.flatMap(({ part }) => (part.ok ? [] : [toWords(part.failure, names)]));
  return words.filter(({ code }, at) => words.findIndex(other => other.code === code) === at);
}

const failedView = (entries: readonly IndexEntry[], names: SideNames) => html`<section class="not-measured">
  <h2>Not measured: ${entries.length}</h2>
  <ul class="plain">${entries.map(
    entry =>
      html`<li>${entry.url} <span class="quiet small">${entry.strategy}</span>${failureWords(entry, names).map(
        ({ heading, what, advice, code }) =>
          html`<p><strong>${heading}</strong> <code>${code}</code></p><p>${what.join(' ')} ${advice}</p>`,
      )}</li>`,
  )}</ul>
</section>`;

function sayRatings(entries: readonly IndexEntry[]): string {
  const counts = countRatings(entries);
  const said = (['poor', 'needs-improvement', 'good'] as const).flatMap(rating =>
    counts[rating] > 0 ? [`${counts[rating]} ${ratingWords[rating]}`] : [],
  );
  return said.length > 0 ? `Performance: ${joinWords(said)}.` : '';
}

function sayFacts(entries: readonly IndexEntry[]): string {
  const results = resultsOf(entries);
  const times = results.map(result => sayUtc(result.fetched_at)).toSorted();
  const spans = [...new Set([times.at(0), times.at(-1)])].filter(time => time !== undefined);
  const versions = [...new Set(results.map(result => `Lighthouse ${result.lighthouse_version}`))].toSorted();
  return [joinWords(spans, 'to'), ...versions, 'the worst performance first'].filter(fact => fact !== '').join(' · ');
}

const toRange = (result: Result) => {
  const range = spreadOf(result, 'performance');
  return range ? { min: range.min, max: range.max } : null;
};

/** Data for programs, which also identify an index of Rangelight. */
const toData = (entries: readonly IndexEntry[]) =>
  entries.map(({ url, strategy, columns, report }) => ({
    url,
    strategy,
    ...(report === undefined ? {} : { report }),
    results: columns.map(({ source, part }) =>
      part.ok
        ? {
            source,
            scores: part.result.scores,
            agentic_browsing: part.result.agentic_browsing,
            disturbed: part.result.disturbed ?? null,
            performance_range: toRange(part.result),
          }
        : { source, error: toWords(part.failure).code },
    ),
  }));

/** Renders the index of several reports as one HTML file that needs only these reports. */
export function renderIndex({ entries, names, asked }: Index): string {
  const ordered = orderEntries(entries);
  const [measured, failed] = [ordered.filter(hasResult), ordered.filter(entry => !hasResult(entry))];
  const title = counted(entries.length, 'result');
  return toOwnPage({
    title,
    style: indexStyle,
    policy: toFilePolicy({ scripts: [indexScript], styles: [reportStyle + indexStyle] }),
    body: toHtml(html`<main>
  <h1>${title}</h1>
  ${asked > entries.length ? html`<p>The command was cancelled: ${entries.length} of ${counted(asked, 'result')} were there.</p>` : nothing}
  <p>${sayRatings(measured)}${failed.length > 0 ? ` ${failed.length} could not be measured.` : nothing}</p>
  ${
    measured.length > 0
      ? html`<p class="quiet small index-facts">${sayFacts(measured)}</p>${tableView(measured, names)}`
      : nothing
  }
  ${failed.length > 0 ? failedView(failed, names) : nothing}
</main>`),
    end: `<script type="application/json" ${indexMark}>${toScriptJson(toData(ordered))}</script>
<script>${indexScript}</script>`,
  });
}
