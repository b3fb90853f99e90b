import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TObject, TSchema } from 'typebox';
import type { Admit } from './access/admit.ts';
import type { AssertOperator, ToClientId } from './access/api-keys.ts';
import type { FullTurns } from './server/full-turns.ts';

/**
 * Access to a route of a service with keys: for anyone, or for clients with a key, which PSI clients may also send in
 * other ways. For `build token`, the route itself checks the token of a project.
 */
export type RouteAccess = 'open' | 'key' | 'psi key' | 'build token';

/** Description of a route in `/openapi.json`. The same schemas read its input. */
export type Operation = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path with parameters in OpenAPI's notation: `/results/{id}`. */
  path: string;
  /** Group in the document. Only analyses count towards a client's limit. */
  tag: 'analysis' | 'access' | 'jobs' | 'results' | 'system' | 'psi v5';
  /** `key` by default. */
  access?: Exclude<RouteAccess, 'build token'>;
  summary: string;
  description: string;
  query?: TObject;
  body?: TObject;
  /** Schema of the 200 response; undefined if a different project defines it. */
  answer?: TSchema;
  /** Status of a success; 200 by default. */
  status?: 201 | 202;
  /** Schema of the 202 response to a request with `Prefer: respond-async`. */
  accepts?: TSchema;
  /** Whether the response is always server-sent events, or 204 if the reader has them all. */
  isEventStream?: boolean;
  /** Content type of a 200 response that is a file, without a schema. */
  fileType?: string;
  /** Alternative form of the 200 response: JSON lines of this schema. */
  streams?: { contentType: string; line: TSchema };
  /** Whether the operation can respond with 422 and validation items; by default, if it has a query or a body. */
  validates?: boolean;
  /** Whether the operation can fail with a Problem; true by default. */
  fails?: boolean;
  /** Schema of every failure that is not a Problem. */
  failure?: TSchema;
};

export const accessOf = ({ access = 'key' }: Operation) => access;

export type Route = {
  operation: Operation;
  /** Second path of the route; the document does not list it. */
  alias?: string;
  /** Max body size in bytes, if it differs from the default. */
  bodyLimit?: number;
  /** Checks the headers before the body is received. */
  assertAnnounced?: (request: FastifyRequest) => void;
  /**
   * A `read` is cheap and changes nothing: HEAD is supported too. A `measurement` measures a page, simulates a stored
   * load or fetches a sitemap: a page of another site must not start it. An `action` is anything else.
   */
  effort: 'read' | 'action' | 'measurement';
  handle: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;
  /** Sends a failure of a hook or the handler in the format of a different protocol. */
  sendFailure?: (request: FastifyRequest, reply: FastifyReply, error: unknown) => FastifyReply;
};

/** Dependencies of every analysis route. */
export type RouteParts = {
  admit: Admit;
  toClientId: ToClientId;
  assertOperator: AssertOperator;
  /** Turns of all work that has a whole stored result in memory. */
  fullTurns: FullTurns;
};
