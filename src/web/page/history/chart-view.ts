/** Chart of a history: its points link to results, and can be marked. */

import { html, nothing, svg } from 'lit-html';
import { toAddress } from '../../../api-client/page-request.ts';
import type { HistoryRequest } from '../../../api-client/stored/history.ts';
import { withIds } from '../../../api-client/stored/kept-result.ts';
import { categoryNames } from '../../../contract/names.ts';
import type { History } from '../../../contract/stored/history.ts';
import type { FieldPoint } from '../../../presentation/charts/field-points.ts';
import { type Chart, type ChartPoint, mostPoints, sayNotes } from '../../../presentation/charts/history-chart.ts';
import type { FailureReason } from '../../../presentation/errors-in-words.ts';
import { sideOf } from '../../../presentation/side-names.ts';
import { type HistoryMetric, sayHistoryValue } from '../../../presentation/words.ts';
import { sayTime } from '../../views/marks.ts';
import type { Actions } from '../session/actions.ts';

/** Returns the address of a result. If it is measured again, it has as many runs. */
export const pointAddress = ({ url, source, strategy }: HistoryRequest, id: string, runs: number): string => {
  const counted = runs > 1 ? { runs: `${runs}` } : {};
  return withIds(toAddress({ urls: [url], backend: sideOf(source), strategy, categories: categoryNames, ...counted }), [
    id,
  ]);
};

export const sayPoint = ({ time, value, label, runs, isDisturbed }: ChartPoint, { unit }: History): string =>
  [
    ...[sayTime(time), sayHistoryValue(value, unit), runs > 1 ? `median of ${runs} runs` : ''],
    ...[isDisturbed ? 'disturbed' : '', label ?? ''],
  ]
    .filter(Boolean)
    .join(', ');

const steps: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 };

export type Marking = Pick<HistoryState, 'asked' | 'marked'> & Pick<Actions, 'mark'>;

/** Marks a point. After the second mark, the focus moves to the link that compares the two. */
function markOne(event: Event, id: string, mark: Actions['mark']): void {
  event.preventDefault();
  const section = (event.currentTarget as Element).closest('.history');
  mark(id);
  section?.querySelector<HTMLElement>('.marked a')?.focus();
}

/**
 * Moves the focus between results with the left and right keys. Enter opens a result, like any link; Shift and Enter
 * mark it.
 */
const moveFocus = (points: readonly ChartPoint[], mark: Actions['mark']) => (event: KeyboardEvent) => {
  const links = [...(event.currentTarget as Element).querySelectorAll<SVGAElement>('a')];
  const at = links.indexOf(event.target as SVGAElement);
  const point = points[at];
  if (event.key === 'Enter' && event.shiftKey && point) return markOne(event, point.id, mark);
  const step = steps[event.key];
  if (step === undefined || at < 0) return;
  event.preventDefault();
  links[at + step]?.focus();
};

const pointView = (
  point: ChartPoint,
  history: History,
  { asked, marked = [], mark }: Marking,
) => svg`<a href=${pointAddress(asked, point.id, point.runs)} data-marked=${marked.includes(point.id) ? 'true' : 'false'} data-tip=${sayPoint(point, history)} aria-label="${sayPoint(point, history)}${marked.includes(point.id) ? ', marked' : ''}" @click=${(event: MouseEvent) => event.shiftKey && markOne(event, point.id, mark)}>
  <circle class="reach" cx="${point.x}%" cy="${point.y}%" r="11" />
  <circle class="point" data-disturbed=${point.isDisturbed ? 'true' : 'false'} cx="${point.x}%" cy="${point.y}%" r="4.5" />
</a>`;

/** Returns evenly spaced results, and those at both sides of a change. */
const thinned = ({ points }: Chart, { change_points: changes }: History): readonly ChartPoint[] => {
  const step = Math.ceil(points.length / mostPoints);
  const ids = new Set(changes.flatMap(({ previous_id: before, id }) => [before, id]));
  return points.filter(({ id }, at) => (points.length - 1 - at) % step === 0 || ids.has(id));
};

/** Draws values as one line, so that thousands are as fast as few. */
export const polyline = (points: readonly ChartPoint[]) =>
  svg`<polyline points=${points.map(({ x, y }) => `${x.toFixed(2)},${y.toFixed(1)}`).join(' ')} />`;

/** Draws a line from each value to the next, because the points of a polyline cannot be percentages. */
const toLines = (field: Chart['field']) =>
  field.slice(1).map(({ x, y }, at) => {
    const from = field[at];
    return svg`<line class="field" x1="${from?.x ?? x}%" x2="${x}%" y1="${from?.y ?? y}%" y2="${y}%" />`;
  });

