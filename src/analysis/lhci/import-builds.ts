/** Imports the projects, builds and runs of a Lighthouse CI server. The import can be stopped and repeated. */
import { randomUUID } from 'node:crypto';
import { AnalysisError } from '../../contract/errors.ts';
import { StoreFaultError } from '../../storage/database/fault.ts';
import {
  addBuild,
  addProject,
  type Build,
  findBuild,
  findProject,
  type Project,
  toTokenDigest,
} from '../../storage/lhci/builds.ts';
import type { LhciFile, LhciRow } from '../../storage/lhci/lhci-file.ts';
import { storeRun, type UploadParts } from './store-upload.ts';
import { readPossibleTime, toBuild, toLine, toSlug, withSuffix } from './uploaded-build.ts';

export type ImportCounts = {
  projects: number;
  builds: number;
  runs: number;
  /** Runs that could not be read: their ids and the reasons. */
  readonly skipped: { readonly id: string; readonly reason: string }[];
};

const toProject = (row: LhciRow, nowMs: number): Project => ({
  id: toLine(row.id),
  name: toLine(row.name),
  slug: toSlug(toLine(row.slug) || toLine(row.id)),
  externalUrl: toLine(row.externalUrl),
  baseBranch: toLine(row.baseBranch) || 'master',
  createdAtMs: readPossibleTime(row.createdAt) ?? nowMs,
});

/**
 * Imports a project, with a longer slug if another project here has the same one. A project without a token can be read,
 * but not written.
 * @returns the project as it is stored
 */
async function importProject({ store: { database } }: UploadParts, row: LhciRow, nowMs: number) {
  const project = toProject(row, nowMs);
  const digest = toTokenDigest(toLine(row.token) || randomUUID());
  if (await addProject(database, project, digest)) return project;
  const found = await findProject(database, { id: project.id });
  if (found) return found;
  const other = { ...project, slug: withSuffix(project.slug, project.id.slice(0, 8)) };
  return (await addProject(database, other, digest)) ? other : undefined;
}

async function importBuild({ store: { database } }: UploadParts, project: Project, row: LhciRow, nowMs: number) {
  const build = toBuild(row, project, {
    id: toLine(row.id),
    createdAtMs: readPossibleTime(row.createdAt) ?? nowMs,
    lifecycle: row.lifecycle === 'sealed' ? 'sealed' : 'unsealed',
  });
  if (!build) return undefined;
  // An earlier import may have stored it under another label.
  return (await addBuild(database, build)) ? build : findBuild(database, build.projectId, build.id);
}

async function importRun(parts: UploadParts, build: Build | undefined, row: LhciRow, nowMs: number) {
  if (!build) return { refused: 'It belongs to no build.' };
  if (toLine(row.id) === '') return { refused: 'It has no id.' };
  if (typeof row.lhr !== 'string') return { refused: 'It has no Lighthouse result.' };
  // A service that sweeps the same store may have removed the old build while it had no runs.
  await addBuild(parts.store.database, build);
  return storeRun(parts, build, Buffer.from(JSON.stringify({ url: row.url, lhr: row.lhr })), {
    id: toLine(row.id),
    createdAtMs: readPossibleTime(row.createdAt) ?? nowMs,
    isRepresentative: row.representative === 1,
  });
}

/** Returns why a run cannot be stored. @throws an error that prevents storing any run */
function refuseRun({ store }: UploadParts, error: unknown): { refused: string } {
  const isOfRun = error instanceof StoreFaultError && ['invalid_input', 'not_acceptable'].includes(error.code);
  if (error instanceof StoreFaultError && !isOfRun) throw error;
  if (!store.status().isWritable) throw error;
  // An unexpected error is one of reading this run.
  return {
    refused: error instanceof AnalysisError || isOfRun ? error.message : 'Its Lighthouse result cannot be read.',
  };
}

/**
 * @param onRun called after each run
 * @throws AnalysisError `results_unavailable`, StoreFaultError, and the signal's reason
 */
export async function importBuilds(
  parts: UploadParts,
  file: LhciFile,
  { signal, onRun }: { signal: AbortSignal; onRun: (counts: ImportCounts) => Promise<void> },
): Promise<ImportCounts> {
  const nowMs = Date.now();
  const counts: ImportCounts = { projects: file.projects.length, builds: 0, runs: 0, skipped: [] };
  const projects = new Map<string, Project>();
  for (const row of file.projects) {
    const project = await importProject(parts, row, nowMs);
    if (project) projects.set(project.id, project);
  }
  const builds = new Map<string, Build>();
  for (const row of file.builds) {
    const project = projects.get(toLine(row.projectId));
    const build = project && (await importBuild(parts, project, row, nowMs));
    if (!build) continue;
    builds.set(build.id, build);
    counts.builds += 1;
  }
  for (const row of file.runs()) {
    signal.throwIfAborted();
    const stored = await importRun(parts, builds.get(toLine(row.buildId)), row, nowMs).catch(error =>
      refuseRun(parts, error),
    );
    if ('refused' in stored) counts.skipped.push({ id: toLine(row.id), reason: stored.refused });
    else counts.runs += 1;
    await onRun(counts);
  }
  return counts;
}
