import type { FastifyReply, FastifyRequest } from 'fastify';
import type { TObject } from 'typebox';
import { sendJson } from '../answers/answer.ts';
import { createQueryReader, type ReadQuery } from '../input/read-input.ts';
import type { Operation, Route } from '../route.ts';

/** A request as its route reads it. */
type AskedOfRoute<Query extends TObject> = {
  readonly query: ReadQuery<Query>;
  /** `{id}` in the path. */
  readonly id: string;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
};

type JsonOperation<Query extends TObject> = Omit<Operation, 'query'> & { query?: Query };

/**
 * Creates a route that asks the store, the jobs or another part, and answers with JSON.
 * @param ask returns the answer, or its bytes if it is JSON already
 */
export function jsonRoute<Query extends TObject>(
  operation: JsonOperation<Query>,
  effort: Route['effort'],
  ask: (asked: AskedOfRoute<Query>) => unknown,
): Route {
  const { query: schema, status } = operation;
  const readQuery = schema ? createQueryReader(schema) : () => ({}) as ReadQuery<Query>;
  return {
    operation: operation as Operation,
    effort,
    async handle(request, reply) {
      const { id = '' } = request.params as { id?: string };
      const answer = await ask({ query: readQuery(request.query as string), id, request, reply });
      return sendJson(reply, Buffer.isBuffer(answer) ? answer : JSON.stringify(answer), status);
    },
  };
}
