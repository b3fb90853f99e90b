/** Displays what to fix by category, with a filter by metric that needs no script. */

import { html, nothing } from 'lit-html';
import type { RequestCategory } from '../../../contract/names.ts';
import { isForRepeatVisits } from '../../../contract/result/advice.ts';
import type { Result } from '../../../contract/result/result.ts';
import {
  bestFindings,
  countFindings,
  type Finding,
  type FindingGroup,
  sayEffect,
  sayFiles,
  saySavings,
  toFindingFacts,
} from '../../../presentation/findings/findings.ts';
import {
  bearsOn,
  type CountedChoice,
  choiceWords,
  countChoices,
} from '../../../presentation/findings/metric-filter.ts';
import { sayOwner } from '../../../presentation/full-result/third-party.ts';
import { toPlainText } from '../../../presentation/markdown.ts';
import { rateScore } from '../../../presentation/metric-range.ts';
import { joinWords } from '../../../presentation/numbers.ts';
import { categoryWords, ratingWords } from '../../../presentation/words.ts';
import { findingId, type Looking, type Shown, wholeOf } from '../load-details/load-details-state.ts';
import { light, pointsBar, type Reach, ratingMark, reachOf, richText, sideName } from '../marks.ts';
import { auditItem } from './audit-item-view.ts';

const otherCategories = ({ categories }: Finding, group: RequestCategory): string =>
  categories
    .filter(name => name !== group)
    .map(name => categoryWords[name])
    .join(', ');

/** Returns the scale of the points of all findings. */
export const pointsReach = (groups: readonly FindingGroup[]): Reach =>
  reachOf(groups.flatMap(({ findings }) => findings.map(({ points = 0 }) => points)));

/** Displays the points that a fix may gain, as a bar and a number; empty if they are unknown. */
function pointsCell(finding: Finding, reach: Reach) {
  const { points } = toFindingFacts(finding);
  return html`<span class="fact number" data-fact="points">${points === undefined ? nothing : html`${pointsBar(finding.points ?? 0, reach)}<span><span class="unseen">Up to </span>+${points}<span class="unit"> ${points === '1' ? 'point' : 'points'}</span></span>`}</span>`;
}

const columnWords = { points: 'Points', metric: 'Metric', time: 'Time', bytes: 'Bytes' } as const;
type ColumnName = keyof typeof columnWords;

/** Columns of the findings: those that any finding fills, and the scale of their bars. */
type FindingColumns = { readonly names: readonly ColumnName[]; readonly reach: Reach };

const toColumns = (groups: readonly FindingGroup[], result: Result | undefined): FindingColumns => {
  const facts = groups.flatMap(({ findings }) => findings.map(finding => toFindingFacts(finding, result)));
  const names = Object.keys(columnWords) as ColumnName[];
  return { names: names.filter(name => facts.some(fact => fact[name] !== undefined)), reach: pointsReach(groups) };
};

/** Names the side of a finding that the other side lacks; empty if only one side is displayed. */
const onlySide = ({ sources }: Finding, { names, result }: Shown) =>
  result === undefined && sources.length === 1
    ? sources.map(source => html`<span>${light(source)}${names[source].short} only</span>`)
    : [];

/** Displays the cells of a row: below headings in a wide list, otherwise one after the other. */
const facts = (finding: Finding, group: RequestCategory, shown: Shown, { names: columns, reach }: FindingColumns) => {
  const { result, tellingOf } = shown;
  const found = toFindingFacts(finding, result);
  const telling = result ?? tellingOf?.(finding.sources).result;
  const whole = telling && wholeOf(telling);
  const others = otherCategories(finding, group);
  const { points, time, bytes } = found;
  const effect =
    points === undefined && time === undefined && bytes === undefined ? sayEffect(finding, result) : sayFiles(finding);
  const said = [effect, others && `also ${others}`, whole && sayOwner(whole, finding.id)].filter(Boolean);
  const words = [...onlySide(finding, shown), ...said.map(word => html`<span>${word}</span>`)];
  return html`${words.length > 0 ? html`<span class="facts row small">${words}</span>` : nothing}
  ${columns.map(name =>
    name === 'points'
      ? pointsCell(finding, reach)
      : html`<span class="fact number" data-fact=${name}>${found[name] === undefined ? nothing : html`<span class="unseen">${columnWords[name]}: </span>${found[name]}`}</span>`,
  )}`;
};

/** Displays what the summary omits: further savings, and Lighthouse's own value. */
const moreFacts = (finding: Finding) => {
  const savings = saySavings(finding);
  const isShown = savings.length === 0 && !isForRepeatVisits(finding.id);
  return html`
    ${savings.length > 1 ? html`<p class="small">May save ${joinWords(savings)}.</p>` : nothing}
    ${finding.display_value && !isShown ? html`<p class="small quiet">Lighthouse says: ${finding.display_value}</p>` : nothing}`;
};

const findingMark = ({ score }: Finding) =>
  score === null
    ? nothing
    : html`${ratingMark(rateScore(score))}<span class="unseen">${ratingWords[rateScore(score)]}: </span>`;

