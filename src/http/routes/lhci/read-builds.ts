/** Answers read requests of Lighthouse CI's protocol, and redirects the link of a build. */

import { randomBytes, randomUUID } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { findBuildView, readStatistics } from '../../../analysis/lhci/read-build.ts';
import { listBuildRuns, sealUpload, storeRun, type UploadParts } from '../../../analysis/lhci/store-upload.ts';
import {
  isPossibleTime,
  readTime,
  toBuild,
  toLine,
  toSlug,
  withSuffix,
} from '../../../analysis/lhci/uploaded-build.ts';
import { toChangeAddress } from '../../../api-client/stored/change.ts';
import {
  addBuild,
  addProject,
  type Build,
  countRuns,
  findAncestor,
  findBuild,
  findProject,
  listBranches,
  listBuilds,
  listProjects,
  listRuns,
  listUrls,
  type Project,
  type Run,
  toTokenDigest,
} from '../../../storage/lhci/builds.ts';
import type { ResultStore } from '../../../storage/results/store.ts';
import { streamParts } from '../../answers/send-parts.ts';
import { findFull, measureFull, unpackFull } from '../results/stored.ts';
import {
  findBuildOf,
  findProjectOf,
  found,
  type Handle,
  paramsOf,
  queryOf,
  readBody,
  readObject,
} from './read-request.ts';
import { Refusal } from './refusal.ts';
import { toBuildJson, toProjectJson, toRunJson } from './to-json.ts';

/** Handles write requests of Lighthouse CI's protocol: projects, builds, runs, and the sealing of a build. */
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

const maxListed = 1000;
/** Max size of the Lighthouse results in one response. */
const maxAnsweredBytes = 64 * 1024 * 1024;

const readBuilds: Handle = async (request, { database }) => {
  const query = queryOf(request);
  const limit = Math.trunc(Number(query.get('limit')));
  const builds = await listBuilds(database, paramsOf(request).projectId, {
    branch: query.get('branch') ?? undefined,
    hash: query.get('hash') ?? undefined,
    limit: limit > 0 ? Math.min(limit, maxListed) : 10,
  });
  return builds.map(toBuildJson);
};

const readAncestor: Handle = async (request, store) => {
  const [project, build] = await Promise.all([findProjectOf(request, store), findBuildOf(request, store)]);
  return toBuildJson(found(await findAncestor(store.database, project, build), 'ancestor'));
};

/** Yields runs as JSON, with their whole Lighthouse results as strings of JSON. */
async function* writeRuns(store: ResultStore, build: Build, runs: readonly Run[]): AsyncGenerator<Buffer> {
  let separator = '[';
  for (const run of runs) {
    const full = await findFull(store, run.id);
    if (!full) continue;
    yield Buffer.from(`${separator}${JSON.stringify(toRunJson(run, build)).slice(0, -1)},"lhr":"`);
    // A character may be in two pieces, which the decoder joins.
    const decoder = new TextDecoder();
    const quote = (text: string) => Buffer.from(JSON.stringify(text).slice(1, -1));
    for await (const piece of unpackFull(full)) yield quote(decoder.decode(piece, { stream: true }));
    yield Buffer.from('"}');
    separator = ',';
  }
  yield Buffer.from(separator === '[' ? '[]' : ']');
}

/** Sends runs with their whole Lighthouse results; runs with removed results are skipped. */
export async function sendRuns(
  request: FastifyRequest,
  reply: FastifyReply,
  store: ResultStore,
): Promise<FastifyReply> {
  const build = await findBuildOf(request, store);
  const query = queryOf(request);
  const isWanted = (name: string, value: string) => (query.get(name) ?? value) === value;
  const runs = (await listBuildRuns(store, build)).filter(
    run => isWanted('url', run.url) && isWanted('representative', `${run.isRepresentative}`),
  );
  let bytes = 0;
  for (const { id } of runs) {
    const full = await findFull(store, id);
    bytes += full ? await measureFull(full) : 0;
    if (bytes > maxAnsweredBytes)
      throw new Refusal(422, 'The runs are too large for one response: specify one url, or representative=true.');
  }
  return streamParts(reply, writeRuns(store, build, runs), 'application/json');
}

const toUrls = (urls: readonly string[]) => [...new Set(urls)].map(url => ({ url }));

/** Relative path to the root, because a proxy may serve the service under a prefix. */
const toHome = '../../../../';

export async function findView(request: FastifyRequest, store: ResultStore): Promise<string> {
  const { slug, buildId } = paramsOf(request);
  const project = found(await findProject(store.database, { slug }), 'project');
  const build = found(await findBuild(store.database, project.id, buildId), 'build');
  const compareUrl = queryOf(request).get('compareUrl') ?? undefined;
  const view = found(await findBuildView(store, project, build, compareUrl), 'result: it may have been removed');
  return 'id' in view
    ? `${toHome}results/${view.id}`
    : `${toHome}${toChangeAddress({ ...view, source: 'lighthouse' })}`;
}

/** Handlers by their paths below `/v1/projects`. */
export const readers: readonly (readonly [path: string, handle: Handle])[] = [
  ['', async (_, { database }) => (await listProjects(database)).map(project => toProjectJson(project))],
  ['/:projectId', async (request, stored) => toProjectJson(await findProjectOf(request, stored))],
  ['/:projectId/builds', readBuilds],
  [
    '/:projectId/branches',
    async (request, { database }) =>
      (await listBranches(database, paramsOf(request).projectId)).map(branch => ({ branch })),
  ],
  ['/:projectId/urls', async (request, { database }) => toUrls(await listUrls(database, paramsOf(request).projectId))],
  ['/:projectId/builds/:buildId', async (request, stored) => toBuildJson(await findBuildOf(request, stored))],
  ['/:projectId/builds/:buildId/ancestor', readAncestor],
  [
    '/:projectId/builds/:buildId/urls',
    async (request, stored) => {
      const { id } = await findBuildOf(request, stored);
      return toUrls((await listRuns(stored.database, id)).map(({ url }) => url));
    },
  ],
  [
    '/:projectId/builds/:buildId/statistics',
    async (request, stored) => {
      const build = await findBuildOf(request, stored);
      const times = { createdAt: new Date(build.createdAtMs).toISOString() };
      const ids = { projectId: build.projectId, buildId: build.id };
      return (await readStatistics(stored, build)).map(statistic => ({ ...statistic, ...ids, ...times }));
    },
  ],
];
