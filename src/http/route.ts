import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TObject, TSchema } from 'typebox';
import type { Admit } from './admit.ts';

/** Who may ask, where there are keys: anybody, or who sends one; PSI's clients know other places for it. */
export type Access = 'open' | 'key' | 'psi key';

/** What `/openapi.json` says of a route. The same schemas read its input. */
export type Operation = {
  method: 'GET' | 'POST';
  path: string;
  /** `system` operations take nothing from their client's limit. */
  tag: 'analysis' | 'system' | 'psi v5';
  access: Access;
  summary: string;
  description: string;
  query?: TObject;
  body?: TObject;
  /** Schema of the 200 answer; undefined for one that is not ours to describe. */
  answer?: TSchema;
  /** Whether the 200 answer is an HTML file: then it has no schema, and comes in one piece. */
  isFile?: boolean;
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
  /** Costs nothing to answer: HEAD works too. */
  free: boolean;
  handle: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;
  /** Answers whatever a hook or the handler threw, where the service's usual words would not be understood. */
  sendFailure?: (request: FastifyRequest, reply: FastifyReply, error: unknown) => FastifyReply;
};

/** What every analysis needs beside its use case. */
export type RouteParts = { admit: Admit };