function findingItem(finding: Finding, group: RequestCategory, shown: Shown, columns: FindingColumns) {
  const telling = shown.tellingOf?.(finding.sources);
  return auditItem(
    {
      id: finding.id,
      audit: finding.audit,
      title: finding.title,
      rating: finding.score === null ? undefined : rateScore(finding.score),
      bearing: bearsOn(finding).join(' '),
      mark: findingMark(finding),
      facts: facts(finding, group, shown, columns),
      body: html`
        <p>${richText(finding.description)}</p>
        ${moreFacts(finding)}
        ${telling ? html`<p class="small quiet">Details of the side ${sideName(telling.result.source, shown.names)}</p>` : nothing}`,
    },
    { ...shown, ...telling },
  );
}

function groupView({ category, findings }: FindingGroup, shown: Shown, columns: FindingColumns) {
  const hasFacts = toColumns([{ category, findings }], shown.result).names.length > 0;
  return html`<div class="finding-group" data-bears=${[...new Set(findings.flatMap(bearsOn))].join(' ')}>
  <h4>${categoryWords[category]} <span class="count">${findings.length}</span></h4>
  ${hasFacts ? html`<p class="fact-heads small quiet" aria-hidden="true"><span>Finding</span>${columns.names.map(name => html`<span class="fact" data-fact=${name}>${columnWords[name]}</span>`)}</p>` : nothing}
  <ul class="plain findings ranked">${findings.map(finding => findingItem(finding, category, shown, columns))}</ul>
</div>`;
}

const choiceView = ({ choice, count }: CountedChoice, name: string, { choosing }: Shown) => {
  const [short, long] = choiceWords(choice);
  const isChosen = choice === (choosing?.metric ?? 'all');
  return html`<label class="chip"><input type="radio" class="unseen" name=${name} value=${choice} ?checked=${isChosen} @change=${choosing?.choose}>${short}<span class="unseen"> ${long}</span> <span class="quiet number">${count}</span></label>`;
};

/** The style sheet hides findings of other metrics, so the filter works in a file too. */
const filterView = (findings: readonly Finding[], name: string, shown: Shown) => {
  const choices = countChoices(findings);
  if (choices.length === 0) return nothing;
  return html`<fieldset class="metric-filter">
      <legend class="small quiet">Findings that affect</legend>
      <div class="chips row">${choices.map(choice => choiceView(choice, name, shown))}</div>
    </fieldset>
    ${choices.map(({ choice, count }) => (count === 0 ? html`<p class="notice no-finding" data-bears=${choice}>No finding affects ${choiceWords(choice)[1]}.</p>` : nothing))}`;
};

/** @param name distinguishes the choices of one result from those of others on the page */
export function findingsView(groups: readonly FindingGroup[], name: string, shown: Shown) {
  const columns = toColumns(groups, shown.result);
  return html`<section class="fixes">
  <h3>What to fix <span class="quiet small">points and times are simulated by Lighthouse</span></h3>
  ${
    countFindings(groups) === 0
      ? html`<p class="notice">No audit found anything to fix.</p>`
      : html`${filterView(
          groups.flatMap(({ findings }) => findings),
          name,
          shown,
        )} ${groups.map(group => groupView(group, shown, columns))}`
  }
</section>`;
}

/** @param lookingOf returns the details of the side that contains a finding; absent in a file */
export function bestFixesView(
  groups: readonly FindingGroup[],
  shown: Shown,
  lookingOf: (finding: Finding) => Looking | undefined,
) {
  const best = bestFindings(groups);
  if (best.length === 0) return nothing;
  const reach = pointsReach(groups);
  const { name, result } = shown;
  const isFull = result?.scores.performance === 100;
  const hasPoints = best.some(finding => toFindingFacts(finding).points !== undefined);
  const note = hasPoints ? 'points at most, each fix alone' : isFull ? 'performance is 100 already' : '';
  const fixView = (finding: Finding) => {
    const { id, title, category } = finding;
    const facts = [categoryWords[category], sayFiles(finding), sayEffect(finding, result)].filter(Boolean).join(' · ');
    const words = html`<span class="fix-title">${toPlainText(title)}</span>${pointsCell(finding, reach)}<span class="fix-facts row small quiet">${onlySide(finding, shown)}<span>${facts}</span></span>`;
    if (name === undefined) return html`<li><span class="fix">${words}</span></li>`;
    const show = (event: Event): void => {
      const looking = lookingOf(finding);
      if (!looking?.showAudit) return;
      // The link is not followed, because the fragment may contain a request.
      event.preventDefault();
      looking.showAudit(name, id);
    };
    return html`<li><a class="fix" href="#${findingId(name, id)}" @click=${show}>${words}</a></li>`;
  };
  return html`<section class="best-fixes">
    <h3>Fix first <span class="quiet small">${note}</span></h3>
    <ol class="plain">${best.map(fixView)}</ol>
  </section>`;
}
