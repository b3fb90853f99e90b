/** Writes results in the requested form: tables, JSON, reports and assertions. */

import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { idsOf } from '../api-client/stored/kept-result.ts';
import { messageOf } from '../contract/errors.ts';
import { counted } from '../presentation/numbers.ts';
import type { SideNames } from '../presentation/side-names.ts';
import { createMask, maskTexts } from './ci/mask.ts';
import { type Row, type RowCheck, toRow, uncompared } from './ci/outputs/report.ts';
import { writeOutputs } from './ci/outputs/write-outputs.ts';
import { exitCodes, type Running, toScreens, write } from './command-context.ts';
import { type BaselineCheck, isWorse } from './compare-baseline.ts';
import { toHtml, type Written, writeHtml } from './files/html-files.ts';
import { toJsonOutput } from './files/json-output.ts';
import type { Pictures } from './find-pictures.ts';
import type { Wanted } from './input/arguments.ts';
import { type Assertion, type Check, checkAssertion, isOfPage, sayMeasured } from './input/assertion.ts';
import {
  columnsOfMeasurement,
  type FinishedMeasurement,
  hasFailed,
  type Measurement,
  wholeColumnsOf,
} from './measurements.ts';
import { type Judged, toAssertionText } from './text/assertion-text.ts';
import { toResultsText } from './text/output-text.ts';
import { toPlainLine } from './text/terminal/plain-text.ts';
import type { Screen } from './text/terminal/screen.ts';
import { toBaselineText } from './text/verdict-text.ts';

/** Returns where a result is stored, if it is: a service that ends with the command has no URL, but a store. */
export function toKeptAt(
  { server }: Pick<Wanted<'measure'>, 'server'>,
  { body }: Pick<FinishedMeasurement, 'body'>,
): string | undefined {
  const [id] = idsOf([body]);
  if (id === undefined) return undefined;
  if (server === undefined) return `npx rangelight show ${toPlainLine(id)}`;
  return new URL(`r/${encodeURIComponent(id)}`, server).href;
}

export type Results = {
  readonly all: readonly FinishedMeasurement[];
  /** All jobs; after a cancellation, some of them have no result. */
  readonly jobs: readonly Measurement[];
  readonly baseUrl: string;
  readonly names: SideNames;
  readonly pictures: Pictures;
  readonly baseline: readonly BaselineCheck[];
};

function sayWritten({ link }: Screen, { reports, index }: Written): string {
  const named = (path: string) => link(path, pathToFileURL(resolve(path)).href);
  return index === undefined
    ? reports.map(named).join(', ')
    : `${counted(reports.length, 'report')} and ${named(index)}`;
}

/** @returns whether everything was written */
async function writeReports(path: string, measured: Results, screen: Screen, { results, stderr, signal }: Running) {
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
    const written = await writeHtml(path, measured, { signal, streams });
    const said = sayWritten(screen, written);
    if (said !== '') await write(stderr, `Written: ${said}\n`);
    return true;
  } catch (error) {
    await write(stderr, `The report cannot be written: ${messageOf(error)}\n`);
    return false;
  }
}

/** Returns whether the service refused every request: an option that only it can check is as wrong as any other. */
const isRefused = (all: readonly FinishedMeasurement[]): boolean =>
  all.length > 0 && all.every(({ failure }) => failure?.kind === 'invalid');

/** Returns the exit code. Incomplete output takes precedence over a failed assertion or a regression. */
const toExitCode = (all: readonly FinishedMeasurement[], isWhole: boolean, holds: boolean): number => {
  if (isRefused(all)) return exitCodes.usage;
  if (!isWhole) return exitCodes.analysisFailed;
  return holds ? exitCodes.fine : exitCodes.assertionFailed;
};

/** Returns whether all assertions passed. Warnings never fail; assertions about unmeasured pages do. */
const holdsAll = (checks: readonly Check[], unused: readonly Assertion[]): boolean =>
  checks.every(check => check.passed || check.isWarning) && unused.every(({ isWarning }) => isWarning);

