/** Reads requests of Lighthouse CI's protocol: their parts, and the project and build in their path. */
import type { FastifyRequest } from 'fastify';
import { type Build, findBuild, findProject, type Project } from '../../../storage/lhci/builds.ts';
import type { ResultStore } from '../../../storage/results/store.ts';
import { parseJson } from '../../input/json-position.ts';
import { Refusal } from './refusal.ts';

/** Handles a request; the returned value is sent as JSON. */
export type Handle = (request: FastifyRequest, store: ResultStore) => Promise<unknown>;

export const paramsOf = ({ params }: FastifyRequest) =>
  params as { readonly projectId: string; readonly buildId: string; readonly slug: string };
export const queryOf = ({ query }: FastifyRequest): URLSearchParams => new URLSearchParams(query as string);
export const tokenOf = ({ headers }: FastifyRequest): string => `${headers['x-lhci-build-token'] ?? ''}`;

export function readBody({ body }: FastifyRequest): unknown {
  const parsed = parseJson((body as Buffer | undefined) ?? Buffer.alloc(0));
  if ('value' in parsed) return parsed.value;
  throw new Refusal(400, 'excess' in parsed ? `The body is refused: ${parsed.excess}.` : 'The body is not JSON.');
}

export function readObject(request: FastifyRequest): Readonly<Record<string, unknown>> {
  const body = readBody(request);
  if (typeof body !== 'object' || body === null) throw new Refusal(422, 'The body is not a JSON object.');
  return body as Readonly<Record<string, unknown>>;
}

export const found = <T>(value: T | undefined, name: string): T => {
  if (value === undefined) throw new Refusal(404, `There is no such ${name}.`);
  return value;
};

export const findProjectOf = async (request: FastifyRequest, { database }: ResultStore): Promise<Project> => {
  const { projectId } = paramsOf(request);
  const [, slug] = /^slug:(.+)$/.exec(projectId) ?? [];
  return found(await findProject(database, slug === undefined ? { id: projectId } : { slug }), 'project');
};

export const findBuildOf = async (request: FastifyRequest, { database }: ResultStore): Promise<Build> => {
  const { projectId, buildId } = paramsOf(request);
  return found(await findBuild(database, projectId, buildId), 'build');
};
