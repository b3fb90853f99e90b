/** Writes the requested files, and GitHub's job summary. */
import { appendFile, mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { toPlainJson } from '../../text/terminal/plain-text.ts';
import { toGitlab } from './gitlab.ts';
import { toJunit } from './junit.ts';
import { maxSummaryBytes, toMarkdown } from './markdown.ts';
import { byChange, type Report, sayVerdict } from './report.ts';

const sizeOf = async (path: string): Promise<number> => (await stat(path).catch(() => undefined))?.size ?? 0;

/** Paths of the requested files. */
export type OutputFiles = Partial<Record<'json' | 'junit' | 'markdown' | 'gitlab', string | undefined>>;

/** Returns a sentence if the file cannot be written: the other outputs are useful without it. */
export async function tryToWrite(path: string, writing: () => Promise<unknown>): Promise<string[]> {
  try {
    await writing();
    return [];
  } catch (error) {
    return [`${path} cannot be written: ${error instanceof Error ? error.message : String(error)}`];
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
