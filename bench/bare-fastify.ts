/**
 * What the framework can do at best: one route, fixed bytes, no logging. With `DUTIES=1` it has the duties of the
 * service: one line of log for each request, and the same headers.
 */
import { readFileSync } from 'node:fs';
import fastify from 'fastify';
import pino from 'pino';

const { BYTES_FILE = '', HEADERS = '{}', DUTIES } = process.env;
const bytes = readFileSync(BYTES_FILE);
const headers: Record<string, string> = JSON.parse(HEADERS);
const log = pino();
const app = fastify();
if (DUTIES)
  app.addHook('onResponse', async ({ method, url, id }, { statusCode, elapsedTime }) =>
    log.info(
      { reqId: id, method, path: url.split('?')[0], status: statusCode, ms: Math.round(elapsedTime) },
      'request',
    ),
  );
app.get('/psi', async (_request, reply) => reply.headers(headers).send(bytes));
console.log(await app.listen({ host: '127.0.0.1', port: 0 }));
