/** Formats the progress of a command as lines. */
import { type LaneState, sayStep } from '../../api-client/progress.ts';
import { formatDuration } from '../../presentation/numbers.ts';
import type { Paint } from './terminal/paint.ts';
import { cutTo, shortenUrl, widthOf } from './terminal/width.ts';

export type JobProgress = {
  readonly url: string;
  readonly strategy: string;
  readonly lanes: readonly LaneState[];
  readonly begunMs: number | undefined;
  readonly ended: 'well' | 'badly' | undefined;
};

const barCells = 24;
/** Min number of columns for a URL, even in a narrow terminal. */
const minUrlColumns = 12;
/** Columns of the longest usual step, so that URLs are cut at the same length at every step. */
const usualSaidColumns = 28;

/** Describes the steps of a job's analysers; equal steps are described once. */
export const sayLanes = (lanes: readonly LaneState[]): string =>
  [...new Set(lanes.map(lane => (lane.isReported ? sayStep(lane) : 'Sent')))].join(' · ');

export function drawBar(paint: Paint, done: number, total: number): string {
  const full = Math.floor((barCells * done) / total);
  return `${paint('green', '━'.repeat(full))}${paint('dim', '─'.repeat(barCells - full))} ${done} of ${total}`;
}

/** Formats a job. The URL is cut first, then the step: a wrapped line would not be erased completely. */
function drawJob(paint: Paint, { url, strategy, lanes, begunMs }: JobProgress, nowMs: number, columns: number): string {
  const passed = formatDuration(Math.max(0, nowMs - (begunMs ?? nowMs)) / 1000).padStart(5);
  const said = `${strategy} · ${sayLanes(lanes)}`;
  const room = columns - widthOf(passed) - 5;
  const shownUrl = shortenUrl(url, Math.max(minUrlColumns, room - Math.max(usualSaidColumns, widthOf(said))));
  return `${passed}  ${shownUrl}  ${paint('dim', cutTo(said, Math.max(1, room - widthOf(shownUrl))))}`;
}

/** Returns a line for each running page; with several pages, a bar above. */
export function drawProgress(paint: Paint, jobs: readonly JobProgress[], nowMs: number, columns: number): string[] {
  const running = jobs.filter(({ begunMs, ended }) => begunMs !== undefined && ended === undefined);
  const done = jobs.filter(({ ended }) => ended !== undefined).length;
  const bar = jobs.length > 1 ? [drawBar(paint, done, jobs.length)] : [];
  return [...bar, ...running.map(job => drawJob(paint, job, nowMs, columns))];
}

/** Returns a line for a finished job, for outputs other than terminals. */
export const sayEnd = (job: JobProgress, number: number, total: number, nowMs: number): string => {
  const passed = formatDuration(Math.max(0, nowMs - (job.begunMs ?? nowMs)) / 1000);
  return `[${number}/${total}] ${job.url} (${job.strategy}): ${job.ended === 'badly' ? 'Failed' : 'Done'}, ${passed}`;
};
