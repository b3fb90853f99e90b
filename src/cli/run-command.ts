/** One command from its arguments to its exit code. Everything outside is passed in. */
import type { Readable } from 'node:stream';
import { serviceVersion } from '../contract/version.ts';
import { counted } from '../presentation/numbers.ts';
import type { SideNames } from '../presentation/side-names.ts';
import { SettingsError } from '../settings/settings.ts';
import { type BaselineCheck, compareWithBaseline } from './compare-baseline.ts';
import { toHtml, writeHtml } from './files/html-files.ts';
import { toJsonLine, toJsonOutput } from './files/json-output.ts';
import { judgeHtml } from './files/judge-html.ts';
import { findNames } from './find-names.ts';
import { readArguments, type Wanted } from './input/arguments.ts';
import { type Assertion, type Check, checkAssertion, isOfPage } from './input/assertion.ts';
import { gatherPages } from './input/gather-pages.ts';
import { helpText } from './input/help.ts';
import type { KeptWanted } from './input/kept-arguments.ts';
import { UsageError } from './input/usage-error.ts';
import { columnsOfJob, hasFailed, type Job, type Measured, parallelJobs, toJobs } from './jobs.ts';
import { type OpenService, openOwnService, openRunningService } from './open-service.ts';
import { type Output, openResultOutput, type ResultOutput, write } from './output.ts';
import { runJobs } from './run-jobs.ts';
import { readKept } from './run-kept.ts';
import { showProgress } from './show-progress.ts';
import { toAssertionText } from './text/assertion-text.ts';
import { toBaselineText } from './text/baseline-text.ts';
import { toResultsText } from './text/output-text.ts';
import { createPaint, type Paint, wantsColor } from './text/paint.ts';
import { toPlainLine } from './text/plain-text.ts';

export type Surroundings = {
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: Readable;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Fires when the command is cancelled. */
  readonly signal: AbortSignal;
};

export const exitCodes = { fine: 0, assertionFailed: 1, usage: 2, analysisFailed: 3 } as const;

/** With the output of its results. */
type Running = Surroundings & { readonly results: ResultOutput };

type Outputs = { readonly result: Paint; readonly notes: Paint };

const toPaints = ({ hasColor }: Pick<Wanted, 'hasColor'>, { env, stdout, stderr }: Surroundings): Outputs => ({
  result: createPaint(wantsColor(hasColor, env, stdout)),
  notes: createPaint(wantsColor(hasColor, env, stderr)),
});

