/** `--html`: the report of each result, and the name of its file. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Result } from '../../contract/result.ts';
import { toFileName } from '../../html-report/file-name.ts';
import { renderComparison } from '../../html-report/render-comparison.ts';
import { renderReport } from '../../html-report/render-report.ts';
import type { SideNames } from '../../presentation/side-names.ts';
import type { Job, Measured } from '../jobs.ts';
import { findDestination } from './report-destination.ts';
import { type WriteOptions, writeReport } from './write-report.ts';

/** A file for each job, by a name that no other has. */
function toPaths(folder: string, jobs: readonly Job[]): string[] {
  const taken = new Set<string>();
  return jobs.map(job => {
    const name = toFileName(job.url, job.strategy);
    let free = name;
    // Where letters of either case are one.
    for (let count = 2; taken.has(free.toLowerCase()); count += 1) free = toFileName(job.url, job.strategy, `${count}`);
    taken.add(free.toLowerCase());
    return join(folder, free);
  });
}

const hasMembers = (body: unknown, ...names: string[]): boolean =>
  typeof body === 'object' && body !== null && names.every(name => name in body);

/** Undefined for what failed: there is nothing to report. */
export function toHtml({ body, answer }: Measured, names: SideNames): string | undefined {
  if (!answer) return undefined;
  if (answer.kind === 'comparisons')
    return hasMembers(body, 'comparison')
      ? renderComparison(body as Parameters<typeof renderComparison>[0], names)
      : undefined;
  return hasMembers(body, 'scores') ? renderReport(body as Result) : undefined;
}

/** Makes missing folders too. */
function makeFolder(path: string): void {
  const destination = findDestination(path);
  mkdirSync(destination.kind === 'free' ? destination.path : path, { recursive: true });
}

/**
 * @param isList whether several were asked for: then the path is a folder
 * @returns the files written, in the order asked. @throws what the file system says
 */
export async function writeHtml(
  path: string,
  { all, isList, names }: { all: readonly Measured[]; isList: boolean; names: SideNames },
  options: WriteOptions,
): Promise<string[]> {
  if (isList) makeFolder(path);
  const paths =
    isList || findDestination(path).kind === 'folder'
      ? toPaths(
          path,
          all.map(({ job }) => job),
        )
      : [path];
  const written: string[] = [];
  for (const [at, measured] of all.entries()) {
    const html = toHtml(measured, names);
    const target = paths[at];
    if (html === undefined || target === undefined) continue;
    await writeReport(target, html, options);
    written.push(target);
  }
  return written;
}
