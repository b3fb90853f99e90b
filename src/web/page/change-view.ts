/** View of two stored results of a page: what changed from before to after, and whether it matters. */
import { html, nothing } from 'lit-html';
import { toAddress } from '../../api-client/page-request.ts';
import {
  type ChangedSides,
  type ChangeRequest,
  type Missing,
  toChangeAddress,
  toMeasured,
} from '../../api-client/stored/change.ts';
import { toHistoryAddress } from '../../api-client/stored/history.ts';
import { isResultId, withIds } from '../../api-client/stored/kept-result.ts';
import type { ComparedSide, ResultsComparison } from '../../contract/stored/change.ts';
import type { KeptFacts } from '../../contract/stored/kept.ts';
import { saySide, sayWhy, sharedOf, statusWords } from '../../presentation/change-words.ts';
import type { FailureReason } from '../../presentation/errors-in-words.ts';
import { absent } from '../../presentation/numbers.ts';
import type { SideNames } from '../../presentation/side-names.ts';
import { failureView } from '../views/failure-view.ts';
import { filmstripView } from '../views/load-details/filmstrip-view.ts';
import { sideName } from '../views/marks.ts';
import { auditsView, differencesView, filesView, measuresView, requestsView, sideMark } from './change-parts.ts';
import { downloadJson } from './download.ts';

export type ChangeState = {
  readonly asked: ChangeRequest;
  readonly change?: ResultsComparison;
  readonly missing?: Missing;
  readonly failure?: FailureReason;
  /** Results with their filmstrips, once they are loaded. */
  readonly sides?: ChangedSides;
  /** Results of the page to choose from; empty or absent: the user enters an id or a label. */
  readonly choices?: readonly KeptFacts[];
};

type FoundState = ChangeState & { readonly change: ResultsComparison };

const clock = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

const sayTimes = ({ from, to }: ComparedSide): string => clock.formatRange(new Date(from), new Date(to));

const sideWords = { before: 'Before', after: 'After' } as const;

const resultAddress = ({ selected_id: shown, ...side }: ComparedSide): string =>
  withIds(toAddress(toMeasured(side)), [shown]);

function sideView(side: keyof typeof sideWords, change: ResultsComparison, names: SideNames) {
  const compared = change[side];
  const own = (name: 'url' | 'strategy') => (sharedOf(change, name) === undefined ? html` ${compared[name]}` : nothing);
  return html`<p class="change-side" data-side=${side}>${sideMark(side)}${sideWords[side]}
    <strong>${saySide(compared)}</strong>${sharedOf(change, 'source') === undefined ? html` ${sideName(compared.source, names)}` : nothing}${own('url')}${own('strategy')}
    <span class="small quiet">${sayTimes(compared)}</span>
    <a href=${resultAddress(compared)}>Open<span class="unseen"> ${side}: ${compared.runs > 1 ? 'the run nearest to the medians' : 'this result'}</span></a></p>`;
}

/** Links to more runs, which the sentence of an undecided verdict asks for. */
function moreRunsView({ change, sides }: FoundState) {
  const { url, strategy, source } = change.after;
  const isAsked = change.verdict.status === 'undecided' && change.verdict.more_runs !== null;
  if (!isAsked || source !== 'lighthouse' || sides?.after?.conditions) return nothing;
  const again = { ...toMeasured({ url, strategy, source }), runs: '5' as const };
  return html`<p><a href=${toAddress(again)}>Measure it with 5 runs</a></p>`;
}

const verdictView = (
  state: FoundState,
  { verdict } = state.change,
) => html`<div class="change-verdict stack" data-verdict=${verdict.status}>
  <p class="change-status">${statusWords[verdict.status]}</p>
  <p class="verdict">${sayWhy(verdict)}</p>
  ${moreRunsView(state)}
</div>`;

const stripName = (side: keyof typeof sideWords) => html`${sideMark(side)}${sideWords[side]}`;

/** Displays the filmstrips of both loads on the same time scale. */
function loadsView({ sides }: ChangeState, names: SideNames) {
  const all = ['before', 'after'] as const;
  if (!sides) return nothing;
  const gone = all.filter(side => !sides[side]);
  const strips = all.flatMap(side => {
    const result = sides[side];
    return result ? [{ result, looking: undefined, legend: stripName(side) }] : [];
  });
  return html`${filmstripView(strips, names)}
    ${gone.length === 0 ? nothing : html`<p class="small quiet">${gone.length === 1 ? sideWords[gone[0] as keyof typeof sideWords] : 'Before and after'}: the full result with its pictures is no longer stored.</p>`}`;
}

function foundView(state: FoundState, names: SideNames) {
  const { change } = state;
  const { url, strategy, source } = change.after;
  return html`
    ${verdictView(state)}
    <div class="change-sides">${sideView('before', change, names)} ${sideView('after', change, names)}</div>
    <div class="actions row">
      <a class="button" href=${toHistoryAddress({ url, source, strategy, conditions: state.sides?.after?.conditions?.id })}>History</a>
      <a class="button" href=${toChangeAddress({ ...state.asked, before: state.asked.after, after: state.asked.before })}>Swap the sides</a>
      <button type="button" @click=${() => downloadJson([url], change)}>Save as JSON</button>
    </div>
    ${filesView(change)} ${measuresView(change)} ${differencesView(change)} ${auditsView(change)}
    ${loadsView(state, names)} ${requestsView(change)}`;
}

