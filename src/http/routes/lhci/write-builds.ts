/** Handles write requests of Lighthouse CI's protocol: projects, builds, runs, and the sealing of a build. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { sealUpload, storeRun, type UploadParts } from '../../../analysis/lhci/store-upload.ts';
import { toBuild, toLine } from '../../../analysis/lhci/uploaded-build.ts';
import { addBuild, addProject, findBuild, type Project, toTokenDigest } from '../../../storage/lhci/builds.ts';
import type { ResultStore } from '../../../storage/results/store.ts';
import { type Handle, paramsOf, readBody, readObject } from './read-request.ts';
import { Refusal } from './refusal.ts';
import { toBuildJson, toProjectJson, toRunJson } from './to-json.ts';

const minNameCharacters = 4;

const toSlug = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z\d]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 30) || 'project';

export const createProject: Handle = async (request, store) => {
  const given = readObject(request);
  const name = toLine(given.name);
  if (name.length < minNameCharacters)
    throw new Refusal(422, `name must have at least ${minNameCharacters} characters.`);
  const token = randomUUID();
  const project: Project = {
    id: randomUUID(),
    name,
    slug: toSlug(name),
    externalUrl: toLine(given.externalUrl),
    baseBranch: toLine(given.baseBranch) || 'main',
    createdAtMs: Date.now(),
  };
  const digest = toTokenDigest(token);
  if (await addProject(store.database, project, digest)) return toProjectJson(project, token);
  // Projects may have the same name.
  const other = { ...project, slug: `${project.slug}-${randomBytes(4).toString('hex')}` };
  await addProject(store.database, other, digest);
  return toProjectJson(other, token);
};

export const createBuild: Handle = async (request, { database }) => {
  const given = readObject(request);
  if (given.lifecycle !== 'unsealed') throw new Refusal(422, 'lifecycle must be unsealed.');
  const { projectId } = paramsOf(request);
  const build = toBuild(given, { id: randomUUID(), projectId, lifecycle: 'unsealed', createdAtMs: Date.now() });
  if (!build) throw new Refusal(422, 'branch and hash must be strings.');
  // The client searches for the first three words.
  if (!(await addBuild(database, build)))
    throw new Refusal(422, `Build already exists: branch "${build.branch}" has one of commit ${build.hash}.`);
  return toBuildJson(build);
};

export const createRun =
  (parts: Omit<UploadParts, 'store'>): Handle =>
  async (request, store) => {
    const { projectId, buildId } = paramsOf(request);
    const build = await findBuild(store.database, projectId, buildId);
    if (build?.lifecycle !== 'unsealed') throw new Refusal(422, 'The build is sealed, or does not exist.');
    const run = await storeRun({ ...parts, store }, build, (request.body as Buffer | undefined) ?? Buffer.alloc(0));
    if ('refused' in run) throw new Refusal(422, run.refused);
    return toRunJson(run, build);
  };

export async function seal(request: FastifyRequest, store: ResultStore) {
  if (readBody(request) !== 'sealed') throw new Refusal(422, 'The lifecycle can only become sealed.');
  const { projectId, buildId } = paramsOf(request);
  const build = await findBuild(store.database, projectId, buildId);
  if (!build || !(await sealUpload(store, build)))
    throw new Refusal(422, 'A build without runs cannot be sealed: upload its Lighthouse results first.');
}
