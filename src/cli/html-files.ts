/** `--html`: where reports go, judged before anything is measured; written whole or not at all. */
import { randomBytes } from 'node:crypto';
import { mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { toFileName } from '../html-report/file-name.ts';
import { renderComparison } from '../html-report/render-comparison.ts';
import { renderReport } from '../html-report/render-report.ts';
import type { Report } from '../report/report.ts';
import type { Job, Measured } from './jobs.ts';
import { UsageError } from './usage-error.ts';

type Place = 'file' | 'folder' | 'nothing';

const placeOf = (path: string): Place => {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return 'nothing';
  return found.isDirectory() ? 'folder' : 'file';
};

/** @throws UsageError when what is asked for cannot be written there */
export function judgeHtml(path: string, jobs: readonly Job[]): void {
  if (jobs.length > 1) {
    if (path === '-') throw new UsageError(['--html - takes one result; for several name a folder']);
    if (placeOf(path) === 'file')
      throw new UsageError([`--html ${path} is a file: for several results it has to be a folder`]);
    return;
  }
  if (path !== '-' && placeOf(dirname(path)) !== 'folder')
    throw new UsageError([`--html ${path}: there is no folder ${dirname(path)}`]);
}

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

function writeWhole(path: string, text: string): void {
  const beside = join(dirname(path), `.${randomBytes(6).toString('hex')}.html.part`);
  try {
    writeFileSync(beside, text, { flag: 'wx' });
    renameSync(beside, path);
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  }
}

const hasMembers = (body: unknown, ...names: string[]): boolean =>
  typeof body === 'object' && body !== null && names.every(name => name in body);

/** Undefined for what failed: there is nothing to report. */
export function toHtml({ body, result }: Measured): string | undefined {
  if (!result) return undefined;
  if (result.kind === 'comparisons')
    return hasMembers(body, 'comparison')
      ? renderComparison(body as Parameters<typeof renderComparison>[0])
      : undefined;
  return hasMembers(body, 'scores') ? renderReport(body as Report) : undefined;
}

/**
 * @param isList whether several were asked for: then the path is a folder
 * @returns the files written, in the order asked. @throws what the file system says
 */
export function writeHtml(path: string, all: readonly Measured[], isList: boolean): string[] {
  const isFolder = isList || placeOf(path) === 'folder';
  if (isFolder) mkdirSync(path, { recursive: true });
  const paths = isFolder
    ? toPaths(
        path,
        all.map(({ job }) => job),
      )
    : [path];
  return all.flatMap((measured, at) => {
    const html = toHtml(measured);
    const target = paths[at];
    if (html === undefined || target === undefined) return [];
    writeWhole(target, html);
    return [target];
  });
}
