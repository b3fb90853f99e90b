/** View of an experiment, and the form that starts one. */

import { html, nothing } from 'lit-html';
import type { ChangeName, ExperimentAsked, ExperimentOrder } from '../../api-client/stored/experiment.ts';
import type { ExperimentAnswer } from '../../contract/experiments/answer.ts';
import { experimentBounds, type PrimaryMetric, primaryMetrics } from '../../contract/experiments/names.ts';
import type { Strategy } from '../../contract/names.ts';
import type { FailureReason } from '../../presentation/errors-in-words.ts';
import { isLive, recipeWords, sayLoads } from '../../presentation/experiment-words.ts';
import { counted } from '../../presentation/numbers.ts';
import type { SideNames } from '../../presentation/side-names.ts';
import { nameOfMetric } from '../../presentation/words.ts';
import { experimentView } from '../views/experiment-view.ts';
import { failureView } from '../views/failure-view.ts';
import { readApiKey } from './api-key.ts';
import { choose, devices } from './form/choose.ts';
import type { Actions } from './session/actions.ts';

export type ExperimentState = {
  readonly asked: ExperimentAsked;
  readonly answer?: ExperimentAnswer;
  readonly failure?: FailureReason;
  /** Failure of a start or a cancellation; it is shown above the rest of the page. */
  readonly stepFailure?: FailureReason | undefined;
  /** Number of variants in the form. */
  readonly variants: number;
  readonly isStarting?: boolean;
};

/** `find-and-replace` needs two texts, so only the API and the command offer it. */
const { 'find-and-replace': _, ...formRecipes } = recipeWords;
const changeWords: Readonly<Record<ChangeName, string>> = {
  block: 'Block requests',
  ...formRecipes,
  'fetch-priority': 'Set a high fetch priority',
  'font-display': 'Set font-display: swap',
  url: 'Measure another page',
};

function readOrder(form: HTMLFormElement, url: string): ExperimentOrder {
  const data = new FormData(form);
  const targets = data.getAll('target');
  return {
    url,
    strategy: data.get('strategy') as Strategy,
    metric: data.get('metric') as PrimaryMetric,
    variants: data
      .getAll('change')
      .map((change, at) => ({ change: change as ChangeName, target: `${targets[at] ?? ''}`.trim() })),
  };
}

const variantFields = (at: number) => html`<fieldset class="wide-field variant-fields row">
  <legend>Variant ${at + 1}</legend>
  ${choose('change', 'Change', Object.entries(changeWords), 'block')}
  <label class="variant-target"><span class="quiet small">URL or pattern, * for any characters</span><input name="target" type="text" maxlength=${experimentBounds.textCharacters} autocomplete="off" spellcheck="false" placeholder="ads.example.net/*"></label>
</fieldset>`;

function formView(
  url: string,
  strategy: Strategy,
  { state, actions }: { readonly state: ExperimentState; readonly actions: Actions },
) {
  const submit = (event: Event): void => {
    event.preventDefault();
    actions.startExperiment(readOrder(event.target as HTMLFormElement, url));
  };
  return html`<p>Loads the page with and without each change, in turn, and tests whether the difference is real.</p>
    <form class="schedule-form row" @submit=${submit}>
      ${Array.from({ length: state.variants }, (_, at) => variantFields(at))}
      ${choose(
        'metric',
        'Decided by',
        primaryMetrics.map(name => [name, nameOfMetric(name)]),
        'largest_contentful_paint',
      )}
      ${choose('strategy', 'Device', devices, strategy)}
      <button class="main" type="submit" ?disabled=${state.isStarting}>Start</button>
      ${state.variants < experimentBounds.variants ? html`<button type="button" @click=${actions.addVariant}>Add a variant</button>` : nothing}
    </form>
    <p class="hint">Without a URL, a change applies to all scripts, images or stylesheets. Blocking, preloading, a high fetch priority, unanswered requests and another page need one. Nothing else is measured on this machine meanwhile.</p>`;
}

/** A link sends no key. If a key was entered, a button loads the report with it, and saves it. */
function reportLink({ links }: ExperimentAnswer, { saveReport }: Actions) {
  const address = `${links.self.slice(1)}/report`;
  return readApiKey() === undefined
    ? html`<a class="button" href=${address} target="_blank" rel="noopener">HTML report</a>`
    : html`<button type="button" @click=${() => saveReport(address)}>Save: HTML report</button>`;
}

const liveView = (answer: ExperimentAnswer, actions: Actions) =>
  isLive(answer)
    ? html`<p><progress max=${answer.plan.loads.first} value=${Math.min(answer.progress.loads, answer.plan.loads.first)} aria-label="Loads until the first verdict"></progress> ${answer.state === 'queued' ? 'Queued.' : sayLoads(answer)}</p>
        <p><button type="button" @click=${actions.cancelExperiment}>Cancel</button></p>`
    : html`<div class="actions row">${reportLink(answer, actions)}</div>
      ${answer.state === 'cancelled' ? html`<p class="notice">The experiment was cancelled after ${counted(answer.progress.loads, 'load')}.</p>` : nothing}`;

function bodyView(shown: { readonly state: ExperimentState; readonly actions: Actions }, names: SideNames) {
  const { asked, answer, failure } = shown.state;
  if (failure) return failureView(failure, names);
  if (answer) return experimentView(answer, liveView(answer, shown.actions));
  if (asked.id !== undefined) return html`<p class="quiet">Loading the experiment …</p>`;
  return formView(asked.url, asked.strategy, shown);
}

export function experimentPage(state: ExperimentState, names: SideNames, actions: Actions) {
  const { asked, answer, stepFailure } = state;
  const url = answer?.url ?? (asked.id === undefined ? asked.url : undefined);
  return html`<section class="sheet experiment stack">
    <h2 tabindex="-1"><span class="quiet">Experiment${url === undefined ? '' : ' on'}</span> <span class="url">${url ?? nothing}</span></h2>
    ${stepFailure ? failureView(stepFailure, names) : nothing}
    ${bodyView({ state, actions }, names)}
  </section>`;
}