const missingWords: Readonly<Record<Missing, string>> = {
  both: 'A comparison needs two results. Pick a label or a result for each side.',
  before: 'The “before” result is missing. Pick it, or enter its id or label.',
  after: 'The “after” result is missing. Pick it, or enter its id or label.',
  previous:
    'No earlier result of this page is stored for this device and source. Measure it again, then compare; or choose another result.',
};

/** Returns whether the results to choose from differ in device or source. */
const toMixes = (choices: readonly KeptFacts[]) => ({
  strategy: new Set(choices.map(({ strategy }) => strategy)).size > 1,
  source: new Set(choices.map(({ source }) => source)).size > 1,
});

const field = (name: string, words: string, value: string, isRequired: boolean) => html`<label class="label-field">
  <span class="quiet small">${words}</span>
  <input name=${name} type="text" maxlength=${name === 'page' ? nothing : '100'} ?required=${isRequired} autocomplete="off" spellcheck="false" .value=${value}>
</label>`;

const sayChoice = (
  { fetched_at: time, scores, label, disturbed, performance_range: range, strategy, source }: KeptFacts,
  names: SideNames,
  mixes: ReturnType<typeof toMixes>,
): string =>
  [
    clock.format(new Date(time)),
    mixes.strategy && strategy,
    mixes.source && source !== 'compare' && names[source].short,
    `performance ${scores.performance ?? absent}${range && range.min !== range.max ? ` (${range.min}–${range.max})` : ''}`,
    disturbed === true && 'disturbed',
    label,
  ]
    .filter(Boolean)
    .join(' · ');

type Choice = { readonly id: string; readonly said: string };
type Choices = { readonly labels: readonly Choice[]; readonly results: readonly Choice[] };

function toChoices(facts: readonly KeptFacts[], names: SideNames): Choices {
  const mixes = toMixes(facts);
  const labels = [...new Set(facts.flatMap(({ label }) => label ?? []))];
  return {
    labels: labels.map(label => ({ id: label, said: label })),
    results: facts.map(choice => ({ id: choice.id, said: sayChoice(choice, names, mixes) })),
  };
}

const select = (name: string, words: string, value: string, { labels, results }: Choices) => {
  const group = (title: string, choices: readonly Choice[]) =>
    choices.length === 0
      ? nothing
      : html`<optgroup label=${title}>${choices.map(({ id, said }) => html`<option value=${id} ?selected=${id === value}>${said}</option>`)}</optgroup>`;
  return html`<label class="label-field">
    <span class="quiet small">${words}</span>
    <select name=${name} required>${group('Labels', labels)}${group('Results', results)}</select>
  </label>`;
};

/** Displays the stored labels and results of the page to pick from or, without any, fields for an id or a label. */
const sidesView = ({ before, after, url = '' }: ChangeRequest, facts: readonly KeptFacts[], names: SideNames) => {
  const choices = toChoices(facts, names);
  const { labels, results } = choices;
  if (results.length < 2)
    return html`${field('before', 'Before: an id or a label', before, true)}
      ${field('after', 'After: an id or a label', after, true)}
      ${field('page', 'Page, if a label has several', url, false)}`;
  // A result is compared with a result: labels are proposed only if no result was named.
  const isOfResult = [before, after].some(isResultId);
  const [newest, previous] = labels.length > 1 && !isOfResult ? labels : results;
  const listed = (id: string, other: string | undefined) =>
    [...labels, ...results].some(choice => choice.id === id) ? id : (other ?? '');
  return html`${select('before', 'Before', listed(before, previous?.id), choices)}
    ${select('after', 'After', listed(after, newest?.id), choices)}
    ${url === '' ? nothing : html`<input type="hidden" name="page" value=${url}>`}`;
};

/** Displays a plain form for a different comparison. */
const chooseView = (
  asked: ChangeRequest,
  { strategy, source }: Pick<ChangeRequest, 'strategy' | 'source'>,
  { names, choices = [] }: { names: SideNames; choices: readonly KeptFacts[] | undefined },
) => html`<form class="change-form row" method="get" action="./">
  ${sidesView(asked, choices, names)}
  ${strategy ? html`<input type="hidden" name="strategy" value=${strategy}>` : nothing}
  ${source ? html`<input type="hidden" name="source" value=${source}>` : nothing}
  <button class="main" type="submit">Compare</button>
</form>`;

const headingOf = ({ asked, change }: ChangeState): string | undefined =>
  change ? sharedOf(change, 'url') : asked.url;

function bodyView(state: ChangeState, names: SideNames) {
  const { asked, change, missing, failure, choices } = state;
  const url = headingOf(state);
  const shown = { ...asked, ...(url === undefined ? {} : { url }) };
  const choose = () => chooseView(shown, change?.after ?? asked, { names, choices });
  if (change) {
    return html`${foundView({ ...state, change }, names)}
      <details class="fold"><summary>Compare other results</summary>${choose()}</details>`;
  }
  if (failure) return html`${failureView(failure, names)} ${choose()}`;
  if (missing) return html`<p class="notice">${missingWords[missing]}</p>${choose()}`;
  return html`<p class="quiet">Comparing …</p>`;
}

export function changeView(state: ChangeState, names: SideNames) {
  const url = headingOf(state);
  return html`<section class="sheet what-changed stack">
    <h2 tabindex="-1">${url === undefined ? 'What changed' : html`<span class="quiet">What changed on</span> <span class="url">${url}</span>`}</h2>
    ${state.change ? html`<p class="small quiet">${sharedOf(state.change, 'source') ? sideName(state.change.after.source, names) : nothing} ${sharedOf(state.change, 'strategy') ?? nothing}</p>` : nothing}
    ${bodyView(state, names)}
  </section>`;
}
