/** Writes the files that a pipeline asked for, and the summary of a job on GitHub. */
import { appendFile, mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { toPlainJson } from '../text/terminal/plain-text.ts';
import { byChange, maxSummaryBytes, type Report, sayVerdict, toGitlab, toJunit, toMarkdown } from './outputs.ts';

const sizeOf = async (path: string): Promise<number> => (await stat(path).catch(() => undefined))?.size ?? 0;

/** Writes every file that was asked for. */
export async function writeOutputs(
  report: Report,
  files: Readonly<Partial<Record<'json' | 'junit' | 'markdown' | 'gitlab', string | undefined>>>,
  { env, mask, exitCode }: { env: NodeJS.ProcessEnv; mask: (text: string) => string; exitCode: number },
): Promise<void> {
  const texts = {
    json: () => toPlainJson(toJsonReport(report, exitCode), 2),
    junit: () => toJunit(report),
    markdown: () => toMarkdown(report),
    gitlab: () => JSON.stringify(toGitlab(report)),
  };
  for (const [name, path] of Object.entries(files) as [keyof typeof texts, string | undefined][]) {
    if (path === undefined) continue;
    await mkdir(dirname(resolve(path)), { recursive: true });
    await writeFile(path, mask(texts[name]()));
  }
  const summary = env.GITHUB_STEP_SUMMARY;
  if (summary) await appendFile(summary, mask(toMarkdown(report, maxSummaryBytes - (await sizeOf(summary)))));
}

export const toJsonReport = (report: Report, exitCode: number) => ({
  verdict: sayVerdict(report),
  exit_code: exitCode,
  results: byChange(report.rows, report.isStrict),
  unused_budgets: report.unused,
});