/** Draws an event as an upright line. The wider one, which is not visible, is easier to meet with a pointer. */
const upright = (
  kind: 'version' | 'change' | 'tick' | 'note',
  x: number,
  words: string,
  status?: 'better' | 'worse',
) => svg`<g class=${kind} data-status=${status ?? nothing} data-tip=${words} role="img" aria-label=${words}>
  <line class="reach" x1="${x}%" x2="${x}%" y1="0" y2="100%" /><line x1="${x}%" x2="${x}%" y1=${kind === 'tick' ? '94%' : '0'} y2="100%" />
</g>`;

/** Displays the words of what is below the pointer, or has the focus, at once. */
function showTip({ type, target, currentTarget }: Event): void {
  const mark = /leave|out/.test(type) ? null : (target as Element).closest('[data-tip]');
  const tip = (currentTarget as Element).querySelector<HTMLElement>('.chart-tip');
  if (!tip) return;
  tip.textContent = mark?.getAttribute('data-tip') ?? '';
  tip.hidden = mark === null;
  if (!mark) return;
  const { left, width, top } = mark.getBoundingClientRect();
  const most = document.documentElement.clientWidth - tip.offsetWidth;
  tip.style.left = `${Math.max(0, Math.min(left + width / 2 - tip.offsetWidth / 2, most))}px`;
  tip.style.top = `${Math.max(0, top - tip.offsetHeight - 4)}px`;
}

export const drawing = (chart: Chart, history: History, marking: Marking) => {
  const { source } = marking.asked;
  const shown = thinned(chart, history);
  return html`<div class="chart-frame" @pointerover=${showTip} @pointerleave=${showTip} @focusin=${showTip} @focusout=${showTip}>
  <div class="chart-values small quiet number" aria-hidden="true">${chart.ticks.toReversed().map(({ value }) => html`<span>${sayHistoryValue(value, history.unit)}</span>`)}</div>
  <svg class="chart ${sideOf(source)}" role="group" aria-label="Results in chronological order" @keydown=${moveFocus(shown, marking.mark)}>
    ${chart.bands.map(({ rating, top, bottom }) => svg`<rect class="band ${rating}" x="0" width="100%" y="${top}%" height="${bottom - top}%" />`)}
    ${chart.ticks.map(({ y }) => svg`<line class="across" x1="0" x2="100%" y1="${y}%" y2="${y}%" />`)}
    ${chart.versions.map(({ x, version }) => upright('version', x, `Lighthouse ${version}`))}
    ${chart.gaps.map(({ from, to, words }) => svg`<rect class="gap" data-tip=${words} x="${from - 0.4}%" width="${to - from + 0.8}%" y="0" height="100%" />`)}
    ${chart.changes.map(({ x, words, status }) => upright('change', x, words, status))}
    ${chart.steps.map(({ from, to, y }) => svg`<line class="median" x1="${from - 0.6}%" x2="${to + 0.6}%" y1="${y}%" y2="${y}%" />`)}
    ${chart.field.length > 1 ? toLines(chart.field) : chart.field.map(({ y }) => svg`<line class="field" x1="0" x2="100%" y1="${y}%" y2="${y}%" />`)}
    ${chart.labels.map(({ x, label }) => upright('tick', x, label))}
    ${chart.notes.map(({ x, note }) => upright('note', x, sayNotes({ notes: [note] }, sayTime)))}
    ${shown.length < chart.points.length ? svg`<svg class="all-points" viewBox="0 0 100 100" width="100%" height="100%" preserveAspectRatio="none" aria-hidden="true">${polyline(chart.points)}</svg>` : nothing}
    ${shown.map(point => pointView(point, history, marking))}
  </svg>
  <p class="chart-times row small quiet"><span>${sayTime(chart.points[0]?.time ?? '')}</span><span>${chart.points.length > 1 ? sayTime(chart.points.at(-1)?.time ?? '') : nothing}</span></p>
  <div class="chart-tip small" aria-hidden="true" hidden></div>
</div>`;
};

export type HistoryState = {
  readonly asked: HistoryRequest;
  readonly histories?: readonly History[];
  readonly failure?: FailureReason | undefined;
  /** Field data of some of its results; absent until they are loaded. */
  readonly field?: readonly FieldPoint[];
  readonly metric: HistoryMetric;
  /** Causes of the newest changes, by the id of their first result; absent until they are loaded. */
  readonly causes?: Readonly<Record<string, string>>;
  /** Ids of results to compare: none, one or two. */
  readonly marked?: readonly string[];
};
