/** `rangelight experiment URL`: a service of the command's own has the job in memory, and ends with the command. */

import { askPatiently } from '../api-client/ask-service.ts';
import { toExperimentAddress } from '../api-client/stored/experiment.ts';
import type { Conditions } from '../contract/conditions/conditions.ts';
import { messageOf } from '../contract/errors.ts';
import type { ExperimentAnswer } from '../contract/experiments/answer.ts';
import { renderExperiment } from '../web/report/render-experiment.ts';
import { type Asking, askForJson, bodyOf, CommandFailure, send } from './ask-json.ts';
import { exitCodes, printAnswer, type Running, write } from './command-context.ts';
import { writeReport } from './files/write-report.ts';
import type { Wanted } from './input/arguments.ts';
import { withService } from './open-service.ts';
import { toPlainBody, toPlainLine } from './text/terminal/plain-text.ts';
import { toExperimentText } from './text/verdict-text.ts';

const cancelMs = 5000;

/** Cancels the job when the user cancels the command, because the job would occupy the machine for minutes. */
async function cancel(id: string, asking: Asking): Promise<void> {
  const call = { method: 'DELETE', path: `jobs/${id}` } as const;
  await send(call, { ...asking, signal: AbortSignal.timeout(cancelMs) }).catch(() => {});
}

/** Returns a signal that aborts later: a request that is accepted just before an abort names the job to cancel. */
function toLater(signal: AbortSignal): AbortSignal {
  const later = new AbortController();
  const start = () => void setTimeout(() => later.abort(signal.reason), cancelMs).unref();
  if (signal.aborted) start();
  else signal.addEventListener('abort', start, { once: true });
  return later.signal;
}

const toAddress = (id: string, { baseUrl }: Asking): string => new URL(toExperimentAddress(id), baseUrl).href;

/**
 * Reads the events of the job to their end, across restarts of the service, then the answer.
 * @throws the signal's reason
 */
async function follow(id: string, asking: Asking, onLoads: (loads: number) => void): Promise<ExperimentAnswer> {
  let reported = 0;
  // A new connection repeats earlier events.
  const onEvent = (event: unknown) => {
    const { stage, done } = event as { stage?: unknown; done?: unknown };
    if (stage !== 'finished' || typeof done !== 'number' || done <= reported) return;
    reported = done;
    onLoads(done);
  };
  try {
    const call = { method: 'GET', path: `jobs/${id}/events` } as const;
    const events = await askPatiently(() => send(call, asking, onEvent), asking.signal);
    if (!events.ok && events.failure.kind !== 'problem')
      throw new CommandFailure(
        `The connection to the service is lost. The experiment may continue: ${toAddress(id, asking)}`,
      );
  } catch (error) {
    if (!(error instanceof CommandFailure)) await cancel(id, asking);
    throw error;
  }
  return bodyOf(await askPatiently(() => askForJson(`experiments/${id}`, asking), asking.signal)) as ExperimentAnswer;
}

/** Explains why there is no verdict. */
const sayEnd = (answer: ExperimentAnswer): string => {
  const { state, error } = toPlainBody(answer) as ExperimentAnswer;
  return error?.detail ?? `The experiment ended without a verdict: it is ${state}.`;
};

/** @returns false if the report cannot be written */
async function show(answer: ExperimentAnswer, wanted: Wanted<'experiment'>, around: Running): Promise<boolean> {
  const { results, stderr, signal } = around;
  const { html } = wanted;
  if (html === '-') await results.write(renderExperiment(answer));
  else await printAnswer<ExperimentAnswer>(answer, wanted, around, toExperimentText);
  if (html === undefined || html === '-') return true;
  try {
    await writeReport(html, renderExperiment(answer), { signal, streams: new Map([[1, results.write]]) });
    return true;
  } catch (error) {
    await write(stderr, `The report cannot be written: ${messageOf(error)}\n`);
    return false;
  }
}

/** @throws CommandFailure, the signal's reason */
async function runOn(
  asking: Asking,
  wanted: Wanted<'experiment'>,
  conditions: Partial<Conditions>,
  around: Running,
): Promise<number> {
  const { stderr, signal } = around;
  const { url, variants, strategy, profile, metric, label } = wanted;
  const say = async (line: string) => (wanted.quiet ? undefined : write(stderr, `${line}\n`));
  const body = JSON.stringify({ url, variants, strategy, profile, metric, label, ...conditions });
  const reply = await send({ method: 'POST', path: 'experiments', body }, { ...asking, signal: toLater(signal) });
  if (signal.aborted && reply.ok) await cancel((reply.body as ExperimentAnswer).id, asking);
  signal.throwIfAborted();
  const { id, plan, throttling_reason } = toPlainBody(bodyOf(reply)) as ExperimentAnswer;
  const address = wanted.server ? [`The experiment is at ${toAddress(id, asking)}`] : [];
  await say([plan.sentence, throttling_reason, ...address].join('\n'));
  const answer = await follow(
    id,
    asking,
    loads => void say(`${loads} of ${plan.loads.first} to ${plan.loads.most} loads`),
  );
  if (answer.state !== 'succeeded') throw new CommandFailure(sayEnd(answer));
  const isWritten = await show(answer, wanted, around);
  if (!isWritten) return exitCodes.analysisFailed;
  // Without an interval, the page, the variant or the machine failed: that is no verdict of this experiment.
  const unmeasured = answer.variants.filter(({ interval }) => interval === null);
  for (const { name } of unmeasured)
    await write(stderr, `${toPlainLine(name)}: too few of its loads were measured to compare it with the page.\n`);
  if (unmeasured.length > 0) return exitCodes.analysisFailed;
  const isWorse = answer.variants.some(({ status }) => status === 'worse');
  return isWorse ? exitCodes.assertionFailed : exitCodes.fine;
}

/** @returns the exit code. @throws CommandFailure, the signal's reason, SettingsError */
export const runExperiment = (wanted: Wanted<'experiment'>, around: Running): Promise<number> =>
  withService(wanted, around, (asking, conditions) => runOn(asking, wanted, conditions, around));
