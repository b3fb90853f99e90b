/** `--html`: writes the report of each result, and the index of a folder. */

import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Result } from '../../contract/result/result.ts';
import { hasMembers } from '../../presentation/answer.ts';
import type { SideNames } from '../../presentation/side-names.ts';
import { toFileName } from '../../web/report/file-policy.ts';
import type { IndexEntry } from '../../web/report/index/index-order.ts';
import { renderIndex } from '../../web/report/index/render-index.ts';
import { toThumbnail } from '../../web/report/index/thumbnail.ts';
import { renderReport } from '../../web/report/render-report.ts';
import { renderComparison } from '../../web/report/render-strategies.ts';
import type { Pictures } from '../find-pictures.ts';
import { columnsOfMeasurement, type FinishedMeasurement, type Measurement } from '../measurements.ts';
import { findDestination } from './report-destination.ts';
import { type WriteOptions, writeReport } from './write-report.ts';

function toPaths(folder: string, jobs: readonly Measurement[]): string[] {
  const taken = new Set<string>();
  return jobs.map(job => {
    let free = toFileName(job.url, job.strategy);
    // Names are compared in lower case, because some file systems ignore case.
    for (let count = 2; taken.has(free.toLowerCase()); count += 1) free = toFileName(job.url, job.strategy, `${count}`);
    taken.add(free.toLowerCase());
    return join(folder, free);
  });
}

/** Returns the report of a job; undefined for a failed one. */
export function toHtml({ body, answer }: FinishedMeasurement, names: SideNames): string | undefined {
  if (!answer) return undefined;
  if (answer.kind === 'comparisons')
    return hasMembers(body, 'comparison')
      ? renderComparison(body as Parameters<typeof renderComparison>[0], names)
      : undefined;
  return hasMembers(body, 'scores') ? renderReport(body as Result) : undefined;
}

function makeFolder(path: string): void {
  const destination = findDestination(path);
  mkdirSync(destination.kind === 'free' ? destination.path : path, { recursive: true });
}

export const indexName = 'index.html';

const toEntry = (measured: FinishedMeasurement, report: string | undefined, pictures: Pictures): IndexEntry => ({
  url: measured.job.url,
  strategy: measured.job.strategy,
  columns: columnsOfMeasurement(measured),
  report: report === undefined ? undefined : basename(report),
  picture: toThumbnail(pictures.get(measured)),
});

export type Written = {
  readonly reports: readonly string[];
  /** Path of the index; undefined for a single result. */
  readonly index: string | undefined;
};

type Given = {
  readonly all: readonly FinishedMeasurement[];
  /** Jobs of the command; with several, the path is a folder. */
  readonly jobs: readonly Measurement[];
  readonly names: SideNames;
  readonly pictures: Pictures;
};

/** Writes the reports, then the index that links to them. @throws the error of the file system */
export async function writeHtml(
  path: string,
  { all, jobs, names, pictures }: Given,
  options: WriteOptions,
): Promise<Written> {
  const isList = jobs.length > 1;
  if (isList) makeFolder(path);
  const paths =
    isList || findDestination(path).kind === 'folder'
      ? toPaths(
          path,
          all.map(({ job }) => job),
        )
      : [path];
  const reports = new Map<FinishedMeasurement, string>();
  for (const [at, measured] of all.entries()) {
    const html = toHtml(measured, names);
    const target = paths[at];
    if (html === undefined || target === undefined) continue;
    await writeReport(target, html, options);
    reports.set(measured, target);
  }
  if (!isList) return { reports: [...reports.values()], index: undefined };
  const index = join(path, indexName);
  const entries = all.map(measured => toEntry(measured, reports.get(measured), pictures));
  await writeReport(index, renderIndex({ entries, names, asked: jobs.length }), options);
  return { reports: [...reports.values()], index };
}
