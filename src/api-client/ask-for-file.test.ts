import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildProblem } from '../../test/web/reports.ts';
import { askForFile } from './ask-service.ts';

const { signal } = new AbortController();
const ask = (response: () => Response | Promise<Response>, options = { signal }) =>
  askForFile('results/x/report', { ...options, apiKey: 'secret', fetch: (async () => response()) as typeof fetch });

test('a file gets the name that the service gives it, and the key is sent in a header', async () => {
  let sent: RequestInit | undefined;
  const reply = await askForFile('results/x/trace', {
    signal,
    apiKey: 'secret',
    fetch: (async (_: string, init: RequestInit) => {
      sent = init;
      return new Response('bytes', { headers: { 'content-disposition': 'attachment; filename="a.json.gz"' } });
    }) as typeof fetch,
  });
  assert.equal(new Headers(sent?.headers).get('authorization'), 'Bearer secret');
  assert.ok(reply.ok);
  assert.deepEqual([reply.name, await reply.blob.text()], ['a.json.gz', 'bytes']);
  const nameless = await ask(() => new Response('bytes'));
  assert.equal(nameless.ok && nameless.name, undefined);
});

test('a failed download reports its reason', async () => {
  const failureOf = async (response: () => Response | Promise<Response>) => {
    const reply = await ask(response);
    return reply.ok ? undefined : reply.failure;
  };
  const problem = buildProblem({ code: 'result_not_found', status: 404 });
  assert.deepEqual(await failureOf(() => Response.json(problem, { status: 404 })), { kind: 'problem', problem });
  assert.equal((await failureOf(() => new Response('<p>gateway</p>', { status: 502 })))?.kind, 'unreadable');
  assert.equal((await failureOf(() => Promise.reject(new TypeError('fetch failed'))))?.kind, 'unreachable');
  const broken = new ReadableStream({ start: controller => controller.error(new Error('cut')) });
  assert.equal((await failureOf(() => new Response(broken)))?.kind, 'cut');
});

test('a cancelled download throws its abort reason and is not a failure', async () => {
  const reason = new Error('cancelled');
  const aborted = AbortSignal.abort(reason);
  await assert.rejects(
    ask(() => Promise.reject(reason), { signal: aborted }),
    reason,
  );
});
