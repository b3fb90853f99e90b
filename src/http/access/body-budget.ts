/**
 * Memory for request bodies, each of which stays in memory as long as its request. A client has a share of it, so that it
 * cannot lock out others. Bodies count as they arrive; uploads reserve their size, because their clients do not retry
 * them, and wait for it in turns.
 */
import { setImmediate } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AnalysisError } from '../../contract/errors.ts';
import { createFairQueue } from '../../measure/fair-queue.ts';
import { onceClosed } from '../server/client-signal.ts';
import { answerLate, serverLimits, type UnreadableAnswer } from '../server/server-limits.ts';
import type { ToClientId } from './api-keys.ts';
import { createCounts, isBusy, tooMany } from './client-limits.ts';

const megabyte = 1024 * 1024;

/** Max sizes of all bodies in memory, and of those of one client: one of the largest, in either case. */
const bodyBytes = { most: 32 * megabyte, perClient: 12 * megabyte } as const;
const uploadBytes = { most: 72 * megabyte, perClient: 36 * megabyte } as const;
const mostWaitingUploads = 200;

/** Size above which a body is read in a turn of the event loop of its own, so that probes are answered in between. */
const largeBytes = 64 * 1024;

/** Interval at which the pace of an upload is checked; it may fall behind by this time. */
const paceMs = 5_000;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the request body may be large and slow to arrive. */
    isUpload?: boolean;
  }
}

/** Returns the size of an upload: the announced one, or the largest possible one. */
const toUploadBytes = ({ headers, routeOptions: { bodyLimit = 0 } }: FastifyRequest): number =>
  headers['content-length'] === undefined ? bodyLimit : Math.min(bodyLimit, Number(headers['content-length']) || 0);

type WaitingUpload = { readonly client: string; readonly rank: 0; readonly bytes: number; readonly admit: () => void };

/** Reserves memory for uploads in turns of their clients. */
function createUploadQueue() {
  const queue = createFairQueue<WaitingUpload>();
  const held = createCounts();
  let sum = 0;
  /** First of the queue, for which there is not enough memory yet. Later ones wait, so that it is not overtaken forever. */
  let first: WaitingUpload | undefined;

  const hasShare = ({ client, bytes }: WaitingUpload) => held.of(client) + bytes <= uploadBytes.perClient;

  const admitNext = (): void => {
    for (;;) {
      first ??= queue.take(hasShare);
      if (!first || sum + first.bytes > uploadBytes.most) return;
      const { client, bytes, admit } = first;
      first = undefined;
      held.add(client, bytes);
      sum += bytes;
      admit();
    }
  };

  return {
    isFull: () => queue.size >= mostWaitingUploads,
    /** @returns a function that leaves the queue, or frees the memory */
    add(client: string, bytes: number, admit: () => void): () => void {
      let isAdmitted = false;
      const upload: WaitingUpload = {
        client,
        bytes,
        rank: 0,
        admit() {
          isAdmitted = true;
          admit();
        },
      };
      queue.add(upload);
      admitNext();
      return () => {
        if (isAdmitted) {
          held.add(client, -bytes);
          sum -= bytes;
        } else if (first === upload) first = undefined;
        else queue.remove(upload);
        admitNext();
      };
    },
  };
}

/** Cuts off an upload that is too slow to arrive in the time of a request, long before that time is over. */
function watchPace(request: FastifyRequest, reply: FastifyReply, answer: UnreadableAnswer): void {
  const { raw } = request;
  const bytes = toUploadBytes(request);
  let arrived = 0;
  let elapsedMs = 0;
  raw.on('data', (chunk: Buffer) => {
    arrived += chunk.length;
  });
  const timer = setInterval(() => {
    const neededBytes = (bytes * elapsedMs) / serverLimits.requestTimeout;
    elapsedMs += paceMs;
    if (!raw.complete && arrived < neededBytes) answerLate(answer, request);
  }, paceMs);
  onceClosed(reply, () => clearInterval(timer));
}

/** Answers a request while its body arrives; the rest of the body is not read. */
function refuse(reply: FastifyReply, error: AnalysisError): void {
  if (reply.sent) return;
  reply.header('connection', 'close').send(error);
}

export function registerBodyBudget(
  app: FastifyInstance,
  { toClientId, answer }: { toClientId: ToClientId; answer: UnreadableAnswer },
): void {
  const uploads = createUploadQueue();
  const held = createCounts();
  let sum = 0;

  app.addHook('onRequest', (request, reply, done) => {
    if (!request.routeOptions.config.isUpload) return done();
    if (uploads.isFull()) return done(isBusy('Too many uploads are waiting.'));
    onceClosed(reply, uploads.add(toClientId(request), toUploadBytes(request), done));
  });

  let lastLarge = Promise.resolve();
  app.addHook('preHandler', ({ body }, _reply, done) => {
    if (!Buffer.isBuffer(body) || body.length < largeBytes) return done();
    lastLarge = lastLarge.then(() => setImmediate()).then(() => done());
  });

  // The listeners are added in the moment in which the framework starts to read, so that they miss nothing.
  app.addHook('preParsing', (request, reply, _payload, done) => {
    const { raw, routeOptions } = request;
    if (raw.headers['content-length'] === undefined && raw.headers['transfer-encoding'] === undefined) return done();
    if (routeOptions.config.isUpload) {
      watchPace(request, reply, answer);
      return done();
    }
    const client = toClientId(request);
    let bytes = 0;
    raw.on('data', ({ length }: Buffer) => {
      bytes += length;
      sum += length;
      held.add(client, length);
      if (held.of(client) > bodyBytes.perClient) refuse(reply, tooMany('This client sends too many bodies at once.'));
      else if (sum > bodyBytes.most) refuse(reply, isBusy('The service is reading too many request bodies at once.'));
    });
    onceClosed(reply, () => {
      sum -= bytes;
      held.add(client, -bytes);
    });
    done();
  });
}
