import { html, nothing } from 'lit-html';
import { type LaneState, sayStep, stepsOf } from '../../api-client/progress.ts';
import { formatDuration } from '../../presentation/numbers.ts';
import { type SideNames, sideOf } from '../../presentation/side-names.ts';
import { sideName } from '../views/marks.ts';

const stepState = (lane: LaneState, at: number): 'done' | 'now' | 'ahead' => {
  const isOver = lane.step === stepsOf(lane).length - 1;
  if (at < lane.step || isOver) return 'done';
  return at === lane.step && lane.isReported ? 'now' : 'ahead';
};

const stepWords = { done: ', done', now: ', now', ahead: '' } as const;

/** Displays all steps of one analyser, and the current one. */
const laneView = (lane: LaneState, names: SideNames) => html`<li class="lane ${sideOf(lane.source)}">
  <p class="lane-name">${sideName(lane.source, names)} <span class="quiet">${lane.strategy}</span> <span class="lane-said">${sayStep(lane)}</span></p>
  <ol class="plain steps">
    ${stepsOf(lane).map((name, at) => {
      const state = stepState(lane, at);
      return html`<li data-state=${state} aria-current=${state === 'now' ? 'step' : nothing}>${name}<span class="unseen">${stepWords[state]}</span></li>`;
    })}
  </ol>
</li>`;

/** Displays a timer, which a screen reader does not read every second. */
export const elapsedView = (seconds: number) =>
  html`<span class="number" role="timer" aria-live="off">${formatDuration(seconds)}</span>`;

export const cancelButton = (cancel: () => void) => html`<button type="button" @click=${cancel}>Cancel</button>`;

export type LaneProgress = {
  readonly url: string;
  readonly lanes: readonly LaneState[];
  readonly seconds: number;
};

/** Displays progress: what runs, its steps, its duration, and how to cancel it. */
export const progressView = ({ url, lanes, seconds }: LaneProgress, names: SideNames, cancel: () => void) =>
  html`<section class="sheet progress stack" aria-label="Progress">
    <div class="progress-top row">
      <h2><span class="quiet">Measuring</span> <span class="url">${url}</span></h2>
      <p class="progress-tools row">${elapsedView(seconds)} ${cancelButton(cancel)}</p>
    </div>
    <ul class="plain lanes stack">${lanes.map(lane => laneView(lane, names))}</ul>
  </section>`;
