/** Imports the projects, builds and runs of a Lighthouse CI server. The import can be stopped and repeated. */
import {
  addBuild,
  addProject,
  type Build,
  findProject,
  type Project,
  toTokenDigest,
} from '../../storage/lhci/builds.ts';
import type { LhciFile, LhciRow } from '../../storage/lhci/lhci-file.ts';
import { storeRun, type UploadParts } from './store-upload.ts';
import { readTime, toBuild, toLine } from './uploaded-build.ts';

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
  slug: toLine(row.slug) || toLine(row.id),
  externalUrl: toLine(row.externalUrl),
  baseBranch: toLine(row.baseBranch) || 'master',
  createdAtMs: readTime(row.createdAt) ?? nowMs,
});

/** Imports a project, with a longer slug if another project here has the same one. */
async function importProject({ store: { database } }: UploadParts, row: LhciRow, nowMs: number): Promise<void> {
  const project = toProject(row, nowMs);
  const digest = toTokenDigest(toLine(row.token));
  if ((await addProject(database, project, digest)) || (await findProject(database, { id: project.id }))) return;
  await addProject(database, { ...project, slug: `${project.slug}-${project.id.slice(0, 8)}` }, digest);
}

async function importRun(parts: UploadParts, build: Build | undefined, row: LhciRow, nowMs: number) {
  if (!build) return { refused: 'It belongs to no build.' };
  if (typeof row.lhr !== 'string') return { refused: 'It has no Lighthouse result.' };
  return storeRun(parts, build, Buffer.from(JSON.stringify({ url: row.url, lhr: row.lhr })), {
    id: toLine(row.id),
    createdAtMs: readTime(row.createdAt) ?? nowMs,
    isRepresentative: row.representative === 1,
  });
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
  for (const row of file.projects) await importProject(parts, row, nowMs);
  const builds = new Map<string, Build>();
  for (const row of file.builds) {
    const build = toBuild(row, {
      id: toLine(row.id),
      projectId: toLine(row.projectId),
      createdAtMs: readTime(row.createdAt) ?? nowMs,
      lifecycle: row.lifecycle === 'sealed' ? 'sealed' : 'unsealed',
    });
    if (!build) continue;
    await addBuild(parts.store.database, build);
    builds.set(build.id, build);
    counts.builds += 1;
  }
  for (const row of file.runs()) {
    signal.throwIfAborted();
    const stored = await importRun(parts, builds.get(toLine(row.buildId)), row, nowMs);
    if ('refused' in stored) counts.skipped.push({ id: toLine(row.id), reason: stored.refused });
    else counts.runs += 1;
    await onRun(counts);
  }
  return counts;
}