async function measure(wanted: Wanted, jobs: readonly Job[], around: Running, service: OpenService) {
  const { results, stderr, signal } = around;
  const progress = showProgress(stderr, toPaints(wanted, around).notes, jobs, wanted.isQuiet);
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

type Results = {
  readonly all: readonly Measured[];
  readonly isList: boolean;
  readonly baseUrl: string;
  readonly names: SideNames;
  readonly baseline: readonly BaselineCheck[];
};

/** @returns whether everything could be written */
async function writeReports(path: string, measured: Results, { results, stderr, signal }: Running) {
  if (path === '-') {
    await results.write(measured.all.map(one => toHtml(one, measured.names) ?? '').join(''));
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

/** Also when an assertion failed or a page got worse: what could not be done is said first. */
const toExitCode = (isWhole: boolean, holds: boolean): number => {
  if (!isWhole) return exitCodes.analysisFailed;
  return holds ? exitCodes.fine : exitCodes.assertionFailed;
};

/** A warning is said and fails nothing. What no page was measured for did not hold. */
const holdsAll = (checks: readonly Check[], unused: readonly Assertion[]): boolean =>
  checks.every(({ passed, assertion }) => passed || assertion.isWarning) && unused.every(({ isWarning }) => isWarning);

/** Tables go where JSON and reports leave room for them. */
async function show(wanted: Wanted, measured: Results, around: Running): Promise<number> {
  const { all, isList, baseUrl, names, baseline } = measured;
  const { results, stderr } = around;
  const paints = toPaints(wanted, around);
  const hasTable = wanted.format === 'table' && wanted.html !== '-';
  const paint = hasTable ? paints.result : paints.notes;
  // Lines were sent as they came: only their arrival is awaited here.
  if (wanted.format !== 'table')
    await results.write(wanted.format === 'json' ? toJsonOutput(all, isList, baseUrl) : '');
  if (hasTable) await results.write(toResultsText(paint, all, names));
  const isWritten = wanted.html === undefined || (await writeReports(wanted.html, measured, around));
  const checks = all.flatMap(measured =>
    wanted.assertions.flatMap(assertion => checkAssertion(assertion, measured.job.url, columnsOfJob(measured))),
  );
  const unused = wanted.assertions.filter(assertion => !all.some(({ job }) => isOfPage(assertion, job.url)));
  const judged = [
    checks.length + unused.length > 0 ? toAssertionText(paint, checks, unused) : '',
    baseline.length > 0 ? toBaselineText(paint, wanted.baseline ?? '', baseline) : '',
  ].filter(text => text !== '');
  for (const text of judged) await (hasTable ? results.write(`\n${text}`) : write(stderr, text));
  const isWhole = !all.some(hasFailed) && isWritten && baseline.every(({ verdict }) => verdict);
  const isWorse = baseline.some(({ verdict }) => verdict?.status === 'worse');
  return toExitCode(isWhole, !isWorse && holdsAll(checks, unused));
}

const openService = async ({ server }: Pick<Wanted, 'server'>, { env, stderr }: Running): Promise<OpenService> =>
  server ? openRunningService(server) : openOwnService(env, stderr);

async function closeService(service: OpenService, { stderr }: Running): Promise<void> {
  await service.close();
  for (const warning of service.warnings) await write(stderr, `Warning: ${toPlainLine(warning)}\n`);
}

async function runKept(wanted: KeptWanted, around: Running): Promise<number> {
  const service = await openService(wanted, around);
  try {
    const apiKey = wanted.server ? wanted.apiKey : undefined;
    const asking = { baseUrl: service.baseUrl, apiKey, signal: around.signal };
    const { text, isFailure } = await readKept(wanted, toPaints(wanted, around).result, asking);
    if (isFailure) await write(around.stderr, text);
    else await around.results.write(text);
    return isFailure ? exitCodes.analysisFailed : exitCodes.fine;
  } finally {
    await closeService(service, around);
  }
}

async function runMeasure(wanted: Wanted, around: Running): Promise<number> {
  const jobs = toJobs(await gatherPages(wanted, around), wanted);
  if (wanted.html !== undefined) judgeHtml(wanted.html, jobs.length > 1);
  around.signal.throwIfAborted();
  const service = await openService(wanted, around);
  let all: Measured[];
  let names: SideNames;
  let baseline: BaselineCheck[] = [];
  try {
    all = await measure(wanted, jobs, around, service);
    names = await findNames(all, service.baseUrl, around.signal);
    const asking = {
      baseUrl: service.baseUrl,
      apiKey: wanted.server ? wanted.apiKey : undefined,
      signal: around.signal,
    };
    if (wanted.baseline !== undefined && !around.signal.aborted)
      baseline = await compareWithBaseline(wanted.baseline, all, asking);
  } finally {
    await closeService(service, around);
  }
  if (around.signal.aborted) {
    if (all.length === 0) throw around.signal.reason;
    await write(around.stderr, `Cancelled: ${all.length} of ${counted(jobs.length, 'result')}.\n`);
  }
  return show(wanted, { all, isList: jobs.length > 1, baseUrl: service.baseUrl, names, baseline }, around);
}

async function runWords(args: readonly string[], around: Running): Promise<number> {
  const { results, stderr } = around;
  try {
    const command = readArguments(args, around.env);
    if (command.kind === 'measure') return await runMeasure(command.wanted, around);
    if (command.kind === 'kept') return await runKept(command.wanted, around);
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

/** @returns the exit code. @throws the signal's reason when nothing was measured, and unforeseen errors */
export async function runCommand(args: readonly string[], around: Surroundings): Promise<number> {
  const results = openResultOutput(around.stdout);
  const code = await runWords(args, { ...around, results }).catch(async error => {
    if (around.signal.aborted) await write(around.stderr, 'Nothing was measured.\n');
    throw error;
  });
  const fault = results.faultOf();
  if (fault === undefined) return code;
  await write(around.stderr, `The result cannot be written to the standard output: ${fault}\n`);
  return exitCodes.analysisFailed;
}
