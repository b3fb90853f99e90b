/** Handles write requests of Lighthouse CI's protocol: projects, builds, runs, and the sealing of a build. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { sealUpload, storeRun, type UploadParts } from '../../../analysis/lhci/store-upload.ts';
import {
  isPossibleTime,
  readTime,
  toBuild,
  toLine,
  toSlug,
  withSuffix,
} from '../../../analysis/lhci/uploaded-build.ts';
import {
  addBuild,
  addProject,
  type Build,
  countRuns,
  findBuild,
  listBuilds,
  type Project,
  toTokenDigest,
} from '../../../storage/lhci/builds.ts';
import type { ResultStore } from '../../../storage/results/store.ts';
import { findProjectOf, type Handle, paramsOf, readBody, readObject } from './read-request.ts';
import { Refusal } from './refusal.ts';
import { toBuildJson, toProjectJson, toRunJson } from './to-json.ts';

const minNameCharacters = 4;
/** Max number of runs of a build: 400 pages with five runs each. */
const mostRuns = 2000;
/** Time without a run after which the upload of a build counts as interrupted. */
const interruptedMs = 10 * 60_000;

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
  const other = { ...project, slug: withSuffix(project.slug, randomBytes(4).toString('hex')) };
  await addProject(store.database, other, digest);
  return toProjectJson(other, token);
};

/** Returns the build of this branch and commit if its upload was interrupted, or its creation was repeated. */
async function findUnfinished({ database, clock }: ResultStore, { projectId, branch, hash }: Build) {
  const [found] = await listBuilds(database, projectId, { branch, hash, limit: 1 });
  if (found?.lifecycle !== 'unsealed') return undefined;
  return (await countRuns(database, found.id)).newestAtMs < clock.now() - interruptedMs ? found : undefined;
}

export const createBuild: Handle = async (request, store) => {
  const given = readObject(request);
  if (given.lifecycle !== 'unsealed') throw new Refusal(422, 'lifecycle must be unsealed.');
  const runAtMs = readTime(given.runAt);
  if (runAtMs !== undefined && !isPossibleTime(runAtMs)) throw new Refusal(422, 'runAt must be between 2016 and now.');
  const project = await findProjectOf(request, store);
  const createdAtMs = Math.floor(store.clock.now());
  const build = toBuild(given, project, { id: randomUUID(), lifecycle: 'unsealed', createdAtMs });
  if (!build) throw new Refusal(422, 'branch and hash must be strings.');
  if (await addBuild(store.database, build)) return toBuildJson(build);
  const unfinished = await findUnfinished(store, build);
  if (unfinished) return toBuildJson(unfinished);
  // The client searches for the first three words.
  throw new Refusal(422, `Build already exists: branch "${build.branch}" has one of commit ${build.hash}.`);
};

export const createRun =
  (parts: Omit<UploadParts, 'store'>): Handle =>
  async (request, store) => {
    const { projectId, buildId } = paramsOf(request);
    const build = await findBuild(store.database, projectId, buildId);
    if (build?.lifecycle !== 'unsealed') throw new Refusal(422, 'The build is sealed, or does not exist.');
    if ((await countRuns(store.database, buildId)).count >= mostRuns)
      throw new Refusal(422, `A build has at most ${mostRuns} runs.`);
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
