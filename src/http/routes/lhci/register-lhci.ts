/**
 * Server protocol of Lighthouse CI, as version 0.15 of the command `lhci` uses it: builds are uploaded here, and this
 * service's page compares them. The OpenAPI document omits the protocol, because Lighthouse CI defines it.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { UploadParts } from '../../../analysis/lhci/store-upload.ts';
import { toLine } from '../../../analysis/lhci/uploaded-build.ts';
import { findProject, type Project } from '../../../storage/lhci/builds.ts';
import type { ResultStore } from '../../../storage/results/store.ts';
import { createKeyRing, givenKeys } from '../../access/api-keys.ts';
import { createRateLimit, type RateLimit } from '../../access/rate-limit.ts';
import { sendJson } from '../../answers/answer.ts';
import type { RouteParts } from '../../route.ts';
import { toCaller } from '../../server/full-turns.ts';
import { createBuild, createProject, createRun, findView, readers, seal, sendRuns } from './read-builds.ts';
import { found, type Handle, paramsOf, readObject, tokenOf } from './read-request.ts';
import { Refusal, sendRefusal } from './refusal.ts';
import { toProjectJson } from './to-json.ts';

/** Version of Lighthouse CI that defines the protocol. The command `lhci` compares this version with its own. */
const protocolVersion = '0.15.1';
/** Max body size: a Lighthouse result of 30 MB with escaped quotes fits. */
const maxUploadBytes = 36 * 1024 * 1024;
/**
 * Max number of requests for each page of RATE_LIMIT, because an upload is a small part of the work of an analysis. The
 * command `lhci` sends one request for each run, and does not repeat a request that was refused.
 */
const requestsPerPage = 10;

type LhciParts = Omit<UploadParts, 'store'> & {
  readonly store: ResultStore | undefined;
  readonly settings: { readonly apiKeys: readonly string[]; readonly rateLimit: number };
  /** Limits the builds that a client creates: each counts as one page. */
  readonly rateLimit: RateLimit;
} & Pick<RouteParts, 'assertOperator' | 'fullTurns' | 'toClientId'>;

/**
 * Checks who may read and write a project. If the service has keys, reading requires one of them or the token of the
 * project; writing always requires the token, as in Lighthouse CI.
 */
function createTokenCheck(store: ResultStore | undefined, apiKeys: readonly string[]) {
  const keys = createKeyRing(apiKeys);
  const findOwn = async (request: FastifyRequest): Promise<Project | undefined> => {
    const token = tokenOf(request);
    return store && token !== '' ? findProject(store.database, { token }) : undefined;
  };
  return {
    async assertReader(request: FastifyRequest): Promise<void> {
      if (keys.isEmpty || givenKeys(request).some(key => keys.has(key))) return;
      const project = await findOwn(request);
      const { projectId } = paramsOf(request);
      if (project && (projectId === project.id || projectId === `slug:${project.slug}`)) return;
      throw new Refusal(401, 'Send a key of this service, or the token of the project as x-lhci-build-token.');
    },
    /** Checks the token before the body is read, which may be large. */
    async assertWriter(request: FastifyRequest): Promise<void> {
      if (store && (await findOwn(request))?.id !== paramsOf(request).projectId)
        throw new Refusal(403, 'The header x-lhci-build-token must have the token of the project.');
    },
  };
}

export function registerLhci(
  app: FastifyInstance,
  { store, settings, assertOperator, rateLimit, fullTurns, toClientId, ...parts }: LhciParts,
): void {
  const requestLimit = createRateLimit(settings.rateLimit * requestsPerPage, undefined, undefined, 'requests');
  const check = createTokenCheck(store, settings.apiKeys);
  const useStore = (): ResultStore => {
    if (store) return store;
    throw new Refusal(503, 'This service stores no results: set DATA_DIR or DATABASE_URL.');
  };
  const config = { access: 'build token' } as const;
  const answer = (handle: Handle) => async (request: FastifyRequest, reply: FastifyReply) =>
    sendJson(reply, JSON.stringify(await handle(request, useStore())));

  void app.register(async own => {
    own.setErrorHandler((error, _request, reply) => sendRefusal(reply, error, maxUploadBytes));
    own.addHook('onRequest', async ({ ip, routeOptions }) => {
      if (routeOptions.url?.startsWith('/v1/')) await requestLimit.take(ip, 1);
    });

    for (const [path, handle] of readers)
      own.get(`/v1/projects${path}`, { config, onRequest: check.assertReader }, answer(handle));

    own.get(
      '/v1/projects/:projectId/builds/:buildId/runs',
      { config, onRequest: check.assertReader },
      async (request, reply) =>
        fullTurns.sendStream(() => sendRuns(request, reply, useStore()), reply, toCaller(toClientId, request, reply)),
    );
    own.post('/v1/projects', { config, onRequest: async request => assertOperator(request) }, answer(createProject));
    own.post(
      '/v1/projects/lookup',
      { config },
      answer(async (request, { database }) => {
        const token = toLine(readObject(request).token);
        return toProjectJson(found(await findProject(database, { token }), 'project'), token);
      }),
    );
    const writing = { config, onRequest: check.assertWriter };
    const chargePage = async ({ ip }: FastifyRequest) => rateLimit.take(ip, 1);
    own.post(
      '/v1/projects/:projectId/builds',
      { config, onRequest: [check.assertWriter, chargePage] },
      answer(createBuild),
    );
    own.post(
      '/v1/projects/:projectId/builds/:buildId/runs',
      { ...writing, bodyLimit: maxUploadBytes, config: { ...config, isUpload: true } },
      answer(createRun(parts)),
    );
    own.put('/v1/projects/:projectId/builds/:buildId/lifecycle', writing, async (request, reply) => {
      await seal(request, useStore());
      return reply.code(204).send();
    });

    // The link reveals only which results it leads to; reading them requires a key.
    own.get('/app/projects/:slug/compare/:buildId', { config: { access: 'open' } }, async (request, reply) =>
      reply
        .code(302)
        .header('location', await findView(request, useStore()))
        .send(),
    );
    own.get('/v1/viewer/origin', { config: { access: 'open' } }, async (_, reply) =>
      sendJson(reply, '{"viewerOrigin":""}'),
    );
    own.get('/version', { config: { access: 'open' } }, async (_, reply) =>
      reply.type('text/plain').send(protocolVersion),
    );
    own.get('/healthz', { config: { access: 'open' } }, async (_, reply) => reply.type('text/plain').send('healthy'));
  });
}
