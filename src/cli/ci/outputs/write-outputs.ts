/** Writes the requested files, and GitHub's job summary. */
import { appendFile, mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { toPlainJson } from '../../text/terminal/plain-text.ts';
import { toGitlab } from './gitlab.ts';
import { toJunit } from './junit.ts';
import { maxSummaryBytes, toMarkdown } from './markdown.ts';
import { byChange, type Report, sayVerdict } from './report.ts';

const sizeOf = async (path: string): Promise<number> => (await stat(path).catch(() => undefined))?.size ?? 0;

/** Writes every requested file. @param report report with masked secrets */
export async function writeOutputs(
  report: Report,
  files: Readonly<Partial<Record<'json' | 'junit' | 'markdown' | 'gitlab', string | undefined>>>,
  { env, exitCode }: { env: NodeJS.ProcessEnv; exitCode: number },
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
    await writeFile(path, texts[name]());
  }
  const summary = env.GITHUB_STEP_SUMMARY;
  if (summary) await appendFile(summary, toMarkdown(report, maxSummaryBytes - (await sizeOf(summary))));
}

export const toJsonReport = (report: Report, exitCode: number) => ({
  verdict: sayVerdict(report),
  exit_code: exitCode,
  results: byChange(report.rows, report.isStrict),
  unused_budgets: report.unused,
});
