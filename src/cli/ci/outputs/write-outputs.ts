/** Writes the requested files, and GitHub's job summary. */

import { appendFile, mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { messageOf } from '../../../contract/errors.ts';
import type { Result } from '../../../contract/result/result.ts';
import { type Asking, ask } from '../../ask-json.ts';
import { toPlainJson } from '../../text/terminal/plain-text.ts';
import { maskTexts } from '../mask.ts';
import { toGitlab } from './gitlab.ts';
import { toJunit } from './junit.ts';
import { maxSummaryBytes, toMarkdown } from './markdown.ts';
import { byChange, type Report, type Row, sayVerdict } from './report.ts';

const sizeOf = async (path: string): Promise<number> => (await stat(path).catch(() => undefined))?.size ?? 0;

export type OutputFiles = Partial<Record<'json' | 'junit' | 'markdown' | 'gitlab', string | undefined>>;

/** Returns a sentence if the file cannot be written: the other outputs are useful without it. */
export async function tryToWrite(path: string, writing: () => Promise<unknown>): Promise<string[]> {
  try {
    await writing();
    return [];
  } catch (error) {
    return [`${path} cannot be written: ${messageOf(error)}`];
  }
}

/** Writes every requested file. @param report report with masked secrets @returns a sentence for each that failed */
export async function writeOutputs(
  report: Report,
  files: Readonly<OutputFiles>,
  { env, exitCode }: { env: NodeJS.ProcessEnv; exitCode: number },
): Promise<string[]> {
  const faults: string[] = [];
  const texts = {
    json: () => toPlainJson(toJsonReport(report, exitCode), 2),
    junit: () => toJunit(report),
    markdown: () => toMarkdown(report),
    gitlab: () => JSON.stringify(toGitlab(report)),
  };
  for (const [name, path] of Object.entries(files) as [keyof typeof texts, string | undefined][]) {
    if (path === undefined) continue;
    const writing = async () => {
      await mkdir(dirname(resolve(path)), { recursive: true });
      await writeFile(path, texts[name]());
    };
    faults.push(...(await tryToWrite(path, writing)));
  }
  const summary = env.GITHUB_STEP_SUMMARY;
  if (!summary) return faults;
  const appending = async () => appendFile(summary, toMarkdown(report, maxSummaryBytes - (await sizeOf(summary))));
  return [...faults, ...(await tryToWrite(summary, appending))];
}

export const toJsonReport = (report: Report, exitCode: number) => ({
  verdict: sayVerdict(report),
  exit_code: exitCode,
  results: byChange(report.rows, report.isStrict),
  unused_budgets: report.unused,
});

/** `output.results`: every result of this run as JSON, for `baseline.file` of a later run. @throws CommandFailure */
export async function writeResults(
  path: string,
  rows: readonly Row[],
  { asking, mask }: { asking: Asking; mask: (text: string) => string },
): Promise<void> {
  const results: Result[] = [];
  for (const id of rows.flatMap(({ id: first, more_ids: more = [] }) =>
    first === undefined ? more : [first, ...more],
  )) {
    // The displayed run contains its requests, for naming the changed files.
    const shown = (await ask(`results/${encodeURIComponent(id)}?detailed=true`, asking)) as Result;
    results.push(shown);
    for (const other of shown.runs?.ids ?? [])
      if (other !== id) results.push((await ask(`results/${encodeURIComponent(other)}`, asking)) as Result);
  }
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, JSON.stringify(maskTexts(results, mask)));
}
