/** View of two stored results of a page: what changed from before to after, and whether it matters. */
import { html, nothing } from 'lit-html';
import { toAddress } from '../../../api-client/page-request.ts';
import {
  type ChangedSides,
  type ChangeRequest,
  type Missing,
  toChangeAddress,
  toMeasured,
} from '../../../api-client/stored/change.ts';
import { toHistoryAddress } from '../../../api-client/stored/history.ts';
import { isResultId, withIds } from '../../../api-client/stored/kept-result.ts';
import type { ComparedSide, ResultsComparison } from '../../../contract/stored/change.ts';
import type { KeptFacts } from '../../../contract/stored/kept.ts';
import { sayMoreRuns, saySide, sayWhy, sharedOf, statusWords } from '../../../presentation/change-words.ts';
import { toDownloadName } from '../../../presentation/download-name.ts';
import type { FailureReason } from '../../../presentation/failure-reason.ts';
import { absent } from '../../../presentation/numbers.ts';
import type { SideNames } from '../../../presentation/side-names.ts';
import { failureView } from '../../views/failure-view.ts';
import { filmstripRoom, filmstripView } from '../../views/load-details/filmstrip-view.ts';
import { sideName } from '../../views/marks.ts';
import { download } from '../files/download.ts';
import { keptPicture } from '../files/kept-picture.ts';
import { auditsView, differencesView, measuresView, requestsView, sideMark } from './change-parts.ts';

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

const clock = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

const sayTimes = ({ from, to }: ComparedSide): string => clock.formatRange(new Date(from), new Date(to));

const sideWords = { before: 'Before', after: 'After' } as const;
type Side = keyof typeof sideWords;

/** Displays the final screenshot. Its space is reserved, and stays empty if no screenshot is stored. */
const pictureView = ({ selected_id: shown, strategy }: ComparedSide, side: Side) =>
  html`<img class="screenshot ${strategy}" src=${keptPicture(`results/${shown}/screenshot`)} alt="The page at the end of its load, ${side}" loading="lazy" decoding="async" @error=${(
    event: Event,
  ) => (event.target as HTMLElement).setAttribute('data-missing', 'true')}>`;

const resultAddress = ({ selected_id: shown, ...side }: ComparedSide): string =>
  withIds(toAddress(toMeasured(side)), [shown]);

function sideView(side: Side, change: ResultsComparison, names: SideNames) {
  const compared = change[side];
  const own = (name: 'url' | 'strategy') => (sharedOf(change, name) === undefined ? compared[name] : nothing);
  return html`<article class="change-side" data-side=${side}>
    ${pictureView(compared, side)}
    <div class="change-side-words">
      <h3>${sideMark(side)}${sideWords[side]}</h3>
      <p><strong>${saySide(compared)}</strong></p>
      <p class="small quiet">${sayTimes(compared)}</p>
      <p class="small url">${own('url')}</p>
      ${sharedOf(change, 'source') === undefined ? html`<p class="small">${sideName(compared.source, names)}</p>` : nothing}
      <p class="small">${own('strategy')}</p>
      <p class="small"><a href=${resultAddress(compared)}>Open ${compared.runs > 1 ? 'the run nearest to the medians' : 'this result'}</a></p>
    </div>
  </article>`;
}

const save = (change: ResultsComparison) => () =>
  download(toDownloadName([change.after.url], new Date(), 'json'), 'application/json', JSON.stringify(change, null, 2));

/** Displays what to do if the verdict is undecided. */
function moreRunsView(change: ResultsComparison) {
  const said = sayMoreRuns(change);
  if (said === undefined) return nothing;
  const { url, strategy, source } = change.after;
  const again = { ...toMeasured({ url, strategy, source }), runs: '5' as const };
  return html`<p><strong>To decide it:</strong> ${said}
    ${source === 'lighthouse' ? html`<a href=${toAddress(again)}>Measure it with 5 runs</a>` : nothing}</p>`;
}

const verdictView = (
  change: ResultsComparison,
) => html`<div class="change-verdict" data-verdict=${change.verdict.status}>
  <p class="change-status">${statusWords[change.verdict.status]}</p>
  <p class="verdict">${sayWhy(change.verdict)}</p>
  ${moreRunsView(change)}
</div>`;

const stripName = (side: Side) => html`${sideMark(side)}${sideWords[side]}`;

