/** The progress of a command. Pure: jobs in, lines out. */
import { type LaneState, sayStep } from '../../api-client/progress.ts';
import { formatDuration } from '../../presentation/numbers.ts';
import type { Paint } from './terminal/paint.ts';
import { cutTo, shortenUrl, widthOf } from './terminal/width.ts';

export type JobState = {
  readonly url: string;
  readonly strategy: string;
  readonly lanes: readonly LaneState[];
  readonly begunMs: number | undefined;
  readonly ended: 'well' | 'badly' | undefined;
};

const barCells = 24;
/** The least of an address that is shown, however narrow the terminal. */
const minUrlColumns = 12;
/** Of the longest usual step, so that an address looks the same at every step. */
const usualSaidColumns = 28;

/** The steps of a job's analysers; those that say the same say it once. */
export const sayLanes = (lanes: readonly LaneState[]): string =>
  [...new Set(lanes.map(lane => (lane.isReported ? sayStep(lane) : 'Sent')))].join(' · ');

export function drawBar(paint: Paint, done: number, total: number): string {
  const full = Math.floor((barCells * done) / total);
  return `${paint('green', '━'.repeat(full))}${paint('dim', '─'.repeat(barCells - full))} ${done} of ${total}`;
}

/** The address is cut first, then the words: a line that wraps would not be erased whole. */
function drawJob(paint: Paint, { url, strategy, lanes, begunMs }: JobState, nowMs: number, columns: number): string {
  const passed = formatDuration(Math.max(0, nowMs - (begunMs ?? nowMs)) / 1000).padStart(5);
  const said = `${strategy} · ${sayLanes(lanes)}`;
  const room = columns - widthOf(passed) - 5;
  const shownUrl = shortenUrl(url, Math.max(minUrlColumns, room - Math.max(usualSaidColumns, widthOf(said))));
  return `${passed}  ${shownUrl}  ${paint('dim', cutTo(said, Math.max(1, room - widthOf(shownUrl))))}`;
}

/** A line for each running page; for several a bar above. */
export function drawProgress(paint: Paint, jobs: readonly JobState[], nowMs: number, columns: number): string[] {
  const running = jobs.filter(({ begunMs, ended }) => begunMs !== undefined && ended === undefined);
  const done = jobs.filter(({ ended }) => ended !== undefined).length;
  const bar = jobs.length > 1 ? [drawBar(paint, done, jobs.length)] : [];
  return [...bar, ...running.map(job => drawJob(paint, job, nowMs, columns))];
}

/** For an output that is no terminal: one line when a job has ended. */
export const sayEnd = (job: JobState, number: number, total: number, nowMs: number): string => {
  const passed = formatDuration(Math.max(0, nowMs - (job.begunMs ?? nowMs)) / 1000);
  return `[${number}/${total}] ${job.url} (${job.strategy}): ${job.ended === 'badly' ? 'Failed' : 'Done'}, ${passed}`;
};
