/** One command from its words to its exit code. Everything outside comes as an argument. */
import type { Readable } from 'node:stream';
import { serviceVersion } from '../http/health.get.ts';
import { SettingsError } from '../settings.ts';
import { counted } from '../web/numbers.ts';
import { readArguments, type Wanted } from './arguments.ts';
import { checkAssertion } from './assertion.ts';
import { toAssertionText } from './assertion-text.ts';
import { gatherPages } from './gather-pages.ts';
import { helpText } from './help.ts';
import { toHtml, writeHtml } from './html-files.ts';
import { columnsOfJob, hasFailed, type Job, type Measured, parallelJobs, toJobs } from './jobs.ts';
import { toJsonLine, toJsonOutput } from './json-output.ts';
import { judgeHtml } from './judge-html.ts';
import { type OpenService, openOwnService, openRunningService } from './open-service.ts';
import { type Output, openResultOutput, type ResultOutput, write } from './output.ts';
import { createPaint, type Paint, wantsColor } from './paint.ts';
import { toPlainLine } from './plain-text.ts';
import { toResultsText } from './results-text.ts';
import { runJobs } from './run-jobs.ts';
import { showProgress } from './show-progress.ts';
import { UsageError } from './usage-error.ts';

export type Surroundings = {
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: Readable;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Fires when the command is to end before its time. */
  readonly signal: AbortSignal;
};

export const exitCodes = { fine: 0, assertionFailed: 1, usage: 2, analysisFailed: 3 } as const;

/** With the way out of its results. */
type Running = Surroundings & { readonly results: ResultOutput };

type Outputs = { readonly result: Paint; readonly told: Paint };

const toPaints = ({ hasColor }: Wanted, { env, stdout, stderr }: Surroundings): Outputs => ({
  result: createPaint(wantsColor(hasColor, env, stdout)),
  told: createPaint(wantsColor(hasColor, env, stderr)),
});

async function measure(wanted: Wanted, jobs: readonly Job[], around: Running, service: OpenService) {
  const { results, stderr, signal } = around;
  const progress = showProgress(stderr, toPaints(wanted, around).told, jobs, wanted.isQuiet);
  try {
    return await runJobs(jobs, {
      ...{ signal, apiKey: wanted.server ? wanted.apiKey : undefined, baseUrl: service.baseUrl },
      atOnce: parallelJobs[wanted.backend],
      onProgress: progress.tell,
      onDone: measured => {
        progress.end(measured);
        if (wanted.format === 'ndjson') void results.write(toJsonLine(measured, service.baseUrl));
      },
    });
  } finally {
    progress.stop();
  }
}

type Results = { readonly all: readonly Measured[]; readonly isList: boolean; readonly baseUrl: string };

/** @returns whether everything could be written */
async function writeReports(path: string, measured: Results, { results, stderr, signal }: Running) {
  if (path === '-') {
    await results.write(measured.all.map(one => toHtml(one) ?? '').join(''));
    return true;
  }
  const tell = async (text: string) => {
    const error = await write(stderr, text);
    if (error) throw error;
  };
  const streams = new Map([
    [1, results.write],
    [2, tell],
  ]);
  try {
    const files = await writeHtml(path, measured, { signal, streams });
    if (files.length > 0)
      await write(
        stderr,
        `Written: ${files.length > 3 ? `${counted(files.length, 'report')} in ${path}` : files.join(', ')}\n`,
      );
    return true;
  } catch (error) {
    await write(stderr, `The report cannot be written: ${error instanceof Error ? error.message : String(error)}\n`);
    return false;
  }
}

/** Tables go where JSON and reports leave room for them. */
async function show(wanted: Wanted, measured: Results, around: Running): Promise<number> {
  const { all, isList, baseUrl } = measured;
  const { results, stderr } = around;
  const paints = toPaints(wanted, around);
  const hasTable = wanted.format === 'table' && wanted.html !== '-';
  const paint = hasTable ? paints.result : paints.told;
  // Lines were sent as they came: then only their way out is waited for.
  if (wanted.format !== 'table')
    await results.write(wanted.format === 'json' ? toJsonOutput(all, isList, baseUrl) : '');
  if (hasTable) await results.write(toResultsText(paint, all));
  const isWritten = wanted.html === undefined || (await writeReports(wanted.html, measured, around));
  const checks = all.flatMap(measured =>
    wanted.assertions.flatMap(assertion => checkAssertion(assertion, measured.job.url, columnsOfJob(measured))),
  );
  if (checks.length > 0) {
    const text = toAssertionText(paint, checks);
    await (hasTable ? results.write(`\n${text}`) : write(stderr, text));
  }
  if (all.some(hasFailed) || !isWritten) return exitCodes.analysisFailed;
  return checks.every(({ passed }) => passed) ? exitCodes.fine : exitCodes.assertionFailed;
}

async function runMeasure(wanted: Wanted, around: Running): Promise<number> {
  const jobs = toJobs(await gatherPages(wanted, around), wanted);
  if (wanted.html !== undefined) judgeHtml(wanted.html, jobs.length > 1);
  around.signal.throwIfAborted();
  const service = wanted.server ? openRunningService(wanted.server) : await openOwnService(around.env, around.stderr);
  let all: Measured[];
  try {
    all = await measure(wanted, jobs, around, service);
  } finally {
    await service.close();
    for (const warning of service.warnings) await write(around.stderr, `Warning: ${toPlainLine(warning)}\n`);
  }
  if (around.signal.aborted) {
    if (all.length === 0) throw around.signal.reason;
    await write(around.stderr, `Ended early: ${all.length} of ${counted(jobs.length, 'result')}.\n`);
  }
  return show(wanted, { all, isList: jobs.length > 1, baseUrl: service.baseUrl }, around);
}

async function runWords(args: readonly string[], around: Running): Promise<number> {
  const { results, stderr } = around;
  try {
    const command = readArguments(args, around.env);
    if (command.kind === 'measure') return await runMeasure(command.wanted, around);
    await results.write(`${command.kind === 'help' ? helpText : serviceVersion}\n`);
    return exitCodes.fine;
  } catch (error) {
    if (error instanceof SettingsError) await write(stderr, `${error.message}\n`);
    else if (error instanceof UsageError)
      await write(
        stderr,
        `${error.faults.map(fault => `rangelight: ${fault}`).join('\n')}\nrangelight --help explains it.\n`,
      );
    else throw error;
    return exitCodes.usage;
  }
}

/** @returns the exit code. @throws the signal's reason when nothing was through, and what nobody foresaw */
export async function runCommand(args: readonly string[], around: Surroundings): Promise<number> {
  const results = openResultOutput(around.stdout);
  const code = await runWords(args, { ...around, results });
  const fault = results.faultOf();
  if (fault === undefined) return code;
  await write(around.stderr, `The result cannot be written to the standard output: ${fault}\n`);
  return exitCodes.analysisFailed;
}
