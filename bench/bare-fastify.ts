/**
 * The upper bound of the framework: one route that sends fixed bytes and logs nothing. With `DUTIES=1` it logs each
 * request as the service does; `HEADERS` are the headers of its answer.
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