const judge = (
  { assertions, strict }: Pick<Wanted<'measure'>, 'assertions' | 'strict'>,
  all: readonly FinishedMeasurement[],
): Judged => ({
  checks: all.flatMap(measured =>
    assertions.flatMap(assertion => checkAssertion(assertion, measured.job.url, wholeColumnsOf(measured), strict)),
  ),
  unused: assertions.filter(assertion => !all.some(({ job }) => isOfPage(assertion, job.url))),
});

export const toRowCheck = (check: Check): RowCheck => ({
  text: check.assertion.text,
  measured: sayMeasured(check),
  passed: check.passed,
  isWarning: check.isWarning,
});

/** Returns one row for each measured side, with its checks and its baseline. */
function toRows(wanted: Wanted<'measure'>, { all, baseline }: Results, checks: readonly Check[]): Row[] {
  return all.flatMap(measured =>
    columnsOfMeasurement(measured).map((column): Row => {
      const { url } = measured.job;
      const { source, strategy } = column;
      const compared = baseline.find(one => one.url === url && one.strategy === strategy && one.source === source);
      const ofRow = checks.filter(check => check.url === url && check.source === source && check.strategy === strategy);
      const outcome: Pick<Row, 'state' | 'explanation'> = compared
        ? compared.verdict
          ? { state: compared.verdict.status, explanation: compared.verdict.explanation }
          : { state: 'not_compared', explanation: compared.fault ?? '' }
        : { state: 'measured', explanation: '' };
      return toRow(
        url,
        column,
        { ...uncompared, ...outcome },
        {
          baseline: compared && wanted.baseline,
          checks: ofRow.map(toRowCheck),
          link: toKeptAt(wanted, measured),
        },
      );
    }),
  );
}

/** @returns whether every requested file was written */
async function writeForPipelines(
  wanted: Wanted<'measure'>,
  measured: Results,
  { checks, unused }: Judged,
  { env, stderr }: Running,
): Promise<boolean> {
  const { junit, markdown, strict: isStrict } = wanted;
  if (junit === undefined && markdown === undefined) return true;
  const missing = unused.map(({ text, isWarning }) => ({
    text,
    measured: 'no page matches',
    passed: false,
    isWarning,
  }));
  const report = maskTexts({ rows: toRows(wanted, measured, checks), unused: missing, isStrict }, createMask(env));
  // Only `rangelight ci` writes a job summary: a step may run this command many times.
  const faults = await writeOutputs(report, { junit, markdown }, { env: {}, exitCode: 0 });
  for (const fault of faults) await write(stderr, `${fault}\n`);
  return faults.length === 0;
}

/** Writes the results; tables are omitted if JSON or reports use standard output. @returns the exit code */
export async function showResults(wanted: Wanted<'measure'>, measured: Results, around: Running): Promise<number> {
  const { all, jobs, baseUrl, names, baseline } = measured;
  const { results, stderr } = around;
  const screens = toScreens(wanted, around);
  const hasTable = wanted.format === 'table' && wanted.html !== '-';
  const screen = hasTable ? screens.result : screens.notes;
  // Lines of NDJSON were written before, so the empty text only waits for them.
  if (wanted.format !== 'table')
    await results.write(wanted.format === 'json' ? toJsonOutput(all, jobs.length > 1, baseUrl) : '');
  const showing = { names, isAll: wanted.all, keptAt: (one: FinishedMeasurement) => toKeptAt(wanted, one) };
  if (hasTable) await results.write(toResultsText(screen, all, showing));
  const isWritten = wanted.html === undefined || (await writeReports(wanted.html, measured, screens.notes, around));
  const { checks, unused } = judge(wanted, all);
  const judged = [
    checks.length + unused.length > 0 ? toAssertionText(screen, { checks, unused }, wanted.all) : '',
    baseline.length > 0 ? toBaselineText(screen, wanted.baseline ?? '', baseline) : '',
  ].filter(text => text !== '');
  for (const text of judged) await (hasTable ? results.write(`\n${text}`) : write(stderr, text));
  const hasFiles = await writeForPipelines(wanted, measured, { checks, unused }, around);
  const isWhole = !all.some(hasFailed) && isWritten && hasFiles && baseline.every(({ verdict }) => verdict);
  const hasRegressed = baseline.some(({ verdict }) => isWorse(verdict, wanted.strict));
  return toExitCode(all, isWhole, !hasRegressed && holdsAll(checks, unused));
}