/** Displays the filmstrips of both loads on the same time scale. */
function loadsView({ sides }: ChangeState, names: SideNames) {
  const all = ['before', 'after'] as const;
  if (!sides) return filmstripRoom(all.map(stripName));
  const gone = all.filter(side => !sides[side]);
  const strips = all.flatMap(side => {
    const result = sides[side];
    return result ? [{ result, looking: undefined, legend: stripName(side) }] : [];
  });
  return html`${filmstripView(strips, names)}
    ${gone.length === 0 ? nothing : html`<p class="small quiet">${gone.length === 1 ? sideWords[gone[0] as Side] : 'Before and after'}: the full result with its pictures is no longer stored.</p>`}`;
}

function foundView(state: ChangeState & { change: ResultsComparison }, names: SideNames) {
  const { change } = state;
  const { url, strategy, source } = change.after;
  const common = sharedOf(change, 'source') && sideName(source, names);
  return html`
    <p class="small quiet">${common ?? nothing} ${sharedOf(change, 'strategy') ?? nothing}</p>
    ${verdictView(change)}
    <div class="actions">
      <a class="button" href=${toHistoryAddress({ url, source, strategy })}>History</a>
      <a class="button" href=${toChangeAddress({ ...state.asked, before: state.asked.after, after: state.asked.before })}>Swap the sides</a>
      <button type="button" @click=${save(change)}>Save as JSON</button>
    </div>
    <div class="change-sides">${sideView('before', change, names)} ${sideView('after', change, names)}</div>
    ${loadsView(state, names)}
    ${differencesView(change)} ${measuresView(change)} ${auditsView(change)} ${requestsView(change)}`;
}

const missingWords: Readonly<Record<Missing, string>> = {
  both: 'A comparison needs two results. Enter the id or the label of each.',
  before: 'The “before” result is missing. Enter its id or its label.',
  after: 'The “after” result is missing. Enter its id or its label.',
  previous:
    'No earlier result of this page is stored for this device and source. Measure it again, then compare; or choose another result.',
};

/** Whether the results to choose from differ in device or source. */
type Mixes = { readonly strategy: boolean; readonly source: boolean };

const toMixes = (choices: readonly KeptFacts[]): Mixes => ({
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
  mixes: Mixes,
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

const select = (name: string, words: string, value: string, choices: readonly Choice[]) =>
  html`<label class="label-field">
    <span class="quiet small">${words}</span>
    <select name=${name} required>${choices.map(({ id, said }) => html`<option value=${id} ?selected=${id === value}>${said}</option>`)}</select>
  </label>`;

/** Displays the results of the page to choose from or, for labels and unknown results, fields for an id or a label. */
const sidesView = ({ before, after, url = '' }: ChangeRequest, facts: readonly KeptFacts[], names: SideNames) => {
  const given = [before, after].filter(side => side !== '');
  const mixes = toMixes(facts);
  const choices = facts.map(choice => ({ id: choice.id, said: sayChoice(choice, names, mixes) }));
  const [newest, previous] = choices;
  if (!newest || !previous || given.length === 0 || !given.every(isResultId))
    return html`${field('before', 'Before: an id or a label', before, true)}
      ${field('after', 'After: an id or a label', after, true)}
      ${field('page', 'Page, if a label has several', url, false)}`;
  const isListed = (id: string) => choices.some(choice => choice.id === id);
  return html`${select('before', 'Before', isListed(before) ? before : previous.id, choices)}
    ${select('after', 'After', isListed(after) ? after : newest.id, choices)}`;
};

/** Displays a plain form for a different comparison. */
const chooseView = (
  asked: ChangeRequest,
  { strategy, source }: Pick<ChangeRequest, 'strategy' | 'source'>,
  { names, choices = [] }: { names: SideNames; choices: readonly KeptFacts[] | undefined },
) => html`<form class="change-form" method="get" action="./">
  ${sidesView(asked, choices, names)}
  ${strategy ? html`<input type="hidden" name="strategy" value=${strategy}>` : nothing}
  ${source ? html`<input type="hidden" name="source" value=${source}>` : nothing}
  <button class="main" type="submit">Compare</button>
</form>`;

const headingOf = ({ asked, change }: ChangeState): string | undefined =>
  change ? sharedOf(change, 'url') : asked.url;

function bodyView(state: ChangeState, names: SideNames) {
  const { asked, change, missing, failure, choices } = state;
  const choose = () => chooseView(asked, change?.after ?? asked, { names, choices });
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
  return html`<section class="sheet what-changed">
    <h2 tabindex="-1">${url === undefined ? 'What changed' : html`<span class="quiet">What changed on</span> <span class="url">${url}</span>`}</h2>
    ${bodyView(state, names)}
  </section>`;
}
