import { html, nothing } from 'lit-html';
import { formatDuration } from '../numbers.ts';
import type { Lane } from '../plan.ts';
import { type LaneState, sayStep, stepsOf } from '../progress.ts';
import { sideClass, sideName } from './marks.ts';

const strategyWords = { mobile: 'mobile', desktop: 'desktop' } as const;

const stepState = (lane: LaneState, at: number): 'done' | 'now' | 'ahead' => {
  const isOver = lane.step === stepsOf(lane).length - 1;
  if (at < lane.step || isOver) return 'done';
  return at === lane.step && lane.isTold ? 'now' : 'ahead';
};

const stepWords = { done: ', done', now: ', now', ahead: '' } as const;

const laneName = ({ source, strategy }: Lane) =>
  html`${sideName(source)} <span class="quiet">${strategyWords[strategy]}</span>`;

/** The whole way of one analyser, with where it stands. */
const laneView = (lane: LaneState) => html`<li class="lane ${sideClass(lane.source)}">
  <p class="lane-name">${laneName(lane)} <span class="lane-said">${sayStep(lane)}</span></p>
  <ol class="plain way">
    ${stepsOf(lane).map((name, at) => {
      const state = stepState(lane, at);
      return html`<li class=${state} aria-current=${state === 'now' ? 'step' : nothing}>${name}<span class="unseen">${stepWords[state]}</span></li>`;
    })}
  </ol>
</li>`;

/** @param said for a screen reader's timer it is enough to be asked */
export const elapsedView = (seconds: number) =>
  html`<span class="number" role="timer" aria-live="off">${formatDuration(seconds)}</span>`;

export const cancelButton = (cancel: () => void) =>
  html`<button type="button" class="cancel" @click=${cancel}>Cancel</button>`;

/** What runs, how far it is, for how long it has, and the way out. */
export const waitingView = (title: string, lanes: readonly LaneState[], seconds: number, cancel: () => void) =>
  html`<section class="sheet waiting" aria-label="Progress">
    <div class="waiting-top">
      <h2><span class="quiet">Measuring</span> <span class="url">${title}</span></h2>
      <p class="waiting-tools">${elapsedView(seconds)} ${cancelButton(cancel)}</p>
    </div>
    <ul class="plain lanes">${lanes.map(laneView)}</ul>
  </section>`;
