/** Displays the filmstrip: small screenshots in a row with the paints, on the same time scale as the other side. */
import { html, nothing } from 'lit-html';
import type { Result } from '../../../contract/result/result.ts';
import {
  framesAt,
  lookAlike,
  type Picture,
  paintWords,
  sharedTimes,
  toFrames,
  toPaints,
} from '../../../presentation/charts/filmstrip.ts';
import { formatMs } from '../../../presentation/numbers.ts';
import type { SideNames } from '../../../presentation/side-names.ts';
import { light } from '../marks.ts';
import { againView, type Looking, wholeOf } from './load-details-state.ts';

/** Formats a time so briefly that it fits an image with a width of 32 px. */
const sayTime = (ms: number): string => `${(ms / 1000).toFixed(1)}\u00a0s`;

const tag = (name: keyof typeof paintWords) =>
  html`<abbr class="paint" data-paint=${name} title=${paintWords[name][1]}>${paintWords[name][0]}</abbr>`;

/** Displays a frame as a radio button: arrow keys step through the frames, even in a file without scripts. */
const pictureView = ({ atMs, source, paints }: Picture, at: number, group: string) =>
  source === undefined
    ? html`<div class="frame stack"><span class="blank"></span><span class="frame-time number">${sayTime(atMs)}</span>${paints.map(tag)}</div>`
    : html`<label class="frame stack">
          <input type="radio" class="unseen" name=${group} value=${at}>
          <img src=${source} alt="" width="120" height="213" decoding="async">
          <span class="frame-time number"><span class="unseen">The page after </span>${sayTime(atMs)}</span>
          ${paints.map(tag)}
        </label>
        <figure class="large"><img src=${source} alt="The page after ${formatMs(atMs)}" decoding="async" loading="lazy"></figure>`;

const legendView = (result: Result) =>
  html`<p class="paints row small">${toPaints(wholeOf(result) ?? {}).map(
    ({ name, atMs }) =>
      html`<span>${tag(name)} ${name === 'complete' ? paintWords[name][1] : nothing} <span class="number">${formatMs(atMs)}</span></span> `,
  )}</p>`;

/** Eight placeholders, so that nothing moves when the frames arrive. */
const waitingFrames = html`<div class="frames">${Array.from({ length: 8 }, () => html`<div class="frame stack"><span class="blank"></span><span class="frame-time">\u00a0</span></div>`)}</div>
  <p class="paints row small quiet">Loading the pictures …</p>`;

const stripOf = (result: Result, times: readonly number[], looking: Looking | undefined) => {
  const whole = wholeOf(result);
  // The requests below show the reason. The frames keep their space, so that nothing moves.
  if (!whole && looking?.look.state === 'failed')
    return html`<div class="strip-failed"><div aria-hidden="true">${waitingFrames}</div><div><p class="quiet">The pictures of this load could not be loaded.</p>${againView(looking)}</div></div>`;
  if (!whole) return waitingFrames;
  const pictures = framesAt(toFrames(result), toPaints(whole), times);
  if (pictures.length === 0) return html`<p class="small quiet">The analyser sent no pictures of the load.</p>`;
  const group = `frame-${result.source}-${result.strategy}-${result.id ?? result.fetched_at}`;
  return html`<div class="frames">${pictures.map((picture, at) => pictureView(picture, at, group))}</div>${legendView(result)}`;
};

type Strip = {
  readonly result: Result;
  readonly looking: Looking | undefined;
  /** Legend of the strip; undefined for side and device. */
  readonly legend?: unknown;
};

const heading = html`Filmstrip <span class="quiet small">observed, without throttling</span>`;

/** Displays filmstrips; empty if no side has frames, and none can be loaded. Two are folded if they look alike. */
export function filmstripView(strips: readonly Strip[], names: SideNames) {
  const drawn = strips.filter(
    ({ result, looking }) => result.scores.performance !== undefined && (wholeOf(result) || (looking && result.id)),
  );
  if (drawn.length === 0) return nothing;
  const frames = drawn.map(({ result }) => toFrames(result));
  const times = sharedTimes(frames);
  const body = drawn.map(
    ({ result, looking, legend }) => html`<fieldset class="filmstrip ${result.strategy}">
        <legend class=${drawn.length > 1 ? 'small' : 'unseen'}>${legend ?? html`${light(result.source)}${names[result.source].short}, ${result.strategy}`}</legend>
        ${stripOf(result, times, looking)}
      </fieldset>`,
  );
  if (drawn.length === 1) return html`<section class="filmstrips stack"><h3>${heading}</h3>${body}</section>`;
  const isLoaded = drawn.every(({ result }) => wholeOf(result));
  const areAlike = isLoaded && lookAlike(frames, times);
  return html`<details class="fold part filmstrips stack" ?open=${isLoaded && !areAlike}>
    <summary>${heading}${areAlike ? html` <span class="quiet small">· both look alike</span>` : nothing}</summary>
    ${body}
  </details>`;
}
