import { createLogUpdate } from 'log-update';
import type { LaneState } from '../api-client/progress.ts';
import type { Output } from './command-context.ts';
import { type FinishedMeasurement, hasFailed, type Measurement } from './measurements.ts';
import { drawProgress, type JobProgress, sayEnd } from './text/progress-lines.ts';
import type { Paint } from './text/terminal/paint.ts';

export type ShownProgress = {
  tell(job: Measurement, lanes: readonly LaneState[]): void;
  end(measured: FinishedMeasurement): void;
  /** Restores the terminal. */
  stop(): void;
};

type DrawnOutput = Output & { readonly rows?: number };

const redrawMs = 200;
const usualColumns = 80;

/** Returns whether progress can be drawn: some terminals of CI systems report no size. */
const canBeDrawnOn = ({ isTTY, columns, rows }: DrawnOutput): boolean => isTTY === true && columns !== 0 && rows !== 0;

const silent: ShownProgress = { tell: () => {}, end: () => {}, stop: () => {} };

/** Displays progress: a terminal is redrawn continuously; other outputs get one line for each finished page. */
export function showProgress(
  stream: DrawnOutput,
  paint: Paint,
  jobs: readonly Measurement[],
  isQuiet: boolean,
): ShownProgress {
  if (isQuiet) return silent;
  const states: JobProgress[] = jobs.map(({ url, strategy }) => ({
    url,
    strategy,
    lanes: [],
    begunMs: undefined,
    ended: undefined,
  }));
  const draw = canBeDrawnOn(stream) ? startDrawing(stream, paint, states) : undefined;
  const change = ({ index }: Measurement, toNext: (state: JobProgress) => JobProgress) => {
    const before = states[index];
    if (!before) return;
    const after = toNext(before);
    states[index] = after;
    if (!draw && after.ended) stream.write(`${sayEnd(after, index + 1, jobs.length, performance.now())}\n`);
  };
  return {
    tell: (job, lanes) => change(job, state => ({ ...state, lanes, begunMs: state.begunMs ?? performance.now() })),
    end: measured => change(measured.job, state => ({ ...state, ended: hasFailed(measured) ? 'badly' : 'well' })),
    stop: () => draw?.stop(),
  };
}

function startDrawing(stream: DrawnOutput, paint: Paint, states: readonly JobProgress[]): { stop(): void } {
  const update = createLogUpdate(stream as NodeJS.WriteStream);
  const draw = () => update(drawProgress(paint, states, performance.now(), stream.columns ?? usualColumns).join('\n'));
  const timer = setInterval(draw, redrawMs);
  return {
    stop() {
      clearInterval(timer);
      update.clear();
      update.done();
    },
  };
}
