/** What the framework can do at best: one route, fixed bytes, no logging. */
import fastify from 'fastify';

const bytes = Buffer.from(process.env.BYTES ?? '');
const app = fastify();
app.get('/psi', async (_request, reply) => reply.header('content-type', 'application/json').send(bytes));
console.log(await app.listen({ host: '127.0.0.1', port: 0 }));
