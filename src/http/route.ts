import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TObject, TSchema } from 'typebox';
import type { Admit } from './access/admit.ts';
import type { AssertOperator, ToClientId } from './access/api-keys.ts';

/**
 * Where there are keys: open to all, or for clients that send one; PSI's clients may send it in other ways, too. With
 * `build token` the route checks the token of a project by itself.
 */
export type Access = 'open' | 'key' | 'psi key' | 'build token';

/** What `/openapi.json` says of a route. The same schemas read its input. */
export type Operation = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** With parameters as OpenAPI writes them: `/results/{id}`. */
  path: string;
  /** Only analyses take from their client's limit. */
  tag: 'analysis' | 'jobs' | 'results' | 'system' | 'psi v5';
  access: Exclude<Access, 'build token'>;
  summary: string;
  description: string;
  query?: TObject;
  body?: TObject;
  /** Schema of the 200 answer; undefined for one that is not ours to describe. */
  answer?: TSchema;
  /** Of a success, where that is not 200. */
  status?: 201 | 202;
  /** Schema of the 202 answer: that of the same request with `Prefer: respond-async`. */
  accepts?: TSchema;
  /** The answer comes as server-sent events only; 204 where the reader has them all. */
  isEventStream?: boolean;
  /** The content type of a 200 answer that is a file: then it has no schema, and comes in one piece. */
  fileType?: string;
  /** The other form of the 200 answer: a line at a time, each of this schema. */
  streams?: { contentType: string; line: TSchema };
  /** Whether it can answer 422 with validation items. */
  validates: boolean;
  /** Whether it can fail with a Problem. */
  fails: boolean;
  /** Schema of every failure, where that is no Problem. */
  failure?: TSchema;
};

export type Route = {
  operation: Operation;
  /** Another spelling of the path; the document does not list it. */
  alias?: string;
  /** What its body may have, where that is not as much as any. */
  bodyLimit?: number;
  /** Looks at the headers, before the body comes. */
  assertAnnounced?: (request: FastifyRequest) => void;
  /** Costs nothing to answer: HEAD works too. */
  free: boolean;
  handle: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;
  /** Answers whatever a hook or the handler threw, where the service's usual words would not be understood. */
  sendFailure?: (request: FastifyRequest, reply: FastifyReply, error: unknown) => FastifyReply;
};

/** Dependencies of every analysis route. */
export type RouteParts = { admit: Admit; toClientId: ToClientId; assertOperator: AssertOperator };
